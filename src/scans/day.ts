/** Days and hours of scans are UTC's, counted from 1970: a day is a number until it meets SQL. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const HOURS_A_DAY = 24

export const dayOf = (time: Date | number): number => Math.floor(Number(time) / DAY_MS)
export const hourOf = (time: Date | number): number => Math.floor(Number(time) / HOUR_MS)

/** `2026-11-21`, as SQL and the doors write it. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The beginning of an hour, for SQL. */
export const hourText = (hour: number): string => new Date(hour * HOUR_MS).toISOString()
