/**
 * Quotas of passports. The creating statement reserves them from a counter for account and level:
 * `carnet_reserve_quota` in `migrations/0028_write_functions.sql`.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors.ts'
import type { AccountContext } from '../context.ts'
import { LEVEL_LETTER, LEVELS, type LevelLetter, type PassportLevel } from '../plans.ts'

const QUOTA_COLUMN = { m: 'model_quota', b: 'batch_quota', i: 'item_quota' } as const

/** Locks the counter and returns how many more passports fit; infinite without a limit. */
export const lockRemainingQuota = (sql: Sql, counter: Counter): Promise<number> =>
  readRemaining(sql, counter, sql`for update of u`)

/** The same without a lock: the answer may be outdated at once. */
export const getRemainingQuota = (sql: Sql, counter: Counter): Promise<number> =>
  readRemaining(sql, counter, sql``)

type Counter = { accountId: number; level: LevelLetter }

async function readRemaining(sql: Sql, { accountId, level }: Counter, lock: Fragment): Promise<number> {
  const quota = sql(QUOTA_COLUMN[level])
  const [row] = await sql<{ remaining: number | null }[]>`
    select (coalesce(a.${quota}, p.${quota}) - u.used)::bigint as remaining
    from account_usage u join account a on a.id = u.account_id join plan p on p.id = a.plan
    where u.account_id = ${accountId} and u.level = ${level}::text::"char" ${lock}`
  if (row === undefined) return 0
  return row.remaining === null ? Number.POSITIVE_INFINITY : Math.max(0, row.remaining)
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
