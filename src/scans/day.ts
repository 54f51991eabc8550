/** Days and hours of scans are UTC's, counted from 1970: a day is a number until it meets SQL. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const HOURS_PER_DAY = 24

export const dayOf = (time: Date | number): number => Math.floor(Number(time) / DAY_MS)
export const hourOf = (time: Date | number): number => Math.floor(Number(time) / HOUR_MS)

const texts = new Map<number, string>()
const MAX_CACHED_DAYS = 1_000

/** `2026-11-21`, as SQL and the doors write it; a batch asks for the same few thousands of times. */
export function formatDay(day: number): string {
  let text = texts.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10)
    if (texts.size >= MAX_CACHED_DAYS) texts.clear()
    texts.set(day, text)
  }
  return text
}

/** The beginning of an hour, for SQL. */
export const formatHour = (hour: number): string => new Date(hour * HOUR_MS).toISOString()
