/** What an account learns of its scans: totals, uniques, countries, devices and days, of one passport or of all. */
import type { AccountContext } from '../accounts/context.ts'
import { dayOf, dayText } from './day.ts'
import { DEVICES, type Device } from './device.ts'
import { spansBetween } from './spans.ts'

/** The ranges there are, in days; today is the last of them. */
export const RANGES = ['7', '30', '90', '365'] as const

export type Counts = Record<string, number>
export type DaySum = { date: string; total: number; unique: number }

export type ScanSummary = {
  total: number
  unique: number
  byCountry: Counts
  byDevice: Record<Device, number>
  /** Every day of the range, also those without a scan. */
  by_day: DaySum[]
  /** Fetched by crawlers and link previews; in no other number. */
  crawlers: number
}
export type AccountScanSummary = ScanSummary & { byCategory: Counts; byLevel: Counts }

type Range = { first: number; last: number }
type Sum = {
  day: string | null
  country: string | null
  device: string | null
  scans: number
  uniques: number
}

const DEVICE_OF: Readonly<Record<string, Device>> = { m: 'mobile', t: 'tablet', d: 'desktop', o: 'other' }

const rangeOf = (ctx: AccountContext, days: number): Range => {
  const last = dayOf(ctx.clock.now())
  return { first: last - days + 1, last }
}

/** The scans of one passport of the account, with those of the units under it if asked. `uuid` is one the account has. */
export async function summarizePassport(
  ctx: AccountContext,
  { uuid, days, withUnits }: { uuid: string; days: number; withUnits: boolean },
): Promise<ScanSummary> {
  const range = rangeOf(ctx, days)
  const rows = await ctx.sql<(Sum & { crawlers: number })[]>`
    select day::text, country, device::text, sum(scans)::bigint as scans, sum(uniques)::bigint as uniques,
      sum(crawlers)::bigint as crawlers
    from scan_day
    where passport_id = ${uuid} and account_id = ${ctx.accountId} and day >= ${dayText(range.first)}::text::date
      and ("of" = 'o' or ${withUnits})
    group by grouping sets ((day), (country), (device))`
  const inDays = rows.filter(row => row.day !== null)
  const counts = (word: 'country' | 'device') =>
    rows.flatMap(row => (row[word] === null ? [] : [[row[word], row.scans] as const]))
  return {
    ...sumDays(range, new Map(inDays.map(row => [row.day ?? '', row]))),
    byCountry: descending(counts('country')),
    byDevice: devices(new Map(counts('device').map(([letter, scans]) => [DEVICE_OF[letter], scans]))),
    crawlers: inDays.reduce((sum, row) => sum + row.crawlers, 0),
  }
}

type AccountSums = {
  /** `day scans uniques crawlers`, days since 1970, parted by commas: a year as one value costs a fifth of 365 rows. */
  days: string | null
  /** The counts of each span as JSON. */
  counts: string | null
}

/** The scans of all passports of the account. */
export async function summarizeAccount(
  ctx: AccountContext,
  { days }: { days: number },
): Promise<AccountScanSummary> {
  const range = rangeOf(ctx, days)
  const spans = spansBetween(range.first, range.last)
  const [sums] = await ctx.sql<AccountSums[]>`
    select (
      select string_agg(concat_ws(' ', first_day - date '1970-01-01', scans, uniques, crawlers), ',')
      from scan_account_span
      where account_id = ${ctx.accountId} and days = 1 and first_day >= ${dayText(range.first)}::text::date
        and first_day <= ${dayText(range.last)}::text::date
    ) as days, (
      select '[' || string_agg(s.counts::text, ',') || ']'
      from unnest(
        ${spans.map(span => span.days)}::int[]::smallint[], ${spans.map(span => dayText(span.first))}::text[]::date[]
      ) as u(days, first_day)
      join scan_account_span s on s.account_id = ${ctx.accountId} and s.days = u.days and s.first_day = u.first_day
    ) as counts`
  const inDays = (sums?.days ?? '').split(',').filter(Boolean).map(readDay)
  const counts = addUp(JSON.parse(sums?.counts ?? '[]') as Counts[])
  const keyed = (word: string) => counts.get(word) ?? []
  return {
    ...sumDays(range, new Map(inDays.map(day => [day.date, day]))),
    byCountry: descending(keyed('country')),
    byDevice: devices(new Map(keyed('device'))),
    byCategory: descending(keyed('category')),
    byLevel: { model: 0, batch: 0, item: 0, ...Object.fromEntries(keyed('level')) },
    crawlers: inDays.reduce((sum, day) => sum + day.crawlers, 0),
  }
}

function readDay(text: string) {
  const [day = 0, scans = 0, uniques = 0, crawlers = 0] = text.split(' ').map(Number)
  return { date: dayText(day), scans, uniques, crawlers }
}

/** The sums of `country:DE` and the like, under the word before the colon. */
function addUp(all: readonly Counts[]): Map<string, [string, number][]> {
  const sums = new Map<string, number>()
  for (const counts of all) {
    for (const [key, scans] of Object.entries(counts)) sums.set(key, (sums.get(key) ?? 0) + scans)
  }
  const byWord = new Map<string, [string, number][]>()
  for (const [key, scans] of sums) {
    const colon = key.indexOf(':')
    const word = key.slice(0, colon)
    byWord.set(word, [...(byWord.get(word) ?? []), [key.slice(colon + 1), scans]])
  }
  return byWord
}

function sumDays({ first, last }: Range, sums: ReadonlyMap<string, { scans: number; uniques: number }>) {
  const series = Array.from({ length: last - first + 1 }, (_, i): DaySum => {
    const date = dayText(first + i)
    const sum = sums.get(date)
    return { date, total: sum?.scans ?? 0, unique: sum?.uniques ?? 0 }
  })
  const total = series.reduce((sum, day) => sum + day.total, 0)
  return { total, unique: series.reduce((sum, day) => sum + day.unique, 0), by_day: series }
}

/** The most first; what was never scanned is left out. */
const descending = (counts: readonly (readonly [string, number])[]): Counts =>
  Object.fromEntries(
    counts.filter(([, scans]) => scans > 0).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)),
  )

const devices = (counts: ReadonlyMap<string | undefined, number>): Record<Device, number> => {
  const all = Object.fromEntries(DEVICES.map(device => [device, counts.get(device) ?? 0]))
  return all as Record<Device, number>
}
