/** The filters of lists of passports, as conditions of SQL. */
import type { AccountContext } from '../../accounts/context.ts'
import { type Fragment, perDatabase, unprepared } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors.ts'
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
}

export type Prepare = <T extends object>(statement: T) => T

/** Each combination of filters is a statement. Prepared: status, category and word, or one other filter. */
export function preparedIfFrequent({ levels, status, category, q, ...others }: ListFilter): Prepare {
  const countSet = (filters: object) => Object.values(filters).filter(value => value !== undefined).length
  const isFrequent = countSet(others) + Math.min(countSet({ status, category, q }), 1) <= 1
  return isFrequent ? statement => statement : unprepared
}

/** All filters but the search word. Levels are literals, so that PostgreSQL can use the partial indexes. */
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
    ${filter.lot === undefined ? none : sql`and p.lot = ${filter.lot}`}
    ${filter.serial === undefined ? none : sql`and p.serial = ${filter.serial}`}
    ${filter.sku === undefined ? none : sql`and p.sku = ${normaliseSku(filter.sku)}`}
    ${filter.gtin14 === undefined ? none : sql`and p.gtin14 = ${filter.gtin14}`}
    ${filter.parentId === undefined ? none : sql`and p.parent_id = ${filter.parentId}`}`
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
