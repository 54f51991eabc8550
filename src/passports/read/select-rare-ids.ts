/** Ids of passports among many others that do not match, read content by content. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { selectAllOutdatedContents } from '../core/outdated.ts'
import { filterConditions, type ListFilter, selectGroups } from './list-filter.ts'

type WalkRest = { beyond: Fragment; order: Fragment; maxRows: number }

/**
 * For one level, where few match: among a million passports, one after the other would take seconds. Each
 * `offset 0` keeps the planner from joining all rows first.
 */
export function selectIdsByFacts(
  ctx: AccountContext,
  filter: ListFilter,
  { beyond, order, maxRows }: WalkRest,
): Fragment {
  const { sql, accountId } = ctx
  const groups = selectGroups(ctx, filter)
  const where = sql`${filterConditions(ctx, filter)} ${beyond}`
  const ofContent = filter.levels.includes('m')
    ? sql`
      select p.id from content c join passport p on p.id = c.owner_id and p.account_id = c.account_id
      where c.id = k.subject and c.account_id = ${accountId} and k.kind = 'c' and p.content_id = c.id and ${where} offset 0`
    : sql`
      (select p.id from passport p
      where k.kind = 'c' and ${where} and p.own is null and p.parent_id is not null and p.content_id = k.subject
        ${order} limit ${maxRows})
      union all
      (select p.id from passport p where k.kind = 'u' and p.id = k.subject and ${where})`
  return sql`
    select u.id from (select distinct * from unnest(${groups.map(group => group.facts_version)}::int[],
      ${groups.map(group => group.bits.toString('hex'))}::text[]) as g(facts_version, bits)) g
    cross join lateral (
      select f.kind, f.subject from readiness_facts f where f.account_id = ${accountId}
        and f.facts_version = g.facts_version and f.bits = decode(g.bits, 'hex') offset 0) k
    cross join lateral (${ofContent}) u
    ${order}`
}

/** Reads content by content, because the index has the units of each content in this order. */
export function selectOutdatedIds(
  ctx: AccountContext,
  filter: ListFilter,
  { beyond, order, maxRows }: WalkRest,
): Fragment {
  const { sql, accountId } = ctx
  return sql`
    select u.id from (select distinct id from (${selectAllOutdatedContents(sql, accountId)}) d) k cross join lateral (
      select p.id from passport p
      where ${filterConditions(ctx, { ...filter, outdated: undefined })} and p.parent_id is not null and p.content_id = k.id
        ${beyond} ${order} limit ${maxRows}) u
    ${order}`
}
