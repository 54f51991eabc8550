/**
 * Lists what has changed since a time, for systems that keep a copy. A write may become visible after its own
 * time, so the response names a time before every open transaction, from which to continue.
 */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { findOldestTransaction } from '../../kernel/db/citus.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { joinOwners, selectContentsCorrectedSince, selectCorrectionTime } from '../core/outdated.ts'
import { type PassportSummary, summaryColumns } from './list.ts'
import { filterConditions, type Level, type ListFilter, preparedIfFrequent } from './list-filter.ts'
import { readMerged } from './merge-shards.ts'

/** When a row was last touched, in microseconds since 1970, and its UUID. */
export type ChangePosition = { touchedUs: number; id: string }

export type ChangedRow = PassportSummary & { touched_us: number }

type ChangeWindow = { limit: number } & ({ page: number } | { after: ChangePosition; skip?: number })

/** Covers the moment before a transaction is listed, and small steps of the database's clock. */
const MARGIN_MS = 2_000

/**
 * A time before every write that is still invisible. Read it before the rows. The database role must see the
 * transactions of other roles.
 */
export async function getSettledTime(ctx: AccountContext): Promise<Date> {
  const times = await Promise.all(listAccountShards(ctx).map(({ sql }) => findOldestTransaction(sql)))
  return new Date(Math.min(...times.map(Number)) - MARGIN_MS)
}

/** A page and one further row, ordered by last change: a row that changes meanwhile moves to the end. */
export async function listChangedPassports(
  ctx: AccountContext,
  filter: ListFilter & { since: Date },
  window: ChangeWindow,
): Promise<ChangedRow[]> {
  const { sql } = ctx
  const after = 'after' in window ? window.after : undefined
  const offset = 'page' in window ? (window.page - 1) * window.limit : (window.skip ?? 0)
  if (ctx.spread !== undefined) return listMerged(ctx, filter, { after, offset, limit: window.limit + 1 })
  const parts = selectBranches(ctx, filter, { after, maxRows: offset + window.limit + 1 })
  const merged = parts.reduce((all, next) => sql`${all} union all ${next}`)
  const prepare = preparedIfFrequent(filter)
  return prepare(sql<ChangedRow[]>`
    with corrected as materialized (${selectCorrected(ctx, filter)}), page as materialized (
      select id, touched from (${merged}) found order by touched, id limit ${window.limit + 1} offset ${offset}
    )
    select ${summaryColumns(sql)}, (extract(epoch from page.touched) * 1000000)::bigint as touched_us
    from (select id, touched from page limit 101) page
    cross join lateral (select * from passport where id = page.id and account_id = ${ctx.accountId} limit 1) p
    cross join lateral (select * from content where id = p.content_id and account_id = p.account_id limit 1) c
    ${joinOwners(sql)}
    order by page.touched, p.id`)
}

/** Changes of one moment are listed by id, so a position names one place on all shards. */
async function listMerged(
  ctx: AccountContext,
  filter: ListFilter & { since: Date },
  { after, offset, limit }: { after: ChangePosition | undefined; offset: number; limit: number },
): Promise<ChangedRow[]> {
  if (offset > 0 && offset >= (await countChangedPassports(ctx, filter))) return []
  const positionOf = (row: ChangedRow) => ({ touchedUs: row.touched_us, id: row.id })
  const rows = {
    shards: listAccountShards(ctx),
    compare: (a: ChangedRow, b: ChangedRow) => a.touched_us - b.touched_us || (a.id < b.id ? -1 : 1),
    read: async (
      at: AccountContext,
      window: { after: ChangedRow | undefined; skip: number; limit: number },
    ) => {
      const start = window.after === undefined ? after : positionOf(window.after)
      const found = await listChangedPassports(at, filter, { ...window, after: start ?? BEFORE_ALL })
      return found.slice(0, window.limit)
    },
  }
  return readMerged(rows, offset, limit)
}

export async function countChangedPassports(
  ctx: AccountContext,
  filter: ListFilter & { since: Date },
): Promise<number> {
  if (ctx.spread !== undefined) {
    const counts = await Promise.all(listAccountShards(ctx).map(at => countChangedPassports(at, filter)))
    return counts.reduce((sum, n) => sum + n, 0)
  }
  const { sql } = ctx
  const merged = selectBranches(ctx, filter, { after: undefined, maxRows: undefined }).reduce(
    (all, next) => sql`${all} union all ${next}`,
  )
  const prepare = preparedIfFrequent(filter)
  const [row] = await prepare(sql<{ n: number }[]>`
    with corrected as materialized (${selectCorrected(ctx, filter)}) select count(*)::bigint as n from (${merged}) found`)
  return row?.n ?? 0
}

const hasUnits = ({ levels }: ListFilter) => levels.some(level => level !== 'm')

/** The contents that became outdated since the time; none for a list of models. */
const selectCorrected = (
  { sql, accountId }: AccountContext,
  filter: ListFilter & { since: Date },
): Fragment =>
  hasUnits(filter)
    ? sql`select id, max(at) as at from (${selectContentsCorrectedSince(sql, accountId, filter.since)}) c group by id`
    : sql`select null::uuid as id, null::timestamptz as at where false`

type Walk = { after: ChangePosition | undefined; maxRows: number | undefined }

/** One branch per level, as in the index, and one for the units that a correction made outdated. */
function selectBranches(ctx: AccountContext, filter: ListFilter & { since: Date }, walk: Walk): Fragment[] {
  const own = filter.levels.map(level => selectTouched(ctx, filter, level, walk))
  return hasUnits(filter) ? [...own, selectTouchedByCorrection(ctx, filter, walk)] : own
}

const touchedAt = (sql: Sql): Fragment => sql`greatest(p.updated_at, p.stored_at)`

/** Passed as a parameter: with old statistics, the planner would scan the partial index of one level. */
const ANY_LEVEL = ['m', 'b', 'i'] as const

function selectTouched(
  ctx: AccountContext,
  filter: ListFilter & { since: Date },
  level: Level,
  walk: Walk,
): Fragment {
  const { sql } = ctx
  const touched = touchedAt(sql)
  // A unit that a later correction affected is listed at that correction's time.
  const isLast =
    level === 'm' ? sql`` : sql`and coalesce((${selectCorrectionTime(sql)}), '-infinity') <= ${touched}`
  return sql`(
    select p.id, ${touched} as touched from passport p
    where ${filterConditions(ctx, { ...filter, levels: ANY_LEVEL })} and p.level = ${level}::text::"char"
      and p.updated_at > '-infinity' and ${touched} >= ${filter.since} ${isLast}
      ${afterPosition(sql, touched, walk)} ${inTouchedOrder(sql, touched, walk)})`
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const BEFORE_ALL: ChangePosition = { touchedUs: 0, id: FIRST_ID }

/** Reads content by content, because the index has the units of each content ordered by id. */
function selectTouchedByCorrection(
  ctx: AccountContext,
  filter: ListFilter & { since: Date },
  { after, maxRows }: Walk,
): Fragment {
  const { sql } = ctx
  const levels = [...filter.levels]
  const from = after && microseconds(sql, after.touchedUs)
  return sql`(
    select u.id, x.at as touched from corrected x cross join lateral (
      select p.id from passport p
      where ${filterConditions(ctx, { ...filter, levels: ANY_LEVEL })} and p.level = any(${levels}::text[]::"char"[])
        and p.parent_id is not null and p.content_id = x.id and x.at > ${touchedAt(sql)}
        ${after && from ? sql`and p.id > case when x.at > ${from} then ${FIRST_ID}::uuid else ${after.id}::uuid end` : sql``}
        ${maxRows === undefined ? sql`offset 0` : sql`order by p.id limit ${maxRows}`}) u
    ${from ? sql`where x.at >= ${from}` : sql``}
    ${maxRows === undefined ? sql`` : sql`order by x.at, u.id limit ${maxRows}`})`
}

const microseconds = (sql: Sql, us: number): Fragment =>
  sql`('epoch'::timestamptz + ${String(us)}::bigint * interval '1 microsecond')`

function afterPosition(sql: Sql, touched: Fragment, { after }: Walk): Fragment {
  if (after === undefined) return sql``
  const from = microseconds(sql, after.touchedUs)
  return sql`and ${touched} >= ${from} and (${touched}, p.id) > (${from}, ${after.id}::uuid)`
}

const inTouchedOrder = (sql: Sql, touched: Fragment, { maxRows }: Walk): Fragment =>
  maxRows === undefined ? sql`` : sql`order by ${touched}, p.id limit ${maxRows}`

/** When the first passport or recall was changed after a time, as PostgreSQL writes it. */
export async function findOldestChange(ctx: AccountContext, after: string): Promise<Date | undefined> {
  const times = await Promise.all(
    listAccountShards(ctx).map(async ({ sql, accountId }) => {
      const touched = touchedAt(sql)
      const oldest = (level: Level) => sql`(
        select ${touched} as at from passport p
        where p.account_id = ${accountId} and p.level = ${level}::text::"char" and p.updated_at > '-infinity'
          and ${touched} > ${after}::text::timestamptz order by ${touched} limit 1)`
      const recall = oldestRecall(sql, accountId, after)
      const [row] = await sql<{ at: Date | null }[]>`
        select min(at) as at
        from (${oldest('m')} union all ${oldest('b')} union all ${oldest('i')} union all ${recall}) found`
      return row?.at?.getTime() ?? Number.POSITIVE_INFINITY
    }),
  )
  const first = Math.min(...times)
  return Number.isFinite(first) ? new Date(first) : undefined
}

/** Recalls are listed by time alone, up to the moment of listing: those within the margin are known. */
const oldestRecall = (sql: Sql, accountId: number, after: string): Fragment => sql`
  select min(stored_at) as at from recall_change
  where account_id = ${accountId} and stored_at > ${after}::text::timestamptz + ${MARGIN_MS} * interval '1 millisecond'`
