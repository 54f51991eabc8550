/** Locks the passports that a transaction of several statements changes, before it reads them. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'

/**
 * Locks passports and their entries for the registry by shard and id: the order of all transactions
 * (docs/decisions/0065-one-order-of-locks.md). From then on the transaction waits only a moment for a GTIN
 * that another one claims; it then ends with a time-out of the lock, and `repeatTransaction` begins it again.
 */
export async function lockPassports(ctx: AccountContext, ids: readonly string[]): Promise<void> {
  for (const { sql, accountId } of ids.length === 0 ? [] : listAccountShards(ctx))
    await sql`select public.carnet_lock_passports(${accountId}, ${[...ids]}::text[]::uuid[])`
}
