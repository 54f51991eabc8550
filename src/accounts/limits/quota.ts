/**
 * Quotas of passports. The creating statement reserves them from a counter for account and level:
 * `migrations/functions/carnet_reserve_quota.sql`.
 */

import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { type Fragment, perDatabase } from '../../kernel/db/database.ts'
import { getShardNumber, getSharedDatabase } from '../../kernel/db/shards.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { listAccountShards } from '../account/account-shard.ts'
import { type AccountContext, withTransaction } from '../account/context.ts'
import { LEVEL_LETTER, LEVELS, type LevelLetter, type PassportLevel } from '../account/plans.ts'

const QUOTA_COLUMN = { m: 'model_quota', b: 'batch_quota', i: 'item_quota' } as const

/** How many more fit at this moment, without a lock. */
export async function getRemainingQuota(ctx: AccountContext, level: LevelLetter): Promise<number> {
  if (ctx.spread === undefined) return readRemaining(ctx, level, ctx.sql``)
  const { used, quota } = (await getUsage(ctx)).find(one => LEVEL_LETTER[one.level] === level) ?? {}
  return Math.max(0, (quota ?? Number.POSITIVE_INFINITY) - (used ?? 0))
}

async function readRemaining(
  { sql, accountId }: AccountContext,
  level: LevelLetter,
  lock: Fragment,
): Promise<number> {
  const quota = sql(QUOTA_COLUMN[level])
  const [row] = await sql<{ remaining: number | null }[]>`
    select (coalesce(a.${quota}, p.${quota}) - u.used)::bigint as remaining
    from account_usage u join account a on a.id = u.account_id join plan p on p.id = a.plan
    where u.account_id = ${accountId} and u.level = ${level}::text::"char" ${lock}`
  if (row === undefined) return 0
  return row.remaining === null ? Number.POSITIVE_INFINITY : Math.max(0, row.remaining)
}

const queues = perDatabase(() => new KeyedQueue())

type Want = { level: LevelLetter; wanted: number }

/**
 * Runs `work` in a transaction that locks the counter, with the number of passports that still fit; infinite
 * without a limit. On several shards, quota of the others is moved here as far as it is wanted.
 */
export async function withQuota<T>(
  ctx: AccountContext,
  want: Want,
  work: (tx: AccountContext, left: number) => Promise<T>,
): Promise<T> {
  const run = (count: (tx: AccountContext) => Promise<number>) =>
    withTransaction(ctx, async tx => work(tx, await count(tx)))
  if (ctx.spread === undefined) return run(tx => readRemaining(tx, want.level, tx.sql`for update of u`))
  if (isTransaction(ctx.sql)) return run(tx => dealQuota(tx, want))
  // In turns, because at the limit each create of a process comes here.
  return queues(getSharedDatabase(ctx.sql)).run(`${ctx.accountId} ${want.level}`, async () => {
    const isUsedUp = (await getRemainingQuota(ctx, want.level)) === 0
    return run(async tx => (isUsedUp ? 0 : dealQuota(tx, want)))
  })
}

/**
 * Deals the rest of the quota to all shards: what is wanted to this one, then equal shares. The quota is read
 * after the counters are locked, so that a change of the plan, which locks them too, comes before or after.
 */
async function dealQuota(ctx: AccountContext, { level, wanted }: Want): Promise<number> {
  const { sql, accountId } = ctx
  const shards = listAccountShards(ctx)
  const used: number[] = []
  for (const at of shards) {
    const [row] = await at.sql<
      { used: number }[]
    >`select used from account_usage where account_id = ${accountId} and level = ${level}::text::"char" for update`
    used.push(row?.used ?? 0)
  }
  const quota = sql(QUOTA_COLUMN[level])
  const [row] = await sql<{ quota: number | null }[]>`
    select coalesce(a.${quota}, p.${quota}) as quota from account a join plan p on p.id = a.plan where a.id = ${accountId}`
  if (typeof row?.quota !== 'number') return Number.POSITIVE_INFINITY
  const left = Math.max(0, row.quota - used.reduce((sum, n) => sum + n, 0))
  const taken = Math.min(wanted, left)
  const share = Math.floor((left - taken) / shards.length)
  for (const [i, at] of shards.entries()) {
    const part = (used[i] ?? 0) + share + (getShardNumber(at.sql) === getShardNumber(sql) ? taken : 0)
    await at.sql`update account_usage set part = ${part}
      where account_id = ${accountId} and level = ${level}::text::"char"`
  }
  return taken + share
}

/** `quota` null: unlimited. */
export type Usage = { level: PassportLevel; used: number; quota: number | null }

/** Models, batches, items, in this order. Archived passports count too. */
export async function getUsage(ctx: AccountContext): Promise<Usage[]> {
  const rows = await Promise.all(listAccountShards(ctx).map(readUsage))
  const [row] = rows
  assert(row, 'a context names an account that exists')
  return LEVELS.map(level => {
    const used = rows.reduce((sum, one) => sum + (one?.used[LEVEL_LETTER[level]] ?? 0), 0)
    return { level, used, quota: row[level] }
  })
}

async function readUsage(ctx: AccountContext): Promise<QuotaRow | undefined> {
  const [row] = await ctx.sql<QuotaRow[]>`
    select coalesce(a.model_quota, p.model_quota) as model, coalesce(a.batch_quota, p.batch_quota) as batch,
      coalesce(a.item_quota, p.item_quota) as item,
      (select coalesce(json_object_agg(u.level, u.used), '{}') from account_usage u where u.account_id = a.id) as used
    from account a join plan p on p.id = a.plan where a.id = ${ctx.accountId}`
  return row
}

type QuotaRow = Record<PassportLevel, number | null> & { used: Partial<Record<LevelLetter, number>> }
