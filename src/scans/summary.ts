/** Summaries of a passport's or account's scans: totals, readers, countries, devices, days. */
import { listAccountShards } from '../accounts/account/account-shard.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { dayOf, formatDay } from './day.ts'
import type { Device } from './device.ts'
import { listSpans } from './spans.ts'

/** The possible ranges, in days; each ends today. */
export const SUMMARY_RANGES = ['7', '30', '90', '365'] as const

export type ScanCounts = Record<string, number>
export type DaySum = { date: string; total: number; unique: number }

export type ScanSummary = {
  total: number
  unique: number
  byCountry: ScanCounts
  byDevice: Record<Device, number>
  by_day: DaySum[]
  /** Requests of crawlers and link previews, which no other number includes. */
  crawlers: number
}
export type AccountScanSummary = ScanSummary & { byCategory: ScanCounts; byLevel: ScanCounts }

type Range = { first: number; last: number }
type Sum = {
  /** In days since 1970. */
  day: number | null
  country: string | null
  device: string | null
  scans: number
  uniques: number
}

const DEVICE_OF: Readonly<Record<string, Device>> = { m: 'mobile', t: 'tablet', d: 'desktop', o: 'other' }

const buildRange = (ctx: AccountContext, days: number): Range => {
  const last = dayOf(ctx.clock.now())
  return { first: last - days + 1, last }
}

/** Summarizes one passport, with the scans of its units if `withUnits`. The account must own `uuid`. */
export async function summarizePassport(
  ctx: AccountContext,
  { uuid, days, withUnits }: { uuid: string; days: number; withUnits: boolean },
): Promise<ScanSummary> {
  const range = buildRange(ctx, days)
  const rows = await ctx.sql<(Sum & { crawlers: number })[]>`
    select day - date '1970-01-01' as day, country, device::text, sum(scans)::bigint as scans, sum(uniques)::bigint as uniques,
      sum(crawlers)::bigint as crawlers
    from scan_day
    where passport_id = ${uuid} and account_id = ${ctx.accountId} and day >= ${formatDay(range.first)}::text::date
      and ("of" = 'o' or ${withUnits})
    group by grouping sets ((day), (country), (device))`
  const dayRows = rows.filter(row => row.day !== null)
  const listCounts = (column: 'country' | 'device') =>
    rows.flatMap(row => (row[column] === null ? [] : [[row[column], row.scans] as const]))
  return {
    ...sumDays(range, new Map(dayRows.map(row => [row.day ?? 0, row]))),
    byCountry: sortCounts(listCounts('country')),
    byDevice: fillDevices(new Map(listCounts('device').map(([letter, scans]) => [DEVICE_OF[letter], scans]))),
    crawlers: dayRows.reduce((sum, row) => sum + row.crawlers, 0),
  }
}

/** Each column is a text like `{1,2}`, or null. One row for a year takes a fifth of the time of 365 rows. */
type AccountSums = {
  /** In days since 1970. */
  days: string | null
  scans: string | null
  uniques: string | null
  crawlers: string | null
  /** The counts of each span as JSON. */
  counts: string | null
}

export async function summarizeAccount(
  ctx: AccountContext,
  { days }: { days: number },
): Promise<AccountScanSummary> {
  const range = buildRange(ctx, days)
  const all = await Promise.all(listAccountShards(ctx).map(at => readSums(at, range)))
  const counts = sumCounts(all.flatMap(sums => JSON.parse(sums?.counts ?? '[]')))
  const listCounts = (dimension: string) =>
    [...counts]
      .filter(([key]) => key.startsWith(`${dimension}:`))
      .map(([key, scans]) => [key.slice(dimension.length + 1), scans] as const)
  return {
    ...sumDays(range, parseDays(all)),
    byCountry: sortCounts(listCounts('country')),
    byDevice: fillDevices(new Map(listCounts('device'))),
    byCategory: sortCounts(listCounts('category')),
    byLevel: { model: 0, batch: 0, item: 0, ...Object.fromEntries(listCounts('level')) },
    crawlers: all.flatMap(sums => parseNumbers(sums?.crawlers)).reduce((sum, n) => sum + n, 0),
  }
}

async function readSums(ctx: AccountContext, range: Range): Promise<AccountSums | undefined> {
  const spans = listSpans(range.first, range.last)
  const [sums] = await ctx.sql<AccountSums[]>`
    select d.*, (
      select '[' || string_agg(s.counts::text, ',') || ']'
      from unnest(
        ${spans.map(span => span.days)}::int[]::smallint[], ${spans.map(span => formatDay(span.first))}::text[]::date[]
      ) as u(days, first_day)
      join scan_account_span s on s.account_id = ${ctx.accountId} and s.days = u.days and s.first_day = u.first_day
    ) as counts
    from (
      select array_agg(first_day - date '1970-01-01')::text as days, array_agg(scans)::text as scans,
        array_agg(uniques)::text as uniques, array_agg(crawlers)::text as crawlers
      from scan_account_span
      where account_id = ${ctx.accountId} and days = 1 and first_day >= ${formatDay(range.first)}::text::date
        and first_day <= ${formatDay(range.last)}::text::date
    ) d`
  return sums
}

const parseNumbers = (column: string | null | undefined): number[] =>
  JSON.parse(`[${column?.slice(1, -1) ?? ''}]`)

function parseDays(
  all: readonly (AccountSums | undefined)[],
): Map<number, { scans: number; uniques: number }> {
  const days = new Map<number, { scans: number; uniques: number }>()
  for (const sums of all) {
    const [scans, uniques] = [parseNumbers(sums?.scans), parseNumbers(sums?.uniques)]
    for (const [i, day] of parseNumbers(sums?.days).entries()) {
      const sum = days.get(day) ?? { scans: 0, uniques: 0 }
      days.set(day, { scans: sum.scans + (scans[i] ?? 0), uniques: sum.uniques + (uniques[i] ?? 0) })
    }
  }
  return days
}

/** Sums up counts such as `country:DE`. */
function sumCounts(all: readonly ScanCounts[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const counts of all) {
    for (const [key, scans] of Object.entries(counts)) sums.set(key, (sums.get(key) ?? 0) + scans)
  }
  return sums
}

function sumDays({ first, last }: Range, sums: ReadonlyMap<number, { scans: number; uniques: number }>) {
  const series = Array.from({ length: last - first + 1 }, (_, i): DaySum => {
    const sum = sums.get(first + i)
    return { date: formatDay(first + i), total: sum?.scans ?? 0, unique: sum?.uniques ?? 0 }
  })
  const total = series.reduce((sum, day) => sum + day.total, 0)
  return { total, unique: series.reduce((sum, day) => sum + day.unique, 0), by_day: series }
}

const sortCounts = (counts: readonly (readonly [string, number])[]): ScanCounts =>
  Object.fromEntries(
    counts.filter(([, scans]) => scans > 0).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)),
  )

const fillDevices = (counts: ReadonlyMap<string | undefined, number>): Record<Device, number> => {
  const count = (device: Device) => counts.get(device) ?? 0
  return {
    mobile: count('mobile'),
    tablet: count('tablet'),
    desktop: count('desktop'),
    other: count('other'),
  }
}
