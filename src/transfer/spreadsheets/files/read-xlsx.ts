/**
 * Reads a sheet of an XLSX file row by row, in chunks of 64 kB. Other readers hold the whole file in memory
 * (650 MB for 50,000 rows of 30 columns) and block the event loop for 13 s.
 */
import { StringDecoder } from 'node:string_decoder'
import type { Cell } from './cell.ts'
import { MAX_COLUMNS, MAX_RAW_ROWS, type SheetRow, SpreadsheetError } from './spreadsheet-error.ts'
import { openZip, type ZipParts } from './unzip.ts'
import {
  formatPercentage,
  type NumberFormats,
  parseNumberFormats,
  parseSerialDate,
} from './xlsx-number-formats.ts'
import { findAttribute, getTexts, unescapeXml } from './xlsx-text.ts'

/** Security bounds. */
const MAX_SHARED_LENGTH = 96 * 1024 * 1024
/** Millions of texts of one character have few bytes but cost much time: 5,000,000 took minutes. */
const MAX_SHARED_TEXTS = 1_500_000
const MAX_ROW_LENGTH = 4 * 1024 * 1024

const ROWS = { maxLength: MAX_ROW_LENGTH, maxCount: MAX_RAW_ROWS }
const TEXTS = { maxLength: MAX_ROW_LENGTH, maxCount: MAX_SHARED_TEXTS }

type Book = { shared: readonly string[]; formats: NumberFormats; is1904: boolean }

const MAX_SHEETS = 50
const MAX_NAME_LENGTH = 200

type WorkbookSheet = { name: string; path: string }

/** Lists the visible sheets that are not empty, in the order of their tabs. Throws `SpreadsheetError`. */
export async function listXlsxSheets(bytes: Buffer): Promise<WorkbookSheet[]> {
  const parts = openZip(bytes)
  if (!parts.has('xl/workbook.xml')) throw new SpreadsheetError('other_zip')
  const shown = await listVisibleSheets(parts, await parts.text('xl/workbook.xml'))
  const full: WorkbookSheet[] = []
  for (const sheet of shown.slice(0, MAX_SHEETS)) {
    if (!full.some(({ name }) => name === sheet.name) && (await hasCells(parts, sheet.path))) full.push(sheet)
  }
  return full.length > 0 ? full : shown.slice(0, 1)
}

/** A broken sheet counts as not empty, so that reading it reports the error. */
async function hasCells(parts: ZipParts, path: string): Promise<boolean> {
  try {
    for await (const some of readElements(parts, path, 'row', ROWS))
      if (some.some(xml => /<[vt][ >]/.test(xml))) return true
    return false
  } catch (error) {
    if (error instanceof SpreadsheetError) return true
    throw error
  }
}

/** `path` comes from `listXlsxSheets`. Throws `SpreadsheetError`. */
export async function* readXlsxRows(bytes: Buffer, path: string): AsyncGenerator<SheetRow> {
  const parts = openZip(bytes)
  const workbook = await parts.text('xl/workbook.xml')
  const book: Book = {
    shared: await readSharedTexts(parts),
    formats: parseNumberFormats(await parts.text('xl/styles.xml')),
    is1904: /<(?:\w+:)?workbookPr\b[^<>]*\bdate1904="(?:1|true)"/.test(workbook),
  }
  let before = 0
  for await (const some of readElements(parts, path, 'row', ROWS)) {
    for (const xml of some) {
      const no = Number(findAttribute(xml.slice(0, xml.indexOf('>') + 1), 'r') ?? before + 1)
      if (!Number.isSafeInteger(no) || no <= before) throw new SpreadsheetError('broken')
      before = no
      yield { no, cells: parseCells(xml, book) }
    }
  }
}

/** In the order of the tabs; the first sheet if all are hidden. */
async function listVisibleSheets(parts: ZipParts, workbook: string): Promise<WorkbookSheet[]> {
  const all: string[] = workbook.match(/<(?:\w+:)?sheet\b[^<>]*>/g) ?? []
  const shown = all.filter(sheet => !/\bstate="(?:hidden|veryHidden)"/.test(sheet))
  const relations = await parts.text('xl/_rels/workbook.xml.rels')
  const targets = new Map(
    (relations.match(/<(?:\w+:)?Relationship\b[^<>]*>/g) ?? []).map(one => [
      findAttribute(one, 'Id'),
      findAttribute(one, 'Target'),
    ]),
  )
  return (shown.length > 0 ? shown : [all[0] ?? '']).map(sheet => {
    const target = targets.get(/\b\w+:id="([^"]*)"/.exec(sheet)?.[1]) ?? 'worksheets/sheet1.xml'
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    if (!parts.has(path)) throw new SpreadsheetError('broken')
    const name = (findAttribute(sheet, 'name') ?? '')
      .toWellFormed()
      .replaceAll('\0', '')
      .slice(0, MAX_NAME_LENGTH)
    return { name, path }
  })
}

async function readSharedTexts(parts: ZipParts): Promise<string[]> {
  const texts: string[] = []
  let size = 0
  for await (const some of readElements(parts, 'xl/sharedStrings.xml', 'si', TEXTS)) {
    for (const xml of some) {
      size += xml.length
      if (size > MAX_SHARED_LENGTH) throw new SpreadsheetError('too_much')
      texts.push(getTexts(xml))
    }
  }
  return texts
}

/** Yields each `<name …>…</name>` of a part, without namespace prefix; never nested. */
async function* readElements(
  parts: ZipParts,
  part: string,
  name: string,
  { maxLength, maxCount }: { maxLength: number; maxCount: number },
): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let prefix: string | undefined
  let rest = ''
  let count = 0
  for await (const piece of parts.read(part)) {
    rest += decoder.write(piece)
    prefix ??= /<(\w+:)?(?:worksheet|sst)\b/.exec(rest)?.[1] ?? (rest.length > 2_000 ? '' : undefined)
    const plain = prefix ? rest.replaceAll(`<${prefix}`, '<').replaceAll(`</${prefix}`, '</') : rest
    const { found, left } = extractElements(plain, name)
    count += found.length
    if (count > maxCount) throw new SpreadsheetError('too_much')
    yield found
    if (left.length > maxLength) throw new SpreadsheetError('too_long')
    rest = left
  }
  if (rest.includes(`<${name} `) || rest.includes(`<${name}>`)) yield extractElements(rest, name).found
}

/** Extracts up to `max` complete elements. `left` is the incomplete rest of the text. */
function extractElements(
  text: string,
  name: string,
  max = Number.POSITIVE_INFINITY,
): { found: string[]; left: string } {
  const found: string[] = []
  const close = `</${name}>`
  let at = 0
  for (;;) {
    const begin = findTag(text, name, at)
    if (begin < 0 || found.length >= max) {
      // The end of the text may be an incomplete tag.
      const last = text.lastIndexOf('<')
      return { found, left: last < at ? '' : text.slice(last) }
    }
    const tag = text.indexOf('>', begin)
    if (tag < 0) return { found, left: text.slice(begin) }
    const isBare = text[tag - 1] === '/'
    const end = isBare ? tag + 1 : text.indexOf(close, tag) + close.length
    if (end < close.length + tag && !isBare) return { found, left: text.slice(begin) }
    found.push(text.slice(begin, end))
    at = end
  }
}

function findTag(text: string, name: string, from: number): number {
  for (let at = text.indexOf(`<${name}`, from); at >= 0; at = text.indexOf(`<${name}`, at + 1)) {
    const next = text[at + name.length + 1]
    if (next === '>' || next === '/' || next === ' ' || next === '\n' || next === '\r' || next === '\t')
      return at
    if (next === undefined) return at
  }
  return -1
}

function parseCells(row: string, book: Book): Cell[] {
  const cells: Cell[] = []
  let place = 0
  const { found } = extractElements(row.slice(row.indexOf('>') + 1), 'c', MAX_COLUMNS + 1)
  for (const xml of found) {
    const opening = xml.slice(0, xml.indexOf('>') + 1)
    const named = findAttribute(opening, 'r')
    place = named === undefined ? place : parseColumn(named)
    if (place >= MAX_COLUMNS) throw new SpreadsheetError('too_many_columns')
    const value = parseValue(xml.slice(opening.length), opening, book)
    // Rows with empty last columns are not padded, because a file may have a million of them.
    if (value !== null) {
      while (cells.length < place) cells.push(null)
      cells[place] = value
    }
    place++
  }
  return cells
}

/** `C7` → 2. */
function parseColumn(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64
  if (column === 0) throw new SpreadsheetError('broken')
  return column - 1
}

function parseValue(inner: string, opening: string, { shared, formats, is1904 }: Book): Cell {
  const type = findAttribute(opening, 't') ?? 'n'
  if (type === 'inlineStr') return getTexts(inner)
  const begin = inner.indexOf('<v')
  if (begin < 0) return null
  const value = inner.slice(inner.indexOf('>', begin) + 1, inner.indexOf('</v>', begin))
  if (type === 's') return shared[Number(value)] ?? null
  if (type === 'b') return value === '1'
  if (type === 'str' || type === 'e' || type === 'd') return unescapeXml(value)
  const number = Number(value)
  if (value === '' || !Number.isFinite(number)) return unescapeXml(value)
  const style = Number(findAttribute(opening, 's') ?? -1)
  if (formats.percentages.has(style)) return formatPercentage(number)
  return formats.dates.has(style) ? parseSerialDate(number, is1904) : number
}
