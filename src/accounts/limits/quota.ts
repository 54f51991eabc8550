/** Quotas of passports: reserved by the creating statement, from a counter for account and level. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors.ts'
import type { AccountContext } from '../context.ts'
import { LEVEL_LETTER, LEVELS, type LevelLetter, type PassportLevel } from '../plans.ts'

const QUOTA_COLUMN = { m: 'model_quota', b: 'batch_quota', i: 'item_quota' } as const

/**
 * Body of a CTE. `wanted` is a relation (account_id, n). Returns the accounts for which all n fit; no other
 * counter changes. Counters are locked in the order of accounts, so that two statements never wait for each
 * other.
 */
export function reserveQuota(sql: Sql, level: LevelLetter, wanted: Fragment): Fragment {
  const quota = sql(QUOTA_COLUMN[level])
  return sql`
    update account_usage u set used = u.used + w.n
    from (
      select l.account_id, c.n, coalesce(a.${quota}, p.${quota}) as quota
      from (${wanted}) c
      join account_usage l on l.account_id = c.account_id and l.level = ${level}::text::"char"
      join account a on a.id = c.account_id
      join plan p on p.id = a.plan
      order by l.account_id for update of l
    ) w
    where u.account_id = w.account_id and u.level = ${level}::text::"char" and (w.quota is null or u.used + w.n <= w.quota)
    returning u.account_id`
}

/** Locks the counter for the transaction and returns how many more fit; infinite without a limit. */
export const lockRemainingQuota = (sql: Sql, want: Counter): Promise<number> =>
  readRoom(sql, want, sql`for update of u`)

/** How many more fit at this moment, without a lock. */
export const getRemainingQuota = (sql: Sql, want: Counter): Promise<number> => readRoom(sql, want, sql``)

type Counter = { accountId: number; level: LevelLetter }

async function readRoom(sql: Sql, want: Counter, lock: Fragment): Promise<number> {
  const quota = sql(QUOTA_COLUMN[want.level])
  const [row] = await sql<{ room: number | null }[]>`
    select (coalesce(a.${quota}, p.${quota}) - u.used)::bigint as room
    from account_usage u join account a on a.id = u.account_id join plan p on p.id = a.plan
    where u.account_id = ${want.accountId} and u.level = ${want.level}::text::"char" ${lock}`
  if (row === undefined) return 0
  return row.room === null ? Number.POSITIVE_INFINITY : Math.max(0, row.room)
}

/** `quota` null: unlimited. */
export type Usage = { level: PassportLevel; used: number; quota: number | null }

/** Models, batches, items, in this order. Archived passports count too. */
export async function getUsage(ctx: AccountContext): Promise<Usage[]> {
  const [row] = await ctx.sql<QuotaRow[]>`
    select coalesce(a.model_quota, p.model_quota) as model, coalesce(a.batch_quota, p.batch_quota) as batch,
      coalesce(a.item_quota, p.item_quota) as item,
      (select coalesce(json_object_agg(u.level, u.used), '{}') from account_usage u where u.account_id = a.id) as used
    from account a join plan p on p.id = a.plan where a.id = ${ctx.accountId}`
  assert(row, 'a context names an account that exists')
  return LEVELS.map(level => ({ level, used: row.used[LEVEL_LETTER[level]] ?? 0, quota: row[level] }))
}

type QuotaRow = Record<PassportLevel, number | null> & { used: Partial<Record<LevelLetter, number>> }
