/**
 * Writes one batch in one transaction: sums, new readers, milestones and suspicions. The column `uniques` is
 * the number of readers that were new on their day.
 */

import { formatUnquotedArray } from '../kernel/db/array-types.ts'
import type { Sql } from '../kernel/db/database.ts'
import { getShard } from '../kernel/db/shards.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
import type { Clock } from '../kernel/values/clock.ts'
import type { ScanBatch, ScanCounter } from './batch.ts'
import { formatDay } from './day.ts'
import type { SettingsCache } from './settings.ts'
import { getSpanStart, SPAN_DAYS } from './spans.ts'
import { recordItemVisits } from './suspect-clones.ts'
import { addTotals } from './totals.ts'

export type BatchWriter = {
  sql: Sql
  clock: Clock
  id: string
  settings: SettingsCache
}

/**
 * Writes the batch, unless an earlier attempt has written it. Rows are locked in the order of their keys,
 * table after table, so that processes cannot deadlock; the account's shared sums come last.
 */
export async function writeBatch(writer: BatchWriter, batch: ScanBatch): Promise<void> {
  await inTransaction(getShard(writer.sql, batch.shard), async tx => {
    if (!(await takeBatch(tx, writer, batch))) return
    const newReaders = await countNewReaders(tx, batch)
    await addDayRows(tx, batch, newReaders)
    await addTotals(tx, writer.clock.now(), batch)
    await recordItemVisits(tx, writer, batch)
    await addModelSpans(tx, batch)
    await addAccountSpans(tx, batch, newReaders)
  })
}

/**
 * False if the batch is already written. Allows only index scans and nested loops in this transaction,
 * because a plan may be cached from when the tables were empty.
 */
async function takeBatch(tx: Sql, { id, clock }: BatchWriter, batch: ScanBatch): Promise<boolean> {
  const number = batch.number ?? 0
  await tx`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`
  const claimed = await tx`
    insert into scan_writer as w (id, last_batch, wrote_at) values (${id}, ${number}, ${clock.now()})
    on conflict (id) do update set last_batch = excluded.last_batch, wrote_at = excluded.wrote_at
    where w.last_batch < excluded.last_batch returning w.id`
  return claimed.length === 1
}

/** Stores the readers and counts the new ones for each slot. Values are not quoted: there are thousands. */
async function countNewReaders(tx: Sql, { counters, readers }: ScanBatch): Promise<Map<number, number>> {
  const all = [...counters.values()]
  const rows = await tx<{ slot: number; n: number }[]>`
    with fresh as (
      insert into scan_visitor (day, account_id, slot, visitor)
      select (select ${all.map(one => formatDay(one.day))}::text[]::date[])[slot + 1] as day,
        (select ${all.map(one => one.passport.account_id)}::int[])[slot + 1] as account_id, slot, visitor
      from unnest(
        ${formatUnquotedArray([...readers.values()])}::text::int[], ${formatUnquotedArray([...readers.keys()])}::text::uuid[]
      ) as u(slot, visitor) order by day, account_id, visitor
      on conflict (day, account_id, visitor) do nothing returning slot
    )
    select slot, count(*)::int as n from fresh group by slot`
  return new Map(rows.map(({ slot, n }) => [slot, n]))
}

type DayRow = {
  passportId: string
  /** o: own scans. u: scans of its units. */
  of: 'o' | 'u'
  counter: ScanCounter
  scans: number
  uniques: number
  crawlers: number
}

/** Builds a row for each scanned passport, and rows for its model and batch. */
function buildDayRows({ counters }: ScanBatch, newReaders: ReadonlyMap<number, number>): DayRow[] {
  const rows = new Map<string, DayRow>()
  const add = (passportId: string, of: 'o' | 'u', counter: ScanCounter) => {
    const key = `${passportId}${of}${counter.country}${counter.device}${counter.day}`
    const row = rows.get(key) ?? { passportId, of, counter, scans: 0, uniques: 0, crawlers: 0 }
    row.scans += counter.scans
    row.uniques += newReaders.get(counter.slot) ?? 0
    row.crawlers += counter.crawlers
    rows.set(key, row)
  }
  for (const counter of counters.values()) {
    const { id, level, model_id: modelId, parent_id: parentId } = counter.passport
    add(id, 'o', counter)
    if (level !== 'm') add(modelId, 'u', counter)
    if (level === 'i' && parentId !== null && parentId !== modelId) add(parentId, 'u', counter)
  }
  return [...rows.values()]
}

async function addDayRows(tx: Sql, batch: ScanBatch, newReaders: ReadonlyMap<number, number>): Promise<void> {
  const rows = buildDayRows(batch, newReaders)
  await tx`
    insert into scan_day as d (account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
    select * from unnest(
      ${rows.map(row => row.counter.passport.account_id)}::int[], ${rows.map(row => formatDay(row.counter.day))}::text[]::date[],
      ${rows.map(row => row.scans)}::int[], ${rows.map(row => row.uniques)}::int[],
      ${rows.map(row => row.crawlers)}::int[], ${rows.map(row => row.passportId)}::text[]::uuid[],
      ${rows.map(row => row.of)}::text[]::"char"[], ${rows.map(row => row.counter.device[0] ?? 'o')}::text[]::"char"[],
      ${rows.map(row => row.counter.country)}::text[]
    ) as u(account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
    order by passport_id, day, "of", country, device, account_id
    on conflict (passport_id, day, "of", country, device, account_id) do update
    set scans = d.scans + excluded.scans, uniques = d.uniques + excluded.uniques, crawlers = d.crawlers + excluded.crawlers`
}

type ModelDay = { accountId: number; modelId: string; day: number; scans: number }

function buildModelDays({ counters }: ScanBatch): ModelDay[] {
  const rows = new Map<string, ModelDay>()
  for (const { passport, day, scans } of counters.values()) {
    if (scans === 0) continue
    const { account_id: accountId, level, id, model_id } = passport
    const modelId = level === 'm' ? id : model_id
    const key = `${modelId}${day}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { accountId, modelId, day, scans })
    else row.scans += scans
  }
  return [...rows.values()]
}

/**
 * Adds the scans of each model to its spans of 1, 8 and 64 days. `magnitude` is the number of bits of a sum,
 * by which an index orders models.
 */
async function addModelSpans(tx: Sql, batch: ScanBatch): Promise<void> {
  const rows = buildModelDays(batch)
  const column = (key: keyof ModelDay) => formatUnquotedArray(rows.map(row => row[key]))
  await tx`
    insert into scan_model_span as m (account_id, first_day, scans, model_id, days, magnitude)
    select account_id, date '1970-01-01' + day / days * days, sum(scans), model_id, days, carnet_bits(sum(scans)::bigint)
    from unnest(
      ${column('accountId')}::text::int[], ${column('day')}::text::int[], ${column('scans')}::text::int[],
      ${column('modelId')}::text::uuid[]
    ) as u(account_id, day, scans, model_id) cross join unnest(${[...SPAN_DAYS]}::int[]) as span(days)
    group by account_id, model_id, days, day / days order by model_id, days, day / days, account_id
    on conflict (model_id, days, first_day, account_id) do update
    set scans = m.scans + excluded.scans, magnitude = carnet_bits(m.scans + excluded.scans)`
}

type SpanRow = {
  accountId: number
  days: number
  firstDay: number
  scans: number
  uniques: number
  crawlers: number
  counts: Record<string, number>
}

const LEVEL_NAMES = { m: 'model', b: 'batch', i: 'item' } as const

function buildSpanRows({ counters }: ScanBatch, newReaders: ReadonlyMap<number, number>): SpanRow[] {
  const rows = new Map<string, SpanRow>()
  for (const counter of counters.values()) {
    const { account_id: accountId, category, level } = counter.passport
    const countKeys = [
      `country:${counter.country}`,
      `device:${counter.device}`,
      `category:${category}`,
      `level:${LEVEL_NAMES[level]}`,
    ]
    for (const days of SPAN_DAYS) {
      const firstDay = getSpanStart(counter.day, days)
      const rowKey = `${accountId} ${days} ${firstDay}`
      const row = rows.get(rowKey) ?? {
        accountId,
        days,
        firstDay,
        scans: 0,
        uniques: 0,
        crawlers: 0,
        counts: {},
      }
      rows.set(rowKey, row)
      row.scans += counter.scans
      row.uniques += newReaders.get(counter.slot) ?? 0
      row.crawlers += counter.crawlers
      if (counter.scans === 0) continue
      for (const key of countKeys) row.counts[key] = (row.counts[key] ?? 0) + counter.scans
    }
  }
  return [...rows.values()]
}

async function addAccountSpans(
  tx: Sql,
  batch: ScanBatch,
  newReaders: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = buildSpanRows(batch, newReaders)
  await tx`
    insert into scan_account_span as s (account_id, days, first_day, scans, uniques, crawlers, counts)
    select * from unnest(
      ${rows.map(row => row.accountId)}::int[], ${rows.map(row => row.days)}::int[]::smallint[],
      ${rows.map(row => formatDay(row.firstDay))}::text[]::date[], ${rows.map(row => row.scans)}::int[],
      ${rows.map(row => row.uniques)}::int[], ${rows.map(row => row.crawlers)}::int[],
      ${rows.map(row => JSON.stringify(row.counts))}::text[]::json[]
    ) as u(account_id, days, first_day, scans, uniques, crawlers, counts)
    order by account_id, days, first_day
    on conflict (account_id, days, first_day) do update
    set scans = s.scans + excluded.scans, uniques = s.uniques + excluded.uniques,
      crawlers = s.crawlers + excluded.crawlers, counts = carnet_add_counts(s.counts, excluded.counts)`
}
