/** Finds some passports of an account that stand for all of them. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { findSummaries, type PassportSummary } from './list.ts'
import { countAllPassports } from './totals.ts'

/** About as many as `count` on each shard, spread evenly over all in the order in which they were created. */
export async function samplePassports(ctx: AccountContext, count: number): Promise<PassportSummary[]> {
  const step = Math.max(1, Math.floor((await countAllPassports(ctx)) / count))
  const found = listAccountShards(ctx).map(async at => {
    const rows = await at.sql<{ id: string }[]>`
      select id from (
        select id, row_number() over (order by id) as n from passport
        where account_id = ${at.accountId} and updated_at > '-infinity'
      ) numbered where n % ${step}::int = 0 limit ${count}`
    return findSummaries(
      at,
      rows.map(({ id }) => id),
    )
  })
  return (await Promise.all(found)).flat()
}
