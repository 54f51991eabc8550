/** For an operation with a transaction of its own: it stores the idempotency record in it. */
import type { AccountContext } from './context.ts'
import { IdempotencyKeyTaken, type StoredResponse } from './idempotency-record.ts'

/** Does nothing for a request without a key. Throws IdempotencyKeyTaken. */
export async function storeIdempotencyRecord(
  { sql, clock, accountId, idempotency }: AccountContext,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  if (idempotency === undefined) return
  const { key, fingerprint } = idempotency.request
  const { count } = await sql`
    insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
    values (${clock.now()}, ${accountId}, ${fingerprint}, ${key}, ${status},
      ${JSON.stringify(headers)}::text::jsonb, ${body})
    on conflict (account_id, key) do nothing`
  if (count === 0) throw new IdempotencyKeyTaken()
  idempotency.isStored = true
}
