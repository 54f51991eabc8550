/**
 * Dates and percentages of XLSX: plain numbers whose style has such a format (ECMA-376 part 1, 18.8.30,
 * 18.17.4).
 */
import { findAttribute } from './xlsx-text.ts'

const MAX_FORMAT_LENGTH = 255

/** Built-in number formats that show a date. */
const isDateBuiltIn = (id: number) =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Indexes of the cell styles that show a date or a percentage. */
export type NumberFormats = { dates: ReadonlySet<number>; percentages: ReadonlySet<number> }

export function parseNumberFormats(styles: string): NumberFormats {
  const [ownDates, ownPercentages] = [new Set<number>(), new Set<number>()]
  for (const tag of styles.match(/<(?:\w+:)?numFmt\b[^<>]*/g) ?? []) {
    const id = Number(findAttribute(tag, 'numFmtId'))
    const shown = (findAttribute(tag, 'formatCode') ?? '')
      .slice(0, MAX_FORMAT_LENGTH)
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
    else if (id === 9 || id === 10 || ownPercentages.has(id)) percentages.add(index)
  }
  return { dates, percentages }
}

const PRECISION = 15

/**
 * `98.5 %` for 0.985, as in CSV. Three decimals get an extra zero, so that "98.125" is not read as thousands.
 */
export function formatPercentage(fraction: number): string {
  const digits = String(Number((fraction * 100).toPrecision(PRECISION)))
  return `${/\.\d{3}$/.test(digits) ? `${digits}0` : digits} %`
}

const DAY_MS = 86_400_000
/** Day 0 of either date system; the 1900 system counts a 29 February that did not exist. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** Returns `YYYY-MM-DD`, or the number itself if it is not a date. */
export function parseSerialDate(serial: number, is1904: boolean): string | number {
  const day = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.floor(serial) * DAY_MS)
  const year = day.getUTCFullYear()
  return year >= 1900 && year <= 9999 ? day.toISOString().slice(0, 10) : serial
}
