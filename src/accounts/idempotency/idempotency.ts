/**
 * Runs a request with an `Idempotency-Key` once. Its transaction also stores the key and the response: a
 * repeated request waits for it and gets the stored response. A request that fails stores nothing.
 */

import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import { isLockTimeout, perDatabase, type Sql, withRetries } from '../../kernel/db/database.ts'
import { inTransaction, repeatTransaction } from '../../kernel/db/transaction.ts'
import { AppError, assert, invalid } from '../../kernel/errors/errors.ts'
import type { AccountContext } from '../account/context.ts'
import {
  IdempotencyKeyTaken,
  type IdempotencyRecord,
  type IdempotentRequest,
  isStoredKeyExpired,
  type StoredResponse,
} from '../account/idempotency-record.ts'

export const IDEMPOTENCY_KEY_LIFETIME_MS = 24 * 60 * 60 * 1_000
/** How long a repeated request waits for the first one. */
const WAIT_TIMEOUT_MS = 2_000
/** Limits the connections that idempotent transactions hold, so that reads always get one. */
const MAX_CONCURRENT = 4

type IdempotentOutcome = { response: StoredResponse; isReplayed: boolean }

const concurrency = perDatabase(() => ({
  queue: new KeyedQueue(),
  permits: new Semaphore({ capacity: MAX_CONCURRENT }),
}))

type Work = (ctx: AccountContext) => Promise<StoredResponse>

/**
 * Runs `work` in the transaction that stores its response, or repeats a response of the last 24 hours. With
 * `storesIdempotencyRecord`, `work` first runs without a transaction and stores the response itself. Throws
 * `validation` if a different request has used the key, and `idempotency_in_progress` if the first request
 * with the key runs for over two seconds.
 */
export async function runIdempotent(
  ctx: AccountContext,
  request: IdempotentRequest,
  { work, storesIdempotencyRecord = false }: { work: Work; storesIdempotencyRecord?: boolean | undefined },
): Promise<IdempotentOutcome> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS
  const { queue, permits } = concurrency(ctx.sql)
  const outcome = await queue.runWithin(`${ctx.accountId} ${request.key}`, WAIT_TIMEOUT_MS, async waited => {
    // A request that waited most likely repeats the one before it.
    const stored = waited ? await findStored(ctx, request) : undefined
    if (stored !== undefined) return stored
    // On several shards, the statement may run on another one than the key.
    const canRecord = storesIdempotencyRecord && ctx.spread === undefined
    const recorded = canRecord ? await runWithRecord(ctx, request, work) : undefined
    return recorded ?? permits.run(() => runOrReplay(ctx, request, work, deadline))
  })
  if (outcome === undefined) throw inProgressError()
  return outcome
}

/** Undefined if the key is taken. If `work` fails, an earlier response to the key is replayed. */
async function runWithRecord(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
): Promise<IdempotentOutcome | undefined> {
  const record: IdempotencyRecord = { request, isStored: false }
  try {
    const response = await work({ ...ctx, idempotency: record })
    assert(record.isStored, '`work` stored the idempotency record it was given')
    return { response, isReplayed: false }
  } catch (error) {
    if (error instanceof IdempotencyKeyTaken) return undefined
    const stored = error instanceof AppError ? await findStored(ctx, request) : undefined
    if (stored !== undefined) return stored
    throw error
  }
}

/** Runs `work` in a transaction, or replays the response of an earlier request with the key. */
async function runOrReplay(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
  deadline: number,
): Promise<IdempotentOutcome> {
  for (;;) {
    const run = () => withRetries(() => runInTransaction(ctx, request, work, deadline))
    const response = await repeatTransaction(run)
    if (response !== undefined) return { response, isReplayed: false }
    const stored = await findStored(ctx, request)
    if (stored !== undefined) return stored
    // The stored response expired or was deleted between the two statements.
  }
}

/** Undefined if an earlier request has used the key. */
async function runInTransaction(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
  deadline: number,
): Promise<StoredResponse | undefined> {
  const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()))
  return inTransaction(
    ctx.sql,
    async sql => {
      if (!(await insertKey({ ...ctx, sql }, request, timeoutMs))) return undefined
      return work({ ...ctx, sql })
    },
    (sql, response) =>
      response === undefined ? undefined : storeResponse({ ...ctx, sql }, request, response),
  )
}

/** False if an earlier request has the key. Waits at most `timeoutMs` for a transaction that writes it. */
async function insertKey(ctx: AccountContext, { key, fingerprint }: IdempotentRequest, timeoutMs: number) {
  const now = ctx.clock.now()
  try {
    const rows = await ctx.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key)
      select ${now}::timestamptz, ${ctx.accountId}::int, ${fingerprint}::bytea, ${key}::text
      where set_config('lock_timeout', ${String(timeoutMs)}, true) is not null
      on conflict (account_id, key) do update
        set created_at = excluded.created_at, fingerprint = excluded.fingerprint, status = null, headers = null, body = null
        where ${isStoredKeyExpired(ctx.sql)}
      returning set_config('lock_timeout', '0', true)`
    return rows.length > 0
  } catch (error) {
    throw isLockTimeout(error) ? inProgressError() : error
  }
}

const storeResponse = (
  { sql, accountId }: AccountContext,
  { key }: IdempotentRequest,
  { status, headers, body }: StoredResponse,
) => sql`
  update idempotency_key
  set status = ${status}, headers = ${JSON.stringify(headers)}::text::jsonb, body = ${body}
  where account_id = ${accountId} and key = ${key}`

async function findStored(
  { sql, clock, accountId }: AccountContext,
  { key, fingerprint }: IdempotentRequest,
): Promise<IdempotentOutcome | undefined> {
  const [row] = await sql<(StoredResponse & { fingerprint: Buffer })[]>`
    select status, headers, body, fingerprint from idempotency_key
    where account_id = ${accountId} and key = ${key} and created_at > ${getExpiryCutoff(clock.now())}`
  if (row === undefined) return undefined
  const { fingerprint: storedFingerprint, ...response } = row
  if (!storedFingerprint.equals(fingerprint)) throw keyReusedError()
  return { response, isReplayed: true }
}

const getExpiryCutoff = (now: Date) => new Date(now.getTime() - IDEMPOTENCY_KEY_LIFETIME_MS)

const MAX_DELETED_AT_ONCE = 500

/** Deletes keys older than a day, 500 per statement, and returns how many. Processes take different rows. */
export async function deleteExpiredKeys(sql: Sql, now: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const { count } = await sql`
      delete from idempotency_key where ctid = any(array(
        select ctid from idempotency_key where created_at <= ${getExpiryCutoff(now)}
        order by created_at limit ${MAX_DELETED_AT_ONCE} for update skip locked))`
    deleted += count
    if (count < MAX_DELETED_AT_ONCE) return deleted
  }
}

function inProgressError(): AppError {
  const message =
    'A request with this Idempotency-Key is still running. Send it again in a moment to get its response.'
  return new AppError('idempotency_in_progress', message, undefined, 1_000)
}

const keyReusedError = () =>
  invalid([
    {
      path: ['Idempotency-Key'],
      in: 'header',
      code: 'idempotency_key_reused',
      message:
        'This Idempotency-Key was used in the last 24 hours for another request (method, address or body differ). ' +
        'Nothing was changed; send this one with another key.',
    },
  ])
