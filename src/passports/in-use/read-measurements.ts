/** Reads the measurements of an item: the newest values, single measurements, and sums of days or months. */

import type { InUseTable } from '../../categories/in-use/table.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import {
  fromStoredSeconds,
  type Measurement,
  type SlotValues,
  toOccasionName,
  toSourceName,
} from './measurement.ts'

/** An item of an account, on its shard. */
export type ItemPlace = { sql: Sql; accountId: number; uuid: string }

export type LatestValue = { name: string; unit: string; value: number; at: Date }

/** The newest value of each metric, in the order of the table. */
export async function readLatest(
  { sql, accountId, uuid }: ItemPlace,
  table: InUseTable,
): Promise<LatestValue[]> {
  const [row] = await sql<{ values: SlotValues; seconds: SlotValues }[]>`
    select l."values", l.seconds from measurement_latest l
    where l.account_id = ${accountId} and l.passport_id = ${uuid}`
  return row === undefined ? [] : listLatest(row, table)
}

export const listLatest = (
  { values, seconds }: { values: SlotValues; seconds: SlotValues },
  { metrics }: InUseTable,
): LatestValue[] =>
  metrics.flatMap(({ name, unit, slot }) => {
    const [value, second] = [values[slot], seconds[slot]]
    if (typeof value !== 'number' || typeof second !== 'number') return []
    return [{ name, unit, value, at: fromStoredSeconds(second) }]
  })

/** `slots`: only rows with one of these; empty: all. `to` is not included. */
export type MeasurementRange = { from?: Date | undefined; to?: Date | undefined; slots: readonly number[] }
export type MeasurementPosition = { at: Date; revision: number }

type MeasurementColumns = Omit<Measurement, 'source' | 'occasion'> & {
  source: string
  occasion: string | null
}

const isInRange = (sql: Sql, { from, to }: MeasurementRange): Fragment => sql`
  m.at >= ${from ?? FIRST}::timestamptz and m.at < ${to ?? LAST}::timestamptz`

/** Before and after every measurement. */
const FIRST = new Date(0)
const LAST = new Date(Date.UTC(9999, 0, 1))

/** The highest revision of its second. */
const isNewest = (sql: Sql): Fragment => sql`
  not exists (select from measurement n where n.account_id = m.account_id and n.passport_id = m.passport_id
    and n.at = m.at and n.revision > m.revision)`

/** Newest first. `revisions`: also those that a correction has replaced. */
export async function listMeasurements(
  { sql, accountId, uuid }: ItemPlace,
  range: MeasurementRange,
  { limit, after, revisions }: { limit: number; after?: MeasurementPosition | undefined; revisions: boolean },
): Promise<Measurement[]> {
  const slots = range.slots.map(slot => slot + 1)
  const position = after ?? { at: LAST, revision: 0 }
  const rows = await sql<MeasurementColumns[]>`
    select m.at, m.revision, m.source, m.occasion, m."values", m.stored_at from measurement m
    where m.account_id = ${accountId} and m.passport_id = ${uuid} and ${isInRange(sql, range)}
      and (m.at, m.revision) < (${position.at}::timestamptz, ${position.revision}::int)
      and (${slots.length} = 0 or exists (select from unnest(${slots}::int[]) s where m."values"[s] is not null))
      and ${revisions ? sql`true` : isNewest(sql)}
    order by m.at desc, m.revision desc limit ${limit}`
  return rows.map(row => ({
    ...row,
    source: toSourceName(row.source),
    occasion: toOccasionName(row.occasion),
  }))
}

export type Resolution = 'day' | 'month'

/** `from`: its first moment in UTC. `cells`: by slot. */
export type Bucket = { from: Date; rows: number; cells: ReadonlyMap<number, BucketCell> }
type BucketCell = { last: number; min: number; max: number }

type BucketRow = { bucket: Date; rows: number; slot: number } & BucketCell

/** Days or months with a measurement, the newest first. */
export async function listBuckets(
  { sql, accountId, uuid }: ItemPlace,
  range: MeasurementRange,
  { resolution, limit }: { resolution: Resolution; limit: number },
): Promise<Bucket[]> {
  const slots = range.slots.map(slot => slot + 1)
  const rows = await sql<BucketRow[]>`
    with newest as materialized (
      select m.at, m."values", date_trunc(${resolution}::text, m.at at time zone 'UTC') as bucket from measurement m
      where m.account_id = ${accountId} and m.passport_id = ${uuid} and ${isInRange(sql, range)} and ${isNewest(sql)}
        and (${slots.length} = 0 or exists (select from unnest(${slots}::int[]) s where m."values"[s] is not null))
    ), bucket as materialized (
      select bucket, count(*)::int as rows from newest group by bucket order by bucket desc limit ${limit}
    )
    select b.bucket at time zone 'UTC' as bucket, b.rows, (v.slot - 1)::int as slot,
      (array_agg(v.value order by n.at desc))[1] as last, min(v.value) as min, max(v.value) as max
    from bucket b join newest n on n.bucket = b.bucket
    cross join lateral unnest(n."values") with ordinality v(value, slot)
    where v.value is not null and (${slots.length} = 0 or v.slot = any(${slots}::int[]))
    group by b.bucket, b.rows, v.slot order by b.bucket desc, v.slot`
  const byBucket = Map.groupBy(rows, row => row.bucket.getTime())
  return Array.from(byBucket.values(), cells => ({
    from: cells[0]?.bucket ?? FIRST,
    rows: cells[0]?.rows ?? 0,
    cells: new Map(cells.map(({ slot, last, min, max }) => [slot, { last, min, max }])),
  }))
}

/** The last value of each slot before a time, by slot. */
export async function readLastBefore(
  { sql, accountId, uuid }: ItemPlace,
  before: Date,
  slots: readonly number[],
): Promise<Map<number, number>> {
  if (slots.length === 0) return new Map()
  const rows = await sql<{ slot: number; value: number }[]>`
    select s - 1 as slot, l.value from unnest(${slots.map(slot => slot + 1)}::int[]) s
    cross join lateral (
      select m."values"[s] as value from measurement m
      where m.account_id = ${accountId} and m.passport_id = ${uuid} and m.at < ${before}::timestamptz
        and m."values"[s] is not null and ${isNewest(sql)}
      order by m.at desc limit 1
    ) l`
  return new Map(rows.map(({ slot, value }) => [slot, value]))
}
