/**
 * A sheet of an XLSX file, row by row. What other readers hold in memory whole (650 MB for 50,000 rows of 30
 * columns, and 13 s in which nothing else runs) passes through here in pieces of 64 kB.
 */
import { StringDecoder } from 'node:string_decoder'
import type { Cell } from './cell.ts'
import { SpreadsheetError } from './spreadsheet-error.ts'
import { MAX_COLUMNS, MAX_RAW_ROWS, type SheetRow } from './spreadsheet-limits.ts'
import { ZipParts } from './unzip.ts'
import {
  formatPercentage,
  type NumberFormats,
  parseNumberFormats,
  parseSerialDate,
} from './xlsx-number-formats.ts'
import { findAttribute, getTexts, unescapeXml } from './xlsx-text.ts'

/** Security bounds, in bytes: 100,000 rows of 40 columns unpack to some 250 MB. */
const MOST_UNPACKED = 400 * 1024 * 1024
const MOST_SHARED = 96 * 1024 * 1024
/** Millions of texts of one letter are few bytes and much work: 5,000,000 took minutes. */
const MOST_TEXTS = 1_500_000
const MOST_SMALL = 8 * 1024 * 1024
const LONGEST_ROW = 4 * 1024 * 1024

const ROWS = { longest: LONGEST_ROW, most: MAX_RAW_ROWS }
const TEXTS = { longest: LONGEST_ROW, most: MOST_TEXTS }

type Book = { shared: readonly string[]; formats: NumberFormats; is1904: boolean }

/** More sheets than this are not looked at. */
const MOST_SHEETS = 50
const LONGEST_NAME = 200

export type WorkbookSheet = { name: string; path: string }

/** The sheets to choose from, as the program's tabs have them: those that are shown and not empty. Throws `SheetFault`. */
export async function listXlsxSheets(bytes: Buffer): Promise<WorkbookSheet[]> {
  const parts = new ZipParts(bytes, MOST_UNPACKED)
  if (!parts.has('xl/workbook.xml')) throw new SpreadsheetError('other_zip')
  const shown = await shownSheets(parts, await parts.text('xl/workbook.xml', MOST_SMALL))
  const full: WorkbookSheet[] = []
  for (const sheet of shown.slice(0, MOST_SHEETS)) {
    if (!full.some(({ name }) => name === sheet.name) && (await hasCells(parts, sheet.path))) full.push(sheet)
  }
  return full.length > 0 ? full : shown.slice(0, 1)
}

/** What is wrong with a sheet is told when it is read. */
async function hasCells(parts: ZipParts, path: string): Promise<boolean> {
  try {
    for await (const some of elements(parts, path, 'row', ROWS))
      if (some.some(xml => /<[vt][ >]/.test(xml))) return true
    return false
  } catch (error) {
    if (error instanceof SpreadsheetError) return true
    throw error
  }
}

/** `path` is one of `xlsxSheets`. Throws `SheetFault`. */
export async function* readXlsxRows(bytes: Buffer, path: string): AsyncGenerator<SheetRow> {
  const parts = new ZipParts(bytes, MOST_UNPACKED)
  const workbook = await parts.text('xl/workbook.xml', MOST_SMALL)
  const book: Book = {
    shared: await sharedTexts(parts),
    formats: parseNumberFormats(await parts.text('xl/styles.xml', MOST_SMALL)),
    is1904: /<(?:\w+:)?workbookPr\b[^<>]*\bdate1904="(?:1|true)"/.test(workbook),
  }
  let before = 0
  for await (const some of elements(parts, path, 'row', ROWS)) {
    for (const xml of some) {
      const opening = xml.slice(0, xml.indexOf('>') + 1)
      const no = Number(findAttribute(opening, 'r') ?? before + 1)
      if (!Number.isSafeInteger(no) || no <= before) throw new SpreadsheetError('broken')
      before = no
      yield { no, cells: cellsOf(xml, book) }
    }
  }
}

/** In the order of the program's tabs; when all are hidden, the first. */
async function shownSheets(parts: ZipParts, workbook: string): Promise<WorkbookSheet[]> {
  const all: string[] = workbook.match(/<(?:\w+:)?sheet\b[^<>]*>/g) ?? []
  const shown = all.filter(sheet => !/\bstate="(?:hidden|veryHidden)"/.test(sheet))
  const relations = await parts.text('xl/_rels/workbook.xml.rels', MOST_SMALL)
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
      .slice(0, LONGEST_NAME)
    return { name, path }
  })
}

async function sharedTexts(parts: ZipParts): Promise<string[]> {
  const texts: string[] = []
  let size = 0
  for await (const some of elements(parts, 'xl/sharedStrings.xml', 'si', TEXTS)) {
    for (const xml of some) {
      size += xml.length
      if (size > MOST_SHARED) throw new SpreadsheetError('too_much')
      texts.push(getTexts(xml))
    }
  }
  return texts
}

/** Each `<name …>…</name>` of a part, which does not stand in itself; a prefix of the namespace is taken off. */
async function* elements(
  parts: ZipParts,
  part: string,
  name: string,
  { longest, most }: { longest: number; most: number },
): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let prefix: string | undefined
  let rest = ''
  let count = 0
  for await (const piece of parts.read(part)) {
    rest += decoder.write(piece)
    prefix ??= /<(\w+:)?(?:worksheet|sst)\b/.exec(rest)?.[1] ?? (rest.length > 2_000 ? '' : undefined)
    const plain = prefix ? rest.replaceAll(`<${prefix}`, '<').replaceAll(`</${prefix}`, '</') : rest
    const { found, left } = cut(plain, name)
    count += found.length
    if (count > most) throw new SpreadsheetError('too_much')
    yield found
    if (left.length > longest) throw new SpreadsheetError('too_long')
    rest = left
  }
  if (rest.includes(`<${name} `) || rest.includes(`<${name}>`)) yield cut(rest, name).found
}

/** `most`: after so many the rest is left. */
function cut(text: string, name: string, most = Number.POSITIVE_INFINITY): { found: string[]; left: string } {
  const found: string[] = []
  const close = `</${name}>`
  let at = 0
  for (;;) {
    const begin = startOf(text, name, at)
    if (begin < 0 || found.length >= most) return { found, left: tailOf(text, at) }
    const tag = text.indexOf('>', begin)
    if (tag < 0) return { found, left: text.slice(begin) }
    const isBare = text[tag - 1] === '/'
    const end = isBare ? tag + 1 : text.indexOf(close, tag) + close.length
    if (end < close.length + tag && !isBare) return { found, left: text.slice(begin) }
    found.push(text.slice(begin, end))
    at = end
  }
}

/** What may yet become a tag. */
function tailOf(text: string, from: number): string {
  const tag = text.lastIndexOf('<')
  return tag < from ? '' : text.slice(tag)
}

/** Where `<name` begins a tag of just that name. */
function startOf(text: string, name: string, from: number): number {
  for (let at = text.indexOf(`<${name}`, from); at >= 0; at = text.indexOf(`<${name}`, at + 1)) {
    const next = text[at + name.length + 1]
    if (next === '>' || next === '/' || next === ' ' || next === '\n' || next === '\r' || next === '\t')
      return at
    if (next === undefined) return at
  }
  return -1
}

function cellsOf(row: string, book: Book): Cell[] {
  const cells: Cell[] = []
  let place = 0
  const { found } = cut(row.slice(row.indexOf('>') + 1), 'c', MAX_COLUMNS + 1)
  for (const xml of found) {
    const opening = xml.slice(0, xml.indexOf('>') + 1)
    const named = findAttribute(opening, 'r')
    place = named === undefined ? place : columnOf(named)
    if (place >= MAX_COLUMNS) throw new SpreadsheetError('too_many_columns')
    const value = cellValue(xml.slice(opening.length), opening, book)
    // A million rows whose last column is empty are no work.
    if (value !== null) {
      while (cells.length < place) cells.push(null)
      cells[place] = value
    }
    place++
  }
  return cells
}

/** `C7` → 2. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64
  if (column === 0) throw new SpreadsheetError('broken')
  return column - 1
}

function cellValue(inner: string, opening: string, { shared, formats, is1904 }: Book): Cell {
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
