/** The events of scans that an account still has, 30 days of them: what its people look at without a webhook. */
import type { AccountContext } from '../accounts/context.ts'
import { uuidFloor } from '../kernel/ids.ts'
import { EVENT_RETENTION_MS } from './retention.ts'

type Type = 'scan.milestone' | 'scan.clone_suspected'

/** Newest first; of one product alone if it is named. */
export async function listScanEvents<T>(
  { sql, accountId, clock }: AccountContext,
  { type, limit, productId }: { type: Type; limit: number; productId?: string },
): Promise<{ at: Date; data: T }[]> {
  // Said in the statement itself: a parameter would not tell the partial index that it is meant.
  const only = type === 'scan.milestone' ? sql`type = 'scan.milestone'` : sql`type = 'scan.clone_suspected'`
  const one = productId === undefined ? sql`` : sql`and data->>'product_id' = ${productId}`
  return sql<{ at: Date; data: T }[]>`
    select created_at as at, data from event where account_id = ${accountId} and ${only} ${one}
      and id >= ${uuidFloor(clock.now().getTime() - EVENT_RETENTION_MS)}::uuid
    order by id desc limit ${limit}`
}
