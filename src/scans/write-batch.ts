/** Writes one batch in one transaction: roll-ups, unique readers, milestones and suspicions. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db/database.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
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
 * Writes the batch, unless a lost attempt has written it. Rows are locked in the order of their keys, table
 * after table, so that processes cannot deadlock; the account's shared sums come last.
 */
export async function writeBatch(writer: BatchWriter, batch: ScanBatch): Promise<void> {
  await inTransaction(writer.sql, async tx => {
    if (!(await claimBatch(tx, writer, batch))) return
    const uniques = await countUniques(tx, batch)
    await addDays(tx, batch, uniques)
    await addTotals(tx, writer.clock.now(), batch)
    await recordItemVisits(tx, writer, batch)
    await addModelSpans(tx, batch)
    await addAccountSpans(tx, batch, uniques)
  })
}

/**
 * False if it is already written. No sequential scans: a plan may be cached from when the tables were empty.
 */
async function claimBatch(tx: Sql, { id, clock }: BatchWriter, batch: ScanBatch): Promise<boolean> {
  const number = batch.number ?? 0
  await tx`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`
  const claimed = await tx`
    insert into scan_writer as w (id, last_batch, wrote_at) values (${id}, ${number}, ${clock.now()})
    on conflict (id) do update set last_batch = excluded.last_batch, wrote_at = excluded.wrote_at
    where w.last_batch < excluded.last_batch returning w.id`
  return claimed.length === 1
}

/**
 * Counts the new readers of a day by slot of their counter. Two plain texts spare quoting thousands of
 * values.
 */
async function countUniques(tx: Sql, { counters, visitors }: ScanBatch): Promise<Map<number, number>> {
  const all = [...counters.values()]
  const rows = await tx<{ slot: number; n: number }[]>`
    with fresh as (
      insert into scan_visitor (day, account_id, slot, visitor)
      select (select ${all.map(one => formatDay(one.day))}::text[]::date[])[slot + 1] as day,
        (select ${all.map(one => one.passport.account_id)}::int[])[slot + 1] as account_id, slot, visitor
      from unnest(
        ${`{${[...visitors.values()].join()}}`}::text::int[], ${`{${[...visitors.keys()].join()}}`}::text::uuid[]
      ) as u(slot, visitor) order by day, account_id, visitor
      on conflict (day, account_id, visitor) do nothing returning slot
    )
    select slot, count(*)::int as n from fresh group by slot`
  return new Map(rows.map(({ slot, n }) => [slot, n]))
}

type DayRow = {
  passportId: string
  of: 'o' | 'u'
  cell: ScanCounter
  scans: number
  uniques: number
  crawlers: number
}

/** Builds the passport's own row (`o`), and rows of its units (`u`) for its model and batch. */
function buildDayRows({ counters }: ScanBatch, uniques: ReadonlyMap<number, number>): DayRow[] {
  const rows = new Map<string, DayRow>()
  const add = (passportId: string, of: 'o' | 'u', cell: ScanCounter) => {
    const key = `${passportId}${of}${cell.country}${cell.device}${cell.day}`
    const row = rows.get(key) ?? { passportId, of, cell, scans: 0, uniques: 0, crawlers: 0 }
    row.scans += cell.scans
    row.uniques += uniques.get(cell.slot) ?? 0
    row.crawlers += cell.crawlers
    rows.set(key, row)
  }
  for (const cell of counters.values()) {
    const { id, level, model_id: modelId, parent_id: parentId } = cell.passport
    add(id, 'o', cell)
    if (level !== 'm') add(modelId, 'u', cell)
    if (level === 'i' && parentId !== null && parentId !== modelId) add(parentId, 'u', cell)
  }
  return [...rows.values()]
}

async function addDays(tx: Sql, batch: ScanBatch, uniques: ReadonlyMap<number, number>): Promise<void> {
  const rows = buildDayRows(batch, uniques)
  await tx`
    insert into scan_day as d (account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
    select * from unnest(
      ${rows.map(row => row.cell.passport.account_id)}::int[], ${rows.map(row => formatDay(row.cell.day))}::text[]::date[],
      ${rows.map(row => row.scans)}::int[], ${rows.map(row => row.uniques)}::int[],
      ${rows.map(row => row.crawlers)}::int[], ${rows.map(row => row.passportId)}::text[]::uuid[],
      ${rows.map(row => row.of)}::text[]::"char"[], ${rows.map(row => row.cell.device[0] ?? 'o')}::text[]::"char"[],
      ${rows.map(row => row.cell.country)}::text[]
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

/** Sends each day once, as plain text; the database computes the spans. */
async function addModelSpans(tx: Sql, batch: ScanBatch): Promise<void> {
  const rows = buildModelDays(batch)
  const text = (key: keyof ModelDay) => `{${rows.map(row => row[key]).join()}}`
  await tx`
    insert into scan_model_span as m (account_id, first_day, scans, model_id, days, magnitude)
    select account_id, date '1970-01-01' + day / l * l, sum(scans), model_id, l, carnet_bits(sum(scans)::bigint)
    from unnest(
      ${text('accountId')}::text::int[], ${text('day')}::text::int[], ${text('scans')}::text::int[],
      ${text('modelId')}::text::uuid[]
    ) as u(account_id, day, scans, model_id) cross join unnest(${[...SPAN_DAYS]}::int[]) l
    group by account_id, model_id, l, day / l order by model_id, l, day / l, account_id
    on conflict (model_id, days, first_day, account_id) do update
    set scans = m.scans + excluded.scans, magnitude = carnet_bits(m.scans + excluded.scans)`
}

type SpanRow = {
  accountId: number
  days: number
  first: number
  scans: number
  uniques: number
  crawlers: number
  counts: Record<string, number>
}

const LEVEL_WORD = { m: 'model', b: 'batch', i: 'item' } as const

function buildSpanRows({ counters }: ScanBatch, uniques: ReadonlyMap<number, number>): SpanRow[] {
  const rows = new Map<string, SpanRow>()
  for (const cell of counters.values()) {
    const { account_id: accountId, category, level } = cell.passport
    const words = [
      `country:${cell.country}`,
      `device:${cell.device}`,
      `category:${category}`,
      `level:${LEVEL_WORD[level]}`,
    ]
    for (const days of SPAN_DAYS) {
      const first = getSpanStart(cell.day, days)
      const key = `${accountId} ${days} ${first}`
      const row = rows.get(key) ?? { accountId, days, first, scans: 0, uniques: 0, crawlers: 0, counts: {} }
      rows.set(key, row)
      row.scans += cell.scans
      row.uniques += uniques.get(cell.slot) ?? 0
      row.crawlers += cell.crawlers
      if (cell.scans === 0) continue
      for (const word of words) row.counts[word] = (row.counts[word] ?? 0) + cell.scans
    }
  }
  return [...rows.values()]
}

async function addAccountSpans(
  tx: Sql,
  batch: ScanBatch,
  uniques: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = buildSpanRows(batch, uniques)
  await tx`
    insert into scan_account_span as s (account_id, days, first_day, scans, uniques, crawlers, counts)
    select * from unnest(
      ${rows.map(row => row.accountId)}::int[], ${rows.map(row => row.days)}::int[]::smallint[],
      ${rows.map(row => formatDay(row.first))}::text[]::date[], ${rows.map(row => row.scans)}::int[],
      ${rows.map(row => row.uniques)}::int[], ${rows.map(row => row.crawlers)}::int[],
      ${rows.map(row => JSON.stringify(row.counts))}::text[]::json[]
    ) as u(account_id, days, first_day, scans, uniques, crawlers, counts)
    order by account_id, days, first_day
    on conflict (account_id, days, first_day) do update
    set scans = s.scans + excluded.scans, uniques = s.uniques + excluded.uniques,
      crawlers = s.crawlers + excluded.crawlers, counts = carnet_add_counts(s.counts, excluded.counts)`
}
