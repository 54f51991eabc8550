/**
 * One value and the text of its cell, both ways. What goes out comes back equal; what people type comes in as they
 * meant it where that is certain, and otherwise stays a text, which the validator refuses by name.
 */
import type { Field } from '../../categories/field.ts'
import { parseYesNo } from '../../categories/names/name-lookup.ts'
import { toCanonicalName } from '../../categories/names/recognise-names.ts'

/** As a file has it: CSV knows texts only. */
export type Cell = string | number | boolean | null

export const DECIMAL_MARKS = ['point', 'comma'] as const
export type DecimalMark = (typeof DECIMAL_MARKS)[number]

/**
 * Security bound: a text that begins so is a formula to Excel and its like (CWE-1236), so it gets an apostrophe before
 * it. White space at an end, which people do not see and we would trim, is kept the same way; and so is an apostrophe
 * that would be taken for ours.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\s]/
const TRAILING = /\s$/

const needsApostrophe = (text: string) => FORMULA.test(text) || TRAILING.test(text)

export const escapeFormula = (text: string): string => (needsApostrophe(text) ? `'${text}` : text)

/** The opposite: what was marked is taken as it is, everything else without the white space around it. */
export function parseCellText(cell: string): string {
  if (cell.startsWith("'") && needsApostrophe(cell.slice(1))) return cell.slice(1)
  return cell.trim()
}

/** A value of the data as a cell; objects and lists have cells of their own. */
export function toCell(value: unknown): Cell {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' ? escapeFormula(value) : null
}

/** No thousands begin with 0: "0.125" is an eighth, whatever the mark. */
const GROUPED = {
  point: /^[1-9]\d{0,2}(?:,\d{3})+(?=$|\.)/,
  comma: /^[1-9]\d{0,2}(?:\.\d{3})+(?=$|,)/,
} as const

/** "1.234,5 kg" with a decimal comma is 1234.5; a text that is no number stays one. */
export function parseNumber(text: string, mark: DecimalMark, unit = ''): number | string {
  const plain = normalizeDigits(text, mark, unit)
  return plain === undefined ? text : Number(plain)
}

/** The number that a text writes, as JSON writes numbers; undefined for a text that writes none. */
export function normalizeDigits(text: string, mark: DecimalMark, unit = ''): string | undefined {
  let plain = text.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const bare = unit.replaceAll(/\s/g, '')
  if (bare !== '' && plain.toLowerCase().endsWith(bare.toLowerCase())) plain = plain.slice(0, -bare.length)
  const sign = /^[+-]/.exec(plain)?.[0] ?? ''
  let digits = plain.slice(sign.length)
  if (GROUPED[mark].test(digits)) digits = digits.replaceAll(mark === 'point' ? ',' : '.', '')
  digits = digits.replace(',', '.')
  const [, whole, fraction = '', power = ''] = /^(\d*)\.?(\d*)(e[+-]?\d{1,3})?$/i.exec(digits) ?? []
  if (whole === undefined || whole + fraction === '') return undefined
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}${power}`
}

/**
 * What a number means where its mark can be that of thousands or that of decimals: "1,234" where decimals have a point.
 * Undefined where there is only one way to read it.
 */
export function findAmbiguousNumbers(
  text: string,
  mark: DecimalMark,
  unit = '',
): readonly [number, number] | undefined {
  const [ours, theirs] = [parseNumber(text, mark, unit), parseNumber(text, OTHER[mark], unit)]
  if (typeof ours !== 'number' || typeof theirs !== 'number') return undefined
  return Math.abs(ours) > Math.abs(theirs) ? [ours, theirs] : undefined
}

const OTHER = { point: 'comma', comma: 'point' } as const

/** The mark that the numbers of a sheet speak for; undefined when none says anything: "1,234" can be both. */
export function guessDecimalMark(texts: Iterable<string>): DecimalMark | undefined {
  let [point, comma] = [0, 0]
  for (const text of texts) {
    const plain = text.replaceAll(/[\s\u00a0\u202f%]/g, '')
    if (/^[+-]?(?:\d+,(?!\d{3}$)\d+|\d{1,3}(?:\.\d{3})+,\d+)(?:e[+-]?\d+)?$/i.test(plain)) comma++
    else if (/^[+-]?(?:\d+\.(?!\d{3}$)\d+|\d{1,3}(?:,\d{3})+\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) point++
  }
  if (point === comma) return undefined
  return point > comma ? 'point' : 'comma'
}

/** `31.12.2026` and `1.2.26`? Only four-digit years after dots: 01/02/2026 is two days, depending on who reads it. */
const DOTTED_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/
const MONTH = /^(\d{1,2})[./](\d{4})$/

function normalizeDate(text: string): string {
  const [, day, month, year] = DOTTED_DATE.exec(text) ?? []
  if (day !== undefined) return `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`
  const [, onlyMonth, ofYear] = MONTH.exec(text) ?? []
  return onlyMonth === undefined ? text : `${ofYear}-${onlyMonth.padStart(2, '0')}`
}

/** Whether a cell says nothing. */
export const isEmptyCell = (cell: Cell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** The value of a cell for a field that is no number; `path` as the labels have it. */
export function parseCell(cell: Cell, field: Field, path: string): unknown {
  if (field.type === 'boolean') {
    return typeof cell === 'boolean' ? cell : (parseYesNo(String(cell)) ?? cell)
  }
  const text = typeof cell === 'string' ? parseCellText(cell) : String(cell)
  return normalizeSpelling(toCanonicalName(path, field, text), field.format)
}

/** Spreadsheets take a GTIN for a number and drop its zeros in front, and may put `.0` behind it. */
function normalizeGtin(text: string): string {
  const plain = text
    .replaceAll(/[\s-]/g, '')
    .replace(/^'/, '')
    .replace(/[.,]0+$/, '')
  if (!/^\d{6,11}$/.test(plain)) return plain
  return plain.length < 9 ? plain.padStart(8, '0') : plain.padStart(12, '0')
}

/** Dates and numbers of goods and places as people write them, in the one way that is kept; other texts as they are. */
export function normalizeSpelling(text: string, format: Field['format']): string {
  if (format === 'partial_date') return normalizeDate(text)
  if (format === 'gln') return text.replaceAll(/[\s-]/g, '')
  return format === 'gtin' ? normalizeGtin(text) : text
}
