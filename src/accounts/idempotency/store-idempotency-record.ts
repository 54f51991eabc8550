/**
 * For an operation with a transaction of its own: it stores the idempotency record in it, and before it locks
 * anything else (docs/decisions/0065-one-order-of-locks.md). Nothing is done for a request without a key.
 */
import type { AccountContext } from '../account/context.ts'
import { IdempotencyKeyTaken, type StoredResponse } from '../account/idempotency-record.ts'

/** If the response is known before anything is locked. Throws IdempotencyKeyTaken. */
export async function storeIdempotencyRecord(ctx: AccountContext, response: StoredResponse): Promise<void> {
  await insertRecord(ctx, response)
  if (ctx.idempotency !== undefined) ctx.idempotency.isStored = true
}

/** Call `storeClaimedResponse` before the transaction ends. Throws IdempotencyKeyTaken. */
export const claimIdempotencyKey = (ctx: AccountContext): Promise<void> => insertRecord(ctx, undefined)

export async function storeClaimedResponse(
  { sql, accountId, idempotency }: AccountContext,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  if (idempotency === undefined) return
  await sql`
    update idempotency_key
    set status = ${status}, headers = ${JSON.stringify(headers)}::text::jsonb, body = ${body}
    where account_id = ${accountId} and key = ${idempotency.request.key}`
  idempotency.isStored = true
}

async function insertRecord(
  { sql, clock, accountId, idempotency }: AccountContext,
  response: StoredResponse | undefined,
): Promise<void> {
  if (idempotency === undefined) return
  const { key, fingerprint } = idempotency.request
  const { status = null, body = null } = response ?? {}
  const headers = response === undefined ? null : JSON.stringify(response.headers)
  const { count } = await sql`
    insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
    values (${clock.now()}, ${accountId}, ${fingerprint}, ${key}, ${status}, ${headers}::text::jsonb, ${body})
    on conflict (account_id, key) do nothing`
  if (count === 0) throw new IdempotencyKeyTaken()
}
