/** Lists an account's scan events of the last 30 days, for the console: no webhook is needed to see them. */
import { byTimeDescending, readAllShards } from '../accounts/account/account-shard.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { uuidFloor } from '../kernel/crypto/ids.ts'
import { EVENT_RETENTION_MS } from './retention.ts'

type Type = 'scan.milestone' | 'scan.clone_suspected'

/** Newest first; if `productId` is given, only its events. */
export async function listScanEvents<T>(
  ctx: AccountContext,
  filter: { type: Type; limit: number; productId?: string },
): Promise<{ at: Date; data: T }[]> {
  return (await readAllShards(ctx, byTimeDescending, at => readScanEvents<T>(at, filter))).slice(
    0,
    filter.limit,
  )
}

async function readScanEvents<T>(
  { sql, accountId, clock }: AccountContext,
  { type, limit, productId }: { type: Type; limit: number; productId?: string },
): Promise<{ at: Date; data: T }[]> {
  // A literal, not a parameter: otherwise PostgreSQL cannot use the partial index.
  const typeFilter =
    type === 'scan.milestone' ? sql`type = 'scan.milestone'` : sql`type = 'scan.clone_suspected'`
  const productFilter = productId === undefined ? sql`` : sql`and data->>'product_id' = ${productId}`
  return sql<{ at: Date; data: T }[]>`
    select created_at as at, data from event where account_id = ${accountId} and ${typeFilter} ${productFilter}
      and id >= ${uuidFloor(clock.now().getTime() - EVENT_RETENTION_MS)}::uuid
    order by id desc limit ${limit}`
}
