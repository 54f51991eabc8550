/** Leads to the shards of accounts. Without shards, none of this asks the database. */

import type { Sql } from '../kernel/db/database.ts'
import { getShard, getShardNumber, getSharedDatabase, hasShards, listShards } from '../kernel/db/shards.ts'
import { notFound } from '../kernel/errors.ts'
import type { OperatorContext } from './context.ts'

/**
 * The database of an account. Inside a transaction, it switches the transaction to that database. Throws
 * `not_found`.
 */
export async function enterAccount(sql: Sql, accountId: number): Promise<Sql> {
  if (!hasShards(sql)) return sql
  const [account] = await sql<{ shard: number | null }[]>`select shard from account where id = ${accountId}`
  if (account === undefined) throw notFound('account')
  return getShard(sql, account.shard)
}

/** The shard for a new account: the one with the fewest passports, then accounts. Null without shards. */
export async function chooseShard(sql: Sql): Promise<number | null> {
  if (!hasShards(sql)) return null
  const loads = await Promise.all(
    listShards(getSharedDatabase(sql)).map(async shard => {
      const [row] = await shard<{ passports: number; accounts: number }[]>`
        select coalesce(sum(used), 0)::bigint as passports, count(distinct account_id)::int as accounts from account_usage`
      return { number: getShardNumber(shard), passports: row?.passports ?? 0, accounts: row?.accounts ?? 0 }
    }),
  )
  // Sorting is stable: of equal ones the first.
  const [best] = loads.toSorted((a, b) => a.passports - b.passports || a.accounts - b.accounts)
  return best?.number ?? null
}

/** Runs `work` once in each shard that has an account of this person. */
export async function forEachShardOf(
  ctx: OperatorContext,
  personId: string,
  work: (ctx: OperatorContext, shard: number | null) => Promise<void>,
): Promise<void> {
  if (!hasShards(ctx.sql)) return work(ctx, null)
  const rows = await ctx.sql<{ shard: number | null }[]>`
    select distinct a.shard from membership m join account a on a.id = m.account_id where m.person_id = ${personId}`
  for (const { shard } of rows) await work({ ...ctx, sql: getShard(ctx.sql, shard) }, shard)
}

/** The number of accounts on each shard that has any. */
export async function countAccountsByShard({ sql }: OperatorContext): Promise<Map<number, number>> {
  const rows = await sql<{ shard: number; n: number }[]>`
    select shard, count(*)::int as n from account where shard is not null group by shard`
  return new Map(rows.map(({ shard, n }) => [shard, n]))
}

/** Sentences about accounts on a shard that does not exist, or on none although there are shards. */
export async function findMisplacedAccounts({ sql }: OperatorContext): Promise<string[]> {
  const shards = listShards(sql).map(getShardNumber)
  const rows = await sql<{ shard: number | null; n: number }[]>`
    select shard, count(*)::int as n from account group by shard order by shard`
  return rows
    .filter(({ shard }) => !shards.includes(shard))
    .map(({ shard, n }) =>
      shard === null
        ? `${n} accounts are on no shard: a server created them that was not restarted after "shards create"`
        : `${n} accounts are on shard ${shard}, which does not exist: restore it from a backup`,
    )
}
