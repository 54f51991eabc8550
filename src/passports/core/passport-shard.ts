/** Finds the shards of passports, for an account whose models are on several. */
import { atShard, listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'

/**
 * Finds the shard of the account that has this passport. Returns `ctx` on that shard, or undefined if no
 * shard has it.
 */
export async function findPassportShard<C extends AccountContext>(
  ctx: C,
  uuid: string,
): Promise<C | undefined> {
  const named = Number.parseInt(uuid.slice(-3), 16)
  const orderOf = (shard: number) => (shard === named ? 0 : 1)
  for (const shard of (ctx.spread?.shards ?? []).toSorted((a, b) => orderOf(a) - orderOf(b))) {
    const at = atShard(ctx, shard)
    const found = await at.sql`select from passport where id = ${uuid} and account_id = ${ctx.accountId}`
    if (found.length > 0) return at
  }
  return undefined
}

/** These passports by their shard, as contexts. Those of nobody, or of other accounts, are in none. */
export const locatePassports = async <C extends AccountContext>(
  ctx: C,
  uuids: readonly string[],
): Promise<{ at: C; ids: Set<string> }[]> =>
  Promise.all(
    listAccountShards(ctx).map(async at => {
      const rows = await at.sql<{ id: string }[]>`
        select id from passport where account_id = ${ctx.accountId} and id = any(${[...uuids]}::text[]::uuid[])`
      return { at, ids: new Set(rows.map(({ id }) => id)) }
    }),
  )
