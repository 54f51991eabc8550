/**
 * A unit is outdated if its model or batch was corrected after it inherited its content. Derived from version
 * numbers, so that a correction of a million units writes to none of them.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import type { PassportRow } from './record.ts'

/**
 * Joins the `owner` of the content `c` of `p`, and the `batch_model` if that owner is a batch. A null key
 * costs models no look-up. The content has the corrections up to their versions `upto` and `model_upto`.
 * `limit 1`: a plan made for an empty table would read all passports of the account for each row.
 */
export const joinOwners = perDatabase(
  (sql): Fragment => sql`
  left join lateral (
    select o.last_correction, o.corrected_at from passport o
    where o.id = case when p.parent_id is not null then c.owner_id end and o.account_id = c.account_id limit 1
  ) owner on true
  left join lateral (
    select m.last_correction, m.corrected_at from passport m
    where m.id = case when c.model_upto is not null then p.model_id end and m.account_id = p.account_id limit 1
  ) batch_model on true`,
)

/** True if the owner or the batch's model was corrected later; null without an owner. */
const isCorrectedByOwner = perDatabase((sql): Fragment => sql`owner.last_correction > c.upto`)
const isCorrectedByModel = perDatabase((sql): Fragment => sql`batch_model.last_correction > c.model_upto`)

/** Returns true if the content `c`, and each unit that has it, is outdated; false for a model. */
export const isOutdated = perDatabase(
  (sql): Fragment => sql`coalesce(${isCorrectedByOwner(sql)} or ${isCorrectedByModel(sql)}, false)`,
)

/**
 * When the unit `p` became outdated. Uses look-ups by key, because the planner would start a join at the
 * wrong end.
 */
export const selectCorrectionTime = (sql: Sql): Fragment => sql`
  select greatest(case when ${isCorrectedByOwner(sql)} then owner.corrected_at end,
    case when ${isCorrectedByModel(sql)} then batch_model.corrected_at end)
  from content c ${joinOwners(sql)} where c.id = p.content_id and c.account_id = p.account_id`

type Owner = { id: string; account_id: number }

/** A passport and its batches own the contents of its units. */
const isOwnerUnder = (sql: Sql, owner: Owner): Fragment => sql`
  owner.account_id = ${owner.account_id} and owner.id = any(array(
    select ${owner.id}::uuid union all
    select id from passport where account_id = ${owner.account_id} and parent_id = ${owner.id} and level = 'b'))`

export const selectContents = (sql: Sql, owner: Owner): Fragment => sql`
  select c.id from passport owner join content c on c.owner_id = owner.id and c.account_id = owner.account_id
  where ${isOwnerUnder(sql, owner)}`

export const selectOutdatedContents = (sql: Sql, owner: Owner): Fragment => sql`
  select c.id from passport owner join content c on c.owner_id = owner.id and c.account_id = owner.account_id
  join passport batch_model on batch_model.id = owner.model_id and batch_model.account_id = owner.account_id
  where ${isOwnerUnder(sql, owner)} and ${isOutdated(sql)}`

export const selectAllOutdatedContents = (sql: Sql, accountId: number): Fragment =>
  sql`select id from (${outdatedByOwners(sql, accountId, sql``, sql``)}) c`

/**
 * Ids of contents outdated by a correction at `since` or later, with its time as `at`. An id may occur twice.
 */
export const selectContentsCorrectedSince = (sql: Sql, accountId: number, since: Date): Fragment =>
  outdatedByOwners(
    sql,
    accountId,
    sql`and owner.corrected_at >= ${since}`,
    sql`and batch_model.corrected_at >= ${since}`,
  )

/** `offset 0` keeps the planner from starting with the contents or batches of the account. */
const outdatedByOwners = (
  sql: Sql,
  accountId: number,
  ownerFilter: Fragment,
  modelFilter: Fragment,
): Fragment => sql`
  select c.id, owner.corrected_at as at from passport owner cross join lateral (
    select c.id from content c
    where c.owner_id = owner.id and c.account_id = owner.account_id and ${isCorrectedByOwner(sql)} offset 0) c
  where owner.account_id = ${accountId} and owner.last_correction > 0 ${ownerFilter}
  union all
  select c.id, batch_model.corrected_at from passport batch_model cross join lateral (
    select c.id from passport b cross join lateral (
      select c.id from content c
      where c.owner_id = b.id and c.account_id = b.account_id and ${isCorrectedByModel(sql)} offset 0) c
    where b.parent_id = batch_model.id and b.account_id = batch_model.account_id and b.level = 'b' offset 0) c
  where batch_model.account_id = ${accountId} and batch_model.last_correction > 0 and batch_model.parent_id is null
    ${modelFilter}`

/** Returns true if a version of a passport was outdated at a time, by the corrections in the history. */
export async function wasOutdated(
  { sql, accountId }: AccountContext,
  passport: Pick<PassportRow, 'id' | 'level' | 'model_id'>,
  { versionNo, at }: { versionNo: number; at: Date },
): Promise<boolean> {
  if (passport.level === 'm') return false
  const isCorrected = (by: Fragment, since: Fragment) => sql`exists (
    select 1 from passport_version v where v.passport_id = ${by} and v.account_id = ${accountId}
      and v.version_no > ${since} and v.kind = 'c' and v.changed <> '{}' and v.created_at <= ${at})`
  const [row] = await sql<{ outdated: boolean }[]>`
    with inherited as (
      select c.owner_id, c.upto, c.model_upto from passport p
      left join passport_version w on w.passport_id = p.id and w.account_id = p.account_id and w.version_no = ${versionNo}
      join content c on c.id = coalesce(w.content_id, p.content_id) and c.account_id = p.account_id
      where p.id = ${passport.id} and p.account_id = ${accountId}
    )
    select ${isCorrected(sql`i.owner_id`, sql`i.upto`)} or (i.model_upto is not null
      and ${isCorrected(sql`${passport.model_id}::uuid`, sql`i.model_upto`)}) as outdated
    from inherited i`
  return row?.outdated ?? false
}
