/**
 * Remembers every thousandth id of long lists, counted from the oldest, so that a numbered page in the middle
 * does not count to its place. The marks are right as long as no passport was created with an older id, as of
 * a draft published late. No passport is ever deleted, so the total shows that.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import { perDatabase } from '../../kernel/db/database.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { filterConditions, type ListFilter } from './list-filter.ts'

/** How many passports are up to a mark, from the one before. */
const STEP = 1_000
/** A page that is nearer to an end is counted from there. */
const MIN_DISTANCE = 2 * STEP
/** Marks are made for the first page that is so far from both ends, as a share of the total. */
const MIN_SHARE = 0.1
/** A request makes at most this many marks, which takes a fifth of a second. */
const MAX_NEW_MARKS = 1_000
/** Marks that were wrong are made again after this time. */
const RETRY_MS = 60_000
/** A list of a million passports has 56 kB of marks. */
const MAX_LISTS = 200
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

type Marks = {
  /** The last id of each step. */
  ids: string[]
  /** The total with which they were right. */
  total: number
  /** Other requests wait for the work of the first. */
  work: Promise<void> | undefined
  /** By `performance.now()`. */
  retryAt: number
}

/** The passports that come after `id` in the order of ids begin at `position`, counted from the oldest. */
export type PageMark = { id: string; position: number }

/** `before`: how many passports of the list are older than the wanted ones; `after`: how many are newer. */
type PagePlace = { before: number; after: number; total: number }

const lists = perDatabase(() => new BoundedMap<string, Marks>(MAX_LISTS))

/** The nearest mark below a place of an unfiltered list of one level; undefined if none makes it faster. */
export async function findPageMark(
  ctx: AccountContext,
  filter: ListFilter,
  { before, after, total }: PagePlace,
): Promise<PageMark | undefined> {
  if (!isUnfiltered(filter) || Math.min(before, after) < MIN_DISTANCE) return undefined
  const known = lists(ctx.sql)
  const key = `${ctx.accountId} ${filter.levels.join('')}`
  if (!known.has(key) && Math.min(before, after) < total * MIN_SHARE) return undefined
  const marks = known.getOrMake(key, () => ({ ids: [], total: -1, work: undefined, retryAt: 0 }))
  if (marks.total < total) await update(ctx, filter, marks, total)
  const count = Math.min(Math.floor(before / STEP), marks.ids.length)
  const id = marks.ids[count - 1]
  return marks.total < total || id === undefined ? undefined : { id, position: count * STEP }
}

const isUnfiltered = ({ levels, ...filters }: ListFilter): boolean =>
  levels.length === 1 && Object.values(filters).every(value => value === undefined)

function update(ctx: AccountContext, filter: ListFilter, marks: Marks, total: number): Promise<void> {
  marks.work ??= extendAndCheck(ctx, filter, marks, total).finally(() => {
    marks.work = undefined
  })
  return marks.work
}

/** The newest passports get no mark: other processes may still create some with an id between theirs. */
async function extendAndCheck(
  ctx: AccountContext,
  filter: ListFilter,
  marks: Marks,
  total: number,
): Promise<void> {
  if (performance.now() < marks.retryAt) return
  const missing = Math.floor(total / STEP) - 1 - marks.ids.length
  if (missing > 0)
    marks.ids.push(...(await readMarks(ctx, filter, marks.ids.at(-1), Math.min(missing, MAX_NEW_MARKS))))
  if (missing > MAX_NEW_MARKS) return
  const { counted, newer } = await countNewer(ctx, filter, marks.ids.at(-1))
  if (counted - newer === marks.ids.length * STEP) marks.total = counted
  else Object.assign(marks, { ids: [], total: -1, retryAt: performance.now() + RETRY_MS })
}

/** Each step is a walk through an index. */
async function readMarks(
  ctx: AccountContext,
  filter: ListFilter,
  last: string | undefined,
  count: number,
): Promise<string[]> {
  const { sql } = ctx
  const rows = await sql<{ id: string }[]>`
    with recursive mark (n, id) as (
      select 0, ${last ?? FIRST_ID}::uuid
      union all
      select mark.n + 1, (
        select p.id from passport p where ${filterConditions(ctx, filter)} and p.id > mark.id
        order by p.id limit 1 offset ${STEP - 1})
      from mark where mark.n < ${count} and mark.id is not null
    )
    select id from mark where n > 0 and id is not null order by n`
  return rows.map(row => row.id)
}

/** The total and the number of passports after the last mark, both of one moment. */
async function countNewer(
  ctx: AccountContext,
  filter: ListFilter,
  last: string | undefined,
): Promise<{ counted: number; newer: number }> {
  const { sql, accountId } = ctx
  const [level = ''] = filter.levels
  const [row] = await sql<{ counted: number; newer: number }[]>`
    select (select coalesce(sum(n), 0)::bigint from passport_count
        where account_id = ${accountId} and level = ${level}::text::"char") as counted,
      (select count(*)::bigint from passport p
        where ${filterConditions(ctx, filter)} and p.id > ${last ?? FIRST_ID}) as newer`
  return row ?? { counted: 0, newer: 0 }
}
