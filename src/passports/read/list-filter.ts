/** The filters of lists of passports, as conditions of SQL. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { type Fragment, perDatabase, unprepared } from '../../kernel/db/database.ts'
import { getShardNumber } from '../../kernel/db/shards.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { normaliseSku } from '../core/check-data.ts'
import { selectAllOutdatedContents, selectContentsCorrectedSince } from '../core/outdated.ts'
import type { StatusLetter } from '../core/record.ts'

export type Level = 'm' | 'b' | 'i'

export type ListFilter = {
  levels: readonly Level[]
  status?: StatusLetter | undefined
  category?: string | undefined
  updatedSince?: Date | undefined
  outdated?: boolean | undefined
  sku?: string | undefined
  gtin14?: string | undefined
  lot?: string | undefined
  serial?: string | undefined
  q?: string | undefined
  parentId?: string | undefined
  /** Active passports whose facts are the same as those of a group. */
  facts?: FactsFilter | undefined
}

/** `rare`: the levels whose passports are found by their facts rather than one after the other. */
export type FactsFilter = { groups: readonly FactGroup[]; rare: readonly Level[] }

/**
 * Active passports of a level whose facts are the same: what the rules of readiness reports ask of their
 * data.
 */
export type FactGroup = {
  /** Null: the shared database. */
  shard: number | null
  level: Level
  category: string
  has_children: boolean
  facts_version: number
  bits: Buffer
  /** How many they are. */
  n: number
  /** How many contents and units with own fields have these facts. */
  subjects: number
}

/** The groups of the filter that may be on the shard of the context. */
export const selectGroups = (
  { sql }: Pick<AccountContext, 'sql'>,
  { levels, status, category, facts }: ListFilter,
): FactGroup[] =>
  (facts?.groups ?? []).filter(
    group =>
      group.shard === getShardNumber(sql) &&
      levels.includes(group.level) &&
      (category ?? group.category) === group.category &&
      status !== 'x',
  )

export type Prepare = <T extends object>(statement: T) => T

/** Each combination of filters is a statement. Prepared: status, category and word, or one other filter. */
export function preparedIfFrequent({ levels, status, category, q, ...others }: ListFilter): Prepare {
  const countSet = (filters: object) => Object.values(filters).filter(value => value !== undefined).length
  const isFrequent = countSet(others) + Math.min(countSet({ status, category, q }), 1) <= 1
  return isFrequent ? statement => statement : unprepared
}

/**
 * All filters but the search word. Levels are literals, so that PostgreSQL can use the partial indexes.
 * Only units have a lot: without that, no index begins with the account.
 */
export function filterConditions(ctx: AccountContext, filter: ListFilter): Fragment {
  const { sql, accountId } = ctx
  const levels = levelConditions(sql)[filter.levels.join('')]
  const none = nothing(sql)
  assert(levels !== undefined, 'the levels of a filter are in the table')
  return sql`
    p.account_id = ${accountId} ${levels}
    ${filter.status === undefined ? none : sql`and p.status = ${filter.status}::text::"char"`}
    ${filter.category === undefined ? none : sql`and p.category = ${filter.category}`}
    ${filter.updatedSince === undefined ? none : changedSinceCondition(ctx, filter.updatedSince)}
    ${filter.outdated === undefined ? none : outdatedCondition(ctx, filter.outdated)}
    ${filter.lot === undefined ? none : sql`and p.parent_id is not null and p.lot = ${filter.lot}`}
    ${filter.serial === undefined ? none : sql`and p.serial = ${filter.serial}`}
    ${filter.sku === undefined ? none : sql`and p.sku = ${normaliseSku(filter.sku)}`}
    ${filter.gtin14 === undefined ? none : sql`and p.gtin14 = ${filter.gtin14}`}
    ${filter.parentId === undefined ? none : sql`and p.parent_id = ${filter.parentId}`}
    ${filter.facts === undefined ? none : sql`and p.status = 'a' and ${factsCondition(ctx, filter)}`}`
}

/** A subquery by key for each row, which the planner cannot turn into a join of all rows before the first. */
const factsCondition = (ctx: AccountContext, filter: ListFilter): Fragment => {
  const { sql } = ctx
  const keys = selectGroups(ctx, filter).map(
    group => `${group.level}${group.has_children} ${group.facts_version} ${group.bits.toString('hex')}`,
  )
  return sql`(
    select p.level::text || case when p.level <> 'i' and exists (
        select from passport child where child.account_id = p.account_id and child.parent_id = p.id
      ) then 'true ' else 'false ' end || f.facts_version || ' ' || encode(f.bits, 'hex')
    from readiness_facts f where f.account_id = p.account_id
      and f.kind = case when p.own is null then 'c'::"char" else 'u'::"char" end
      and f.subject = case when p.own is null then p.content_id else p.id end
      and f.version_no = case when p.own is null then 0 else p.version_no end
  ) = any(${keys}::text[])`
}

/** Fragments are made once where they can be: each takes 3 µs, of which a page would have thirty. */
export const nothing = perDatabase((sql): Fragment => sql``)

const levelConditions = perDatabase(
  (sql): Readonly<Record<string, Fragment>> => ({
    m: sql`and p.level = 'm' and p.level <> 'i'`,
    b: sql`and p.level = 'b' and p.level <> 'i'`,
    i: sql`and p.level = 'i'`,
    bi: sql`and p.parent_id is not null`,
    mbi: nothing(sql),
  }),
)

const outdatedCondition = ({ sql, accountId }: AccountContext, wanted: boolean): Fragment => {
  const among = sql`p.content_id = any(array(${selectAllOutdatedContents(sql, accountId)}))`
  return wanted
    ? sql`and p.parent_id is not null and ${among}`
    : sql`and not (p.parent_id is not null and ${among})`
}

/**
 * For searches; see also `listChangedPassports`. With `-infinity` PostgreSQL may use an index that it ignores
 * in all other statements.
 */
const changedSinceCondition = ({ sql, accountId }: AccountContext, since: Date): Fragment => sql`
  and (greatest(p.updated_at, p.stored_at) >= ${since} and p.updated_at > '-infinity' or (p.parent_id is not null
    and p.content_id = any(array(select id from (${selectContentsCorrectedSince(sql, accountId, since)}) c))))`
