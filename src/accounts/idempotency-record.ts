/**
 * The fast path of an Idempotency-Key: an operation with a batched statement stores key and response in it. A
 * transaction of its own would cost five round trips and could not share the statement.
 */
import type { Fragment, Sql } from '../kernel/db/database.ts'

/** `key` is the client's; `fingerprint` hashes the method, address and body. */
export type IdempotentRequest = { key: string; fingerprint: Buffer }
/** The response to the first request; repeated requests get the same bytes. */
export type StoredResponse = { status: number; headers: Readonly<Record<string, string>>; body: string }

/**
 * An operation that stores the record sets `isStored`; one that throws `IdempotencyKeyTaken` wrote nothing.
 */
export type IdempotencyRecord = { request: IdempotentRequest; isStored: boolean }

/** The key has been used or is in use. The transaction of `runIdempotent` finds out which. */
export class IdempotencyKeyTaken extends Error {
  override name = 'IdempotencyKeyTaken'
}

/** The record as JSON for the statement's input row; null without one. */
export function toIdempotencyRow(record: IdempotencyRecord | undefined, buildResponse: () => StoredResponse) {
  if (record === undefined) return null
  const { key, fingerprint } = record.request
  return { key, fingerprint: fingerprint.toString('hex'), ...buildResponse() }
}

/**
 * After `on conflict`: whether the stored key has expired. In UTC, because Citus takes only immutable
 * expressions there, and a day before a `timestamptz` depends on the session's time zone.
 */
export const isStoredKeyExpired = (sql: Sql): Fragment =>
  sql`idempotency_key.created_at at time zone 'UTC' <= excluded.created_at at time zone 'UTC' - interval '24 hours'`

/**
 * Body of a CTE: stores the records of a relation `input (at, account_id, idempotency)` and returns
 * `account_id` and `key` where the key was free. It waits at most 200 ms for another transaction, because
 * other requests share the statement.
 */
export const storeResponses = (sql: Sql): Fragment => sql`
  insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
  select at, account_id, decode(idempotency->>'fingerprint', 'hex'), idempotency->>'key', (idempotency->>'status')::smallint,
    idempotency->'headers', idempotency->>'body'
  from (select * from input where idempotency is not null order by account_id, idempotency->>'key') with_key
  where set_config('lock_timeout', '200ms', true) is not null
  on conflict (account_id, key) do update set created_at = excluded.created_at, fingerprint = excluded.fingerprint,
    status = excluded.status, headers = excluded.headers, body = excluded.body
    where ${isStoredKeyExpired(sql)}
  returning account_id, key, set_config('lock_timeout', '0', true)`
