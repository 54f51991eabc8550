/** Writes an XLSX file row by row. Texts are inline strings, which need no table of all texts in advance. */
import { Zip, ZipDeflate } from 'fflate'
import type { Cell, CellRows } from './cell.ts'
import { escapeXml } from './xlsx-text.ts'

type SheetContent = { name: string; rows: CellRows; widths?: readonly number[] }

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
/** Level 6 would take twice the time to save another tenth. */
const LEVEL = 3
const CHUNK_LENGTH = 64 * 1024

/** Yields the file in chunks. The first row of each sheet is its header, bold and frozen. */
export async function* writeXlsx(sheets: readonly SheetContent[]): AsyncGenerator<Buffer> {
  const ready: Buffer[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    ready.push(Buffer.from(piece))
  })
  const part = (name: string) => {
    const file = new ZipDeflate(name, { level: LEVEL })
    zip.add(file)
    return (text: string, isLast: boolean) => file.push(Buffer.from(text), isLast)
  }
  for (const [name, text] of fixedParts(sheets.map(sheet => sheet.name))) part(name)(XML + text, true)
  for (const [index, sheet] of sheets.entries()) {
    const write = part(`xl/worksheets/sheet${index + 1}.xml`)
    for await (const text of sheetText(sheet)) {
      write(text, false)
      yield* ready.splice(0)
    }
    write('</sheetData></worksheet>', true)
  }
  zip.end()
  yield* ready.splice(0)
}

async function* sheetText({ rows, widths = [] }: SheetContent): AsyncGenerator<string> {
  const columns = widths.map(
    (width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`,
  )
  let text = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>`
  let no = 0
  for await (const cells of rows) {
    text += rowText(cells, ++no)
    if (text.length < CHUNK_LENGTH) continue
    yield text
    text = ''
  }
  yield text
}

function rowText(cells: readonly Cell[], no: number): string {
  const style = no === 1 ? ' s="1"' : ''
  let text = `<row r="${no}">`
  for (const [place, cell] of cells.entries()) {
    if (cell === null || cell === '') continue
    const at = `<c r="${formatColumnLetters(place)}${no}"${style}`
    if (typeof cell === 'number') text += `${at}><v>${cell}</v></c>`
    else if (typeof cell === 'boolean') text += `${at} t="b"><v>${cell ? 1 : 0}</v></c>`
    else text += `${at} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`
  }
  return `${text}</row>`
}

/** 0 → `A`, 27 → `AB`. */
export function formatColumnLetters(place: number): string {
  const last = String.fromCharCode(65 + (place % 26))
  return place < 26 ? last : formatColumnLetters(Math.floor(place / 26) - 1) + last
}

function fixedParts(names: readonly string[]): [string, string][] {
  const type = (part: string, kind: string) =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  const sheetParts = names.map((_, n) => type(`/xl/worksheets/sheet${n + 1}.xml`, 'worksheet')).join('')
  const sheets = names.map(
    (name, n) => `<sheet name="${escapeXml(name)}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`,
  )
  const links = names.map(
    (_, n) =>
      `<Relationship Id="rId${n + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`,
  )
  const styles = `<Relationship Id="rId${names.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/>`
  const font = (bold: string) => `<font>${bold}<sz val="11"/><name val="Calibri"/></font>`
  return [
    [
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('/xl/workbook.xml', 'sheet.main')}${type('/xl/styles.xml', 'styles')}${sheetParts}</Types>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${links.join('')}${styles}</Relationships>`,
    ],
    [
      'xl/styles.xml',
      `<styleSheet xmlns="${MAIN}"><fonts count="2">${font('')}${font('<b/>')}</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
    ],
  ]
}
