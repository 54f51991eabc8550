/**
 * Converts values to cells and back. An exported value is imported unchanged. A typed value is converted only
 * if its meaning is certain; otherwise it stays a text, which the validator rejects with the field's name.
 */
import type { Field } from '../../../categories/field.ts'
import { parseYesNo } from '../../../categories/names/name-lookup.ts'
import { toCanonicalName } from '../../../categories/names/recognise-names.ts'
import { readScannedGtin } from '../../../gs1/meant-gtin.ts'

/** A cell of a file. In CSV, all cells are texts. */
export type Cell = string | number | boolean | null

export type CellRows = AsyncIterable<readonly Cell[]> | readonly (readonly Cell[])[]

export const DECIMAL_MARKS = ['point', 'comma'] as const
export type DecimalMark = (typeof DECIMAL_MARKS)[number]

/**
 * Security bound: spreadsheet programs run a text with such a beginning as a formula (CWE-1236), so an
 * apostrophe is added before it. Texts with outer white space, which reading trims, and texts that begin with
 * such an apostrophe get one too.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\s]/
const TRAILING = /\s$/

const needsApostrophe = (text: string) => FORMULA.test(text) || TRAILING.test(text)

export const escapeFormula = (text: string): string => (needsApostrophe(text) ? `'${text}` : text)

/** The reverse of `escapeFormula`: removes our apostrophe, or trims a text without one. */
export function parseCellText(cell: string): string {
  if (cell.startsWith("'") && needsApostrophe(cell.slice(1))) return cell.slice(1)
  return cell.trim()
}

/** A value as a cell; null for objects and lists, whose parts have their own cells. */
export function toCell(value: unknown): Cell {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' ? escapeFormula(value) : null
}

/** Numbers with thousands separators. None begins with 0: "0.125" is an eighth with either decimal mark. */
const GROUPED = {
  point: /^[1-9]\d{0,2}(?:,\d{3})+(?=$|\.)/,
  comma: /^[1-9]\d{0,2}(?:\.\d{3})+(?=$|,)/,
} as const

/** "1.234,5 kg" with a decimal comma is 1234.5. Any other text is returned unchanged. */
export function parseNumber(text: string, mark: DecimalMark, unit = ''): number | string {
  const plain = normalizeDigits(text, mark, unit)
  return plain === undefined ? text : Number(plain)
}

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

/** Both values of an ambiguous number such as "1,234". */
export function findAmbiguousNumbers(
  text: string,
  mark: DecimalMark,
  unit = '',
): readonly [number, number] | undefined {
  const [first, second] = [parseNumber(text, mark, unit), parseNumber(text, OTHER[mark], unit)]
  if (typeof first !== 'number' || typeof second !== 'number') return undefined
  return Math.abs(first) > Math.abs(second) ? [first, second] : undefined
}

const OTHER = { point: 'comma', comma: 'point' } as const

const SINGLE_SEPARATOR = /^(\d*)([.,])(\d+)$/
const GROUPS_ONLY = /^\d{1,3}([.,])\d{3}(?:\1\d{3})+$/
const GROUPS_AND_FRACTION = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*(?!\1)([.,])\d+$/
const MARK_NAMES: Readonly<Record<string, DecimalMark>> = { '.': 'point', ',': 'comma' }
/** Security bound: longer cells are no numbers. */
const MAX_NUMBER_LENGTH = 60

/**
 * Which decimal mark a number is written with; `either` if it has two values, as "1,800" has. Undefined for
 * other texts and for numbers without a separator. A unit may follow.
 */
export function classifyNumber(text: string): DecimalMark | 'either' | undefined {
  if (text.length > MAX_NUMBER_LENGTH || !/^\s*[+-]?[\d.,]/.test(text)) return undefined
  const [, digits = ''] =
    /^[+-]?([\d.,]+)(?:e[+-]?\d{1,3})?(?:[\p{L}%].*)?$/iu.exec(text.replaceAll(/[\s\u00a0\u202f'’]/g, '')) ??
    []
  const [, whole = '', separator = '', fraction = ''] = SINGLE_SEPARATOR.exec(digits) ?? []
  const written = MARK_NAMES[separator]
  if (written !== undefined) return fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole) ? 'either' : written
  const [, grouping = ''] = GROUPS_ONLY.exec(digits) ?? []
  if (grouping !== '') return OTHER[MARK_NAMES[grouping] ?? 'point']
  return MARK_NAMES[GROUPS_AND_FRACTION.exec(digits)?.[2] ?? '']
}

/** Guesses the decimal mark from a spreadsheet's numbers; undefined if all are like "1,234". */
export function guessDecimalMark(texts: Iterable<string>): DecimalMark | undefined {
  const count = { point: 0, comma: 0, either: 0 }
  for (const text of texts) {
    const kind = classifyNumber(text)
    if (kind !== undefined) count[kind]++
  }
  if (count.point === count.comma) return undefined
  return count.point > count.comma ? 'point' : 'comma'
}

/** Dots and a year of four digits only: 01/02/2026 means two different days, depending on the country. */
const DOTTED_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/
const MONTH = /^(\d{1,2})[./](\d{4})$/

function normalizeDate(text: string): string {
  const [, day, month, year] = DOTTED_DATE.exec(text) ?? []
  if (day !== undefined) return `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`
  const [, onlyMonth, ofYear] = MONTH.exec(text) ?? []
  return onlyMonth === undefined ? text : `${ofYear}-${onlyMonth.padStart(2, '0')}`
}

export const isEmptyCell = (cell: Cell | undefined): boolean =>
  cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** Parses a cell of a field that is not a number; `path` is the field's label path. */
export function parseCell(cell: Cell, field: Field, path: string): unknown {
  if (field.type === 'boolean') {
    return typeof cell === 'boolean' ? cell : (parseYesNo(String(cell)) ?? cell)
  }
  const text = typeof cell === 'string' ? parseCellText(cell) : String(cell)
  return normalizeSpelling(toCanonicalName(path, field, text), field.format)
}

/**
 * Spreadsheet programs treat a GTIN as a number: they drop leading zeros and may append `.0`. Scanners send
 * more than the GTIN.
 */
function normalizeGtin(text: string): string {
  const scanned = readScannedGtin(text)
  if (scanned !== undefined) return scanned
  const plain = text
    .replaceAll(/[\s-]/g, '')
    .replace(/^'/, '')
    .replace(/[.,]0+$/, '')
  if (!/^\d{6,11}$/.test(plain)) return plain
  return plain.length < 9 ? plain.padStart(8, '0') : plain.padStart(12, '0')
}

export function normalizeSpelling(text: string, format: Field['format']): string {
  if (format === 'partial_date') return normalizeDate(text)
  if (format === 'gln') return text.replaceAll(/[\s-]/g, '')
  return format === 'gtin' ? normalizeGtin(text) : text
}
