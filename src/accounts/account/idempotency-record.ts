/**
 * The fast path of an Idempotency-Key: an operation with a batched statement stores key and response in it. A
 * transaction of its own would cost five round trips and could not share the statement.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

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
