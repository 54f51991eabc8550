/** Dates in XLSX are numbers of days; only their style says that they are dates (ECMA-376 part 1, 18.8.30 and 18.17.4). */
import { attribute } from './xml-text.ts'

const LONGEST_CODE = 255

/** Number formats that every program knows without being told, and that show a date. */
const isBuiltIn = (id: number) =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** The indexes of cell styles that show a date. */
export function readDateStyles(styles: string): ReadonlySet<number> {
  const own = new Set<number>()
  for (const tag of styles.match(/<(?:\w+:)?numFmt\b[^<>]*/g) ?? []) {
    const id = attribute(tag, 'numFmtId')
    const shown = (attribute(tag, 'formatCode') ?? '')
      .slice(0, LONGEST_CODE)
      .replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    if (/[yd]/i.test(shown)) own.add(Number(id))
  }
  const begin = styles.search(/<(?:\w+:)?cellXfs\b/)
  const end = styles.search(/<\/(?:\w+:)?cellXfs>/)
  const dates = new Set<number>()
  if (begin < 0 || end < begin) return dates
  const formats = styles.slice(begin, end).match(/<(?:\w+:)?xf\b[^<>]*/g) ?? []
  for (const [index, xf] of formats.entries()) {
    const id = Number(attribute(xf, 'numFmtId') ?? 0)
    if (isBuiltIn(id) || own.has(id)) dates.add(index)
  }
  return dates
}

const DAY_MS = 86_400_000
/** Day 0 of either calendar; that of 1900 counts a 29 February that there was not. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** `YYYY-MM-DD`, or the number itself when it is no day. */
export function dateFromSerial(serial: number, is1904: boolean): string | number {
  const day = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.floor(serial) * DAY_MS)
  const year = day.getUTCFullYear()
  return year >= 1900 && year <= 9999 ? day.toISOString().slice(0, 10) : serial
}
