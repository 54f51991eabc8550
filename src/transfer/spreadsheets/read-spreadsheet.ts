/** Reads an uploaded file as rows of cells. Its first bytes show the format; all sizes are limited. */

import { type EncodedText, readText, type TextEncoding } from './decode-text.ts'
import { type CsvDialect, detectCsvDialect, readCsvRows } from './read-csv.ts'
import { listXlsxSheets, readXlsxRows } from './read-xlsx.ts'
import {
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_ROWS,
  MAX_SPREADSHEET_BYTES,
  type SheetRow,
  SpreadsheetError,
} from './spreadsheet-error.ts'

const SAMPLE_LENGTH = 64 * 1024

export type OpenSpreadsheet = {
  /** Only for a CSV file. */
  encoding?: TextEncoding
  separator?: CsvDialect['separator']
  /** Only for a workbook: the sheets to choose from, and the one that is read. */
  sheets?: string[]
  sheet?: string
  header: string[]
  /** Throws `SpreadsheetError` at the first invalid row. */
  rows: AsyncIterable<SheetRow>
}

/** Reads the header of the sheet named `wanted`, by default the first. Throws `SpreadsheetError`. */
export async function openSpreadsheet(bytes: Buffer, wanted?: string | null): Promise<OpenSpreadsheet> {
  if (bytes.length === 0) throw new SpreadsheetError('empty')
  if (bytes.length > MAX_SPREADSHEET_BYTES) throw new SpreadsheetError('too_large')
  const source = await openSource(bytes, wanted)
  const rows = limitRows(source.rows)[Symbol.asyncIterator]()
  return { ...source, header: await readHeader(rows), rows: { [Symbol.asyncIterator]: () => rows } }
}

type Source = Omit<OpenSpreadsheet, 'header'>

const startsWith = (bytes: Buffer, ...start: number[]) => start.every((byte, place) => bytes[place] === byte)

async function openSource(bytes: Buffer, wanted: string | null | undefined): Promise<Source> {
  if (startsWith(bytes, 0x50, 0x4b)) {
    const sheets = await listXlsxSheets(bytes)
    const chosen = sheets.find(({ name }) => name === wanted) ?? sheets[0]
    if (chosen === undefined) throw new SpreadsheetError('broken')
    const rows = readXlsxRows(bytes, chosen.path)
    return { sheets: sheets.map(({ name }) => name), sheet: chosen.name, rows }
  }
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw new SpreadsheetError('old_excel')
  const text = await readText(bytes)
  const sample = takeSample(text)
  if (/^\s*(?:<|[{[]\s*["{[\]}])/.test(sample)) throw new SpreadsheetError('markup')
  const dialect = detectCsvDialect(sample)
  const { encoding } = text
  const rows = readCsvRows(text.decode(), dialect)
  return { encoding, separator: dialect.separator, rows }
}

/** As much of the beginning as the format detection needs. */
function takeSample({ decode }: EncodedText): string {
  let sample = ''
  for (const piece of decode()) {
    sample += piece
    if (sample.length >= SAMPLE_LENGTH) break
  }
  return sample
}

/** Lines before the header that begin with `#` are comments. */
async function readHeader(rows: AsyncIterator<SheetRow>): Promise<string[]> {
  for (;;) {
    const row = await rows.next()
    if (row.done) throw new SpreadsheetError('no_header')
    const cells = row.value.cells.map(cell => String(cell ?? '').trim())
    if (cells[0]?.startsWith('#')) continue
    return cells
  }
}

async function* limitRows(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
  let count = 0
  for await (const { no, cells } of rows) {
    while (cells.length > 0 && (cells.at(-1) === null || cells.at(-1) === '')) cells.pop()
    if (cells.length === 0) continue
    if (cells.length > MAX_COLUMNS) throw new SpreadsheetError('too_many_columns')
    // The header and comment lines are added to the rows.
    if (++count > MAX_ROWS + 100) throw new SpreadsheetError('too_many_rows')
    for (const cell of cells) {
      if (typeof cell === 'string' && cell.length > MAX_CELL_LENGTH) throw new SpreadsheetError('too_long')
    }
    yield { no, cells }
  }
}
