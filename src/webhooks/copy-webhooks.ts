/** Each shard of an account has a copy of its webhooks: events are written where their passport is. */
import type { AccountContext } from '../accounts/account/context.ts'
import { getShard } from '../kernel/db/shards.ts'

/** Copies all webhooks from the account's home, or one, in the transaction that adds it or the shards. */
export async function copyWebhooks(
  { sql, accountId }: AccountContext,
  shards: readonly number[],
  id?: string,
): Promise<void> {
  if (shards.length === 0) return
  const rows = await sql<{ id: string }[]>`
    select account_id, id, slot, status, revision, url, description, events, secret, old_secret, old_until, old_signs,
      created_at, removed_at, failures, failing_since, wait_until, disabled_reason
    from webhook_endpoint where account_id = ${accountId} ${id === undefined ? sql`` : sql`and id = ${id}`} for update`
  for (const shard of rows.length === 0 ? [] : shards) {
    const to = getShard(sql, shard)
    await to`insert into webhook_endpoint ${to(rows)}`
  }
}
