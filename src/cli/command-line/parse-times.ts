/** Parses times as people type them: a date, a date-time, or a span from now. */
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { UsageError } from './command.ts'

const SPAN = /^(\d{1,6})([dhm])$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})?$/
const DAY_MS = 86_400_000
const UNIT_MS: Readonly<Record<string, number>> = { d: DAY_MS, h: 3_600_000, m: 60_000 }
/** A later expiry is a typing error. */
const MAX_EXPIRY_MS = 100 * 365.25 * DAY_MS

const MAX_SPAN_MS = 365 * DAY_MS

/** The meaning of `D` in a usage line. */
export const EXPIRY_HINT = 'a date (it ends at 0:00 UTC), a date-time, or a span such as 7d, 12h, 30m'

/**
 * Parses `2027-01-31` (0:00 UTC), `2027-01-31T12:00:00+01:00` (UTC without an offset), or `7d`, `12h`, `30m`
 * from `now`. Throws UsageError for anything else, for the past, and beyond 100 years.
 */
export function parseExpiry(text: string, now: Date): Date {
  const moment = findTime(text, now, 1)
  if (moment === undefined) throw new UsageError(`--expires is "${text}": it must be ${EXPIRY_HINT}.`)
  const ahead = moment.getTime() - now.getTime()
  if (ahead <= 0) throw new UsageError(`--expires is "${text}": that is in the past.`)
  if (ahead > MAX_EXPIRY_MS)
    throw new UsageError(`--expires is "${text}": that is more than 100 years ahead.`)
  return moment
}

/** The milliseconds of a span such as `7d`, `12h`, `30m`; at most a year. Throws UsageError. */
export function parseSpan(option: string, text: string): number {
  const span = findSpanMs(text)
  if (span !== undefined && span <= MAX_SPAN_MS) return span
  throw new UsageError(`--${option} is "${text}": it must be a span such as 7d, 12h or 30m, at most 365d.`)
}

/** The meaning of `D` for a time in the past. */
export const SINCE_HINT = 'a date, a date-time, or a span such as 7d, 12h, 30m before now'

/** Parses a time in the past. A span counts back from `now`. Throws UsageError. */
export function parseSince(text: string, now: Date): Date {
  const moment = findTime(text, now, -1)
  if (moment === undefined) throw new UsageError(`--since is "${text}": it must be ${SINCE_HINT}.`)
  if (moment > now) throw new UsageError(`--since is "${text}": that is in the future.`)
  return moment
}

function findTime(text: string, now: Date, direction: 1 | -1): Date | undefined {
  const span = findSpanMs(text)
  if (span !== undefined) return new Date(now.getTime() + direction * span)
  return DATE.test(text) || DATE_TIME.test(text) ? parseDateTime(text) : undefined
}

function findSpanMs(text: string): number | undefined {
  const [, count, unit = ''] = SPAN.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  return unitMs === undefined ? undefined : Number(count) * unitMs
}
