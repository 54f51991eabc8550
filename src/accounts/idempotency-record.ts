/**
 * The short way of an Idempotency-Key: a verb that writes with one statement, gathered with those of others, keeps the
 * key and the answer in that statement, too. Round it a transaction would cost five round trips, and the gathering.
 */
import { type Fragment, type Sql, sqlState } from '../kernel/db/database.ts'

/** `key` as the client chose it; `fingerprint` of all that makes a request this one and no other. */
export type IdempotentRequest = { key: string; fingerprint: Buffer }
/** An answer as it went out: it is kept and repeated byte for byte. */
export type StoredResponse = { status: number; headers: Readonly<Record<string, string>>; body: string }

/**
 * Handed to a verb that keeps the answer with its own statement, instead of a transaction round it. It says so in
 * `isStored`, or throws `IdempotencyKeyTaken` having written nothing.
 */
export type IdempotencyRecord = { request: IdempotentRequest; isStored: boolean }

/** The key has been used, or is being used: the long way finds out which. */
export class IdempotencyKeyTaken extends Error {
  override name = 'KeyTaken'
}

/** What of a receipt goes with a row into the statement that keeps it; null without one. */
export const toIdempotencyRow = (receipt: IdempotencyRecord | undefined, answer: () => StoredResponse) =>
  receipt === undefined
    ? null
    : { key: receipt.request.key, fingerprint: receipt.request.fingerprint.toString('hex'), ...answer() }

/**
 * Body of a CTE that keeps the receipts of a relation `input (at, account_id, receipt)` and gives the `account_id` and
 * `key` of those whose key was free. It waits for a key that another transaction is writing, but not for long: the
 * rows of others are in the same statement.
 */
export const storeResponses = (sql: Sql): Fragment => sql`
  insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
  select at, account_id, decode(receipt->>'fingerprint', 'hex'), receipt->>'key', (receipt->>'status')::smallint,
    receipt->'headers', receipt->>'body'
  from (select * from input where receipt is not null order by account_id, receipt->>'key') one
  where set_config('lock_timeout', '200ms', true) is not null
  on conflict (account_id, key) do update set created_at = excluded.created_at, fingerprint = excluded.fingerprint,
    status = excluded.status, headers = excluded.headers, body = excluded.body
    where idempotency_key.created_at <= excluded.created_at - interval '24 hours'
  returning account_id, key, set_config('lock_timeout', '0', true)`

const LOCK_NOT_AVAILABLE = '55P03'
export const isLockTimeout = (error: unknown) => sqlState(error) === LOCK_NOT_AVAILABLE
