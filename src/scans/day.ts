/** Days and hours of scans as numbers: in UTC, counted from 1970. */
import { BoundedMap } from '../kernel/values/bounded-map.ts'

const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const HOURS_PER_DAY = 24

export const dayOf = (time: Date | number): number => Math.floor(Number(time) / DAY_MS)
export const hourOf = (time: Date | number): number => Math.floor(Number(time) / HOUR_MS)

const dayTexts = new BoundedMap<number, string>(1_000)

/** `2026-11-21`. Cached, because a batch formats the same few days thousands of times. */
export function formatDay(day: number): string {
  let text = dayTexts.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10)
    dayTexts.set(day, text)
  }
  return text
}

export const formatHour = (hour: number): string => new Date(hour * HOUR_MS).toISOString()
