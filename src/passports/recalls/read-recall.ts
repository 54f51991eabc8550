/** Reads the recall notices of an account: those of one product, their changes, and a list of all. */
import { byIdDescending, readAllShards } from '../../accounts/account/account-shard.ts'
import { getActorLabels } from '../../accounts/account/actors.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import {
  isNewestRecall,
  parseRecalls,
  type RecallInForce,
  type RecallNotice,
  selectRecalls,
} from '../core/recalls.ts'
import type { PassportRow } from '../core/record.ts'
import { atPassport } from '../read/find.ts'

/** The newest change of a product's notice. `id`: the UUID of the product. */
export type Recall = {
  id: string
  level: 'm' | 'b' | 'i'
  number: number
  kind: RecallChangeKind
  notice: RecallNotice
  set_at: Date
  changed_at: Date
}

/** s: set, c: changed, e: ended. */
type RecallChangeKind = 's' | 'c' | 'e'

/** The level is looked up for each row: a join read all passports of the account without statistics. */
const columns = (sql: Sql): Fragment => sql`
  r.passport_id as id, r.number, r.kind, r.notice, r.set_at, r.changed_at,
  (select p.level from passport p where p.id = r.passport_id and p.account_id = r.account_id) as level`

/** The notice in force or the last one that ended; undefined if the product never had one. */
export async function findRecall(
  { sql, accountId }: AccountContext,
  uuid: string,
): Promise<Recall | undefined> {
  const [row] = await sql<Recall[]>`
    select ${columns(sql)} from recall_change r
    where r.account_id = ${accountId} and r.passport_id = ${uuid} order by r.number desc limit 1`
  return row
}

export const noRecall = () => notFound('recall notice of this product')

/** The notices that the page of the product shows, the nearest first. Throws `not_found`. */
export async function listRecallsInForce(ctx: AccountContext, uuid: string): Promise<RecallInForce[]> {
  const { sql, accountId } = await atPassport(ctx, uuid)
  const [row] = await sql<{ id: string; parent_id: string | null; recalls: string | null }[]>`
    select p.id, p.parent_id, ${selectRecalls(sql)} as recalls from passport p
    where p.id = ${uuid} and p.account_id = ${accountId}`
  if (row === undefined) throw notFound('product')
  return parseRecalls(row)
}

export type RecallChange = Pick<Recall, 'number' | 'kind' | 'notice' | 'changed_at'> & { changedBy: string }

/** The newest first. */
export async function listRecallChanges(
  ctx: AccountContext,
  uuid: string,
  limit: number,
): Promise<RecallChange[]> {
  const { sql, accountId } = await atPassport(ctx, uuid)
  const rows = await sql<(Omit<RecallChange, 'changedBy'> & { changed_by: number })[]>`
    select number, kind, notice, changed_at, changed_by from recall_change
    where account_id = ${accountId} and passport_id = ${uuid} order by number desc limit ${limit}`
  const labels = await getActorLabels(
    sql,
    accountId,
    rows.map(row => row.changed_by),
  )
  return rows.map(({ changed_by, ...row }) => ({ ...row, changedBy: labels.get(changed_by) ?? '' }))
}

export type RecallState = 'active' | 'ended' | 'all'

const isInState = (sql: Sql, state: RecallState): Fragment =>
  state === 'all' ? sql`` : state === 'ended' ? sql`and r.kind = 'e'` : sql`and r.kind <> 'e'`

/** The newest products first. `after`: the UUID of the last product of the page before. */
export const listRecalls = (
  ctx: AccountContext,
  { state, limit, after }: { state: RecallState; limit: number; after?: string | undefined },
): Promise<Recall[]> =>
  readAllShards(
    ctx,
    byIdDescending,
    ({ sql, accountId }) => sql<Recall[]>`
      select ${columns(sql)} from recall_change r
      where r.account_id = ${accountId} and ${isNewestRecall(sql)} ${isInState(sql, state)}
        ${after === undefined ? sql`` : sql`and r.passport_id < ${after}`}
      order by r.passport_id desc limit ${limit}`,
  ).then(rows => rows.slice(0, limit))

/** Those of the passports for which a notice holds: their own, or of their batch or model. */
export async function findRecalled(
  ctx: AccountContext,
  rows: readonly Pick<PassportRow, 'id' | 'parent_id' | 'model_id'>[],
): Promise<ReadonlySet<string>> {
  const levels = (row: (typeof rows)[number]) =>
    [row.id, row.parent_id, row.model_id].filter(id => id !== null)
  const ids = [...new Set(rows.flatMap(levels))]
  if (ids.length === 0) return new Set()
  const found = await readAllShards(
    ctx,
    () => 0,
    ({ sql, accountId }) => sql<{ id: string }[]>`
      select r.passport_id as id from recall_change r
      where r.account_id = ${accountId} and r.passport_id = any(${ids}::text[]::uuid[]) and r.kind <> 'e'
        and ${isNewestRecall(sql)}`,
  )
  const recalled = new Set(found.map(({ id }) => id))
  return new Set(rows.filter(row => levels(row).some(id => recalled.has(id))).map(({ id }) => id))
}

/** UUIDs of the products with a change of their notice since a time of the database. Only on this shard. */
export async function listRecalledSince({ sql, accountId }: AccountContext, since: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct passport_id as id from recall_change
    where account_id = ${accountId} and stored_at >= ${since}`
  return rows.map(({ id }) => id)
}

export async function countRecalls(ctx: AccountContext, state: RecallState): Promise<number> {
  const counts = await readAllShards(
    ctx,
    () => 0,
    ({ sql, accountId }) => sql<{ n: number }[]>`
      select count(*)::int as n from recall_change r
      where r.account_id = ${accountId} and ${isNewestRecall(sql)} ${isInState(sql, state)}`,
  )
  return counts.reduce((sum, { n }) => sum + n, 0)
}
