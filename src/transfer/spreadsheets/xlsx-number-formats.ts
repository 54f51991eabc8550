/**
 * Dates and percentages in XLSX are plain numbers, of days and of hundredths. Only their style says what they are
 * (ECMA-376 part 1, 18.8.30 and 18.17.4).
 */
import { findAttribute } from './xlsx-text.ts'

const LONGEST_CODE = 255

/** Number formats that every program knows without being told, and that show a date. */
const isDateBuiltIn = (id: number) =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

const isPercentBuiltIn = (id: number) => id === 9 || id === 10

/** The indexes of cell styles that show a date, and of those that show a percentage. */
export type NumberFormats = { dates: ReadonlySet<number>; percentages: ReadonlySet<number> }

export function parseNumberFormats(styles: string): NumberFormats {
  const [ownDates, ownPercentages] = [new Set<number>(), new Set<number>()]
  for (const tag of styles.match(/<(?:\w+:)?numFmt\b[^<>]*/g) ?? []) {
    const id = Number(findAttribute(tag, 'numFmtId'))
    const shown = (findAttribute(tag, 'formatCode') ?? '')
      .slice(0, LONGEST_CODE)
      .replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    if (/[yd]/i.test(shown)) ownDates.add(id)
    else if (shown.includes('%')) ownPercentages.add(id)
  }
  const begin = styles.search(/<(?:\w+:)?cellXfs\b/)
  const end = styles.search(/<\/(?:\w+:)?cellXfs>/)
  const [dates, percentages] = [new Set<number>(), new Set<number>()]
  const formats = begin < 0 || end < begin ? [] : styles.slice(begin, end).match(/<(?:\w+:)?xf\b[^<>]*/g)
  for (const [index, xf] of (formats ?? []).entries()) {
    const id = Number(findAttribute(xf, 'numFmtId') ?? 0)
    if (isDateBuiltIn(id) || ownDates.has(id)) dates.add(index)
    else if (isPercentBuiltIn(id) || ownPercentages.has(id)) percentages.add(index)
  }
  return { dates, percentages }
}

const PRECISION = 15

/**
 * `98.5 %` for 0.985: what the program shows, and what the same sheet has when it is saved as CSV. Three decimals get a
 * zero behind them, so that nobody takes "98.125" for thousands.
 */
export function formatPercentage(fraction: number): string {
  const digits = String(Number((fraction * 100).toPrecision(PRECISION)))
  return `${/\.\d{3}$/.test(digits) ? `${digits}0` : digits} %`
}

const DAY_MS = 86_400_000
/** Day 0 of either calendar; that of 1900 counts a 29 February that there was not. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** `YYYY-MM-DD`, or the number itself when it is no day. */
export function parseSerialDate(serial: number, is1904: boolean): string | number {
  const day = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.floor(serial) * DAY_MS)
  const year = day.getUTCFullYear()
  return year >= 1900 && year <= 9999 ? day.toISOString().slice(0, 10) : serial
}
