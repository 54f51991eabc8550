/**
 * Makes a repeated request take effect once: its transaction also writes the Idempotency-Key. A second
 * request waits for that row and gets the stored response. A refused or failed request leaves no key.
 */
import { perDatabase, type Sql, withRetries } from '../kernel/db/database.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
import { AppError, assert, invalid } from '../kernel/errors.ts'
import { KeyedQueue } from '../kernel/keyed-queue.ts'
import { Semaphore } from '../kernel/semaphore.ts'
import type { AccountContext } from './context.ts'
import {
  IdempotencyKeyTaken,
  type IdempotencyRecord,
  type IdempotentRequest,
  isLockTimeout,
  type StoredResponse,
} from './idempotency-record.ts'

const IDEMPOTENCY_KEY_LIFETIME_MS = 24 * 60 * 60 * 1_000
/** How long a repeated request waits for the first one. */
const WAIT_TIMEOUT_MS = 2_000
/** Limits the connections that idempotent transactions hold, so that reads always get one. */
const MAX_CONCURRENT = 4

type IdempotentOutcome = { answer: StoredResponse; replayed: boolean }

const waiting = perDatabase(() => ({
  queue: new KeyedQueue(),
  permits: new Semaphore({ capacity: MAX_CONCURRENT }),
}))

type Work = (ctx: AccountContext) => Promise<StoredResponse>

/**
 * Runs `work` in the transaction that stores its response, or repeats a response of the last 24 hours. With
 * `storesIdempotencyRecord`, `work` first runs without a transaction and stores the response itself. Throws `validation`
 * if another request used the key, and `idempotency_in_progress` if that one runs for over two seconds.
 */
export async function runIdempotent(
  ctx: AccountContext,
  request: IdempotentRequest,
  { work, storesIdempotencyRecord = false }: { work: Work; storesIdempotencyRecord?: boolean | undefined },
): Promise<IdempotentOutcome> {
  const until = performance.now() + WAIT_TIMEOUT_MS
  const { queue, permits } = waiting(ctx.sql)
  const outcome = await queue.runWithin(`${ctx.accountId} ${request.key}`, WAIT_TIMEOUT_MS, async waited => {
    // A request that waited most likely repeats the one before it.
    const known = waited ? await findStored(ctx, request) : undefined
    if (known !== undefined) return known
    const outcome = storesIdempotencyRecord ? await runWithRecord(ctx, request, work) : undefined
    return outcome ?? permits.run(() => runUntilSettled(ctx, request, work, until))
  })
  if (outcome === undefined) throw inProgress()
  return outcome
}

/** Undefined if the key is taken. If `work` fails, an earlier response to the key still wins. */
async function runWithRecord(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
): Promise<IdempotentOutcome | undefined> {
  const record: IdempotencyRecord = { request, isStored: false }
  try {
    const answer = await work({ ...ctx, idempotency: record })
    assert(record.isStored, '`work` stored the idempotency record it was given')
    return { answer, replayed: false }
  } catch (error) {
    if (error instanceof IdempotencyKeyTaken) return undefined
    const known = error instanceof AppError ? await findStored(ctx, request) : undefined
    if (known !== undefined) return known
    throw error
  }
}

async function runUntilSettled(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
  until: number,
): Promise<IdempotentOutcome> {
  for (;;) {
    const answer = await withRetries(() => runInTransaction(ctx, request, work, until))
    if (answer !== undefined) return { answer, replayed: false }
    const known = await findStored(ctx, request)
    if (known !== undefined) return known
    // The key expired or was deleted between the two statements.
  }
}

/** Undefined when a completed request has used the key. */
async function runInTransaction(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
  until: number,
): Promise<StoredResponse | undefined> {
  const timeoutMs = Math.max(1, Math.ceil(until - performance.now()))
  return inTransaction(
    ctx.sql,
    async sql => {
      if (!(await insertKey({ ...ctx, sql }, request, timeoutMs))) return undefined
      return work({ ...ctx, sql })
    },
    (sql, answer) => (answer === undefined ? undefined : storeResponse({ ...ctx, sql }, request, answer)),
  )
}

/**
 * False if another request has the key. `lock_timeout` bounds the wait for a transaction that writes the same
 * key.
 */
async function insertKey(ctx: AccountContext, { key, fingerprint }: IdempotentRequest, timeoutMs: number) {
  const now = ctx.clock.now()
  try {
    const rows = await ctx.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key)
      select ${now}::timestamptz, ${ctx.accountId}::int, ${fingerprint}::bytea, ${key}::text
      where set_config('lock_timeout', ${String(timeoutMs)}, true) is not null
      on conflict (account_id, key) do update
        set created_at = excluded.created_at, fingerprint = excluded.fingerprint, status = null, headers = null, body = null
        where idempotency_key.created_at <= ${getExpiryCutoff(now)}
      returning set_config('lock_timeout', '0', true)`
    return rows.length > 0
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error
  }
}

const storeResponse = (
  { sql, accountId }: AccountContext,
  { key }: IdempotentRequest,
  answer: StoredResponse,
) => sql`
  update idempotency_key
  set status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::text::jsonb, body = ${answer.body}
  where account_id = ${accountId} and key = ${key}`

async function findStored(
  { sql, clock, accountId }: AccountContext,
  { key, fingerprint }: IdempotentRequest,
): Promise<IdempotentOutcome | undefined> {
  const [row] = await sql<(StoredResponse & { fingerprint: Buffer })[]>`
    select status, headers, body, fingerprint from idempotency_key
    where account_id = ${accountId} and key = ${key} and created_at > ${getExpiryCutoff(clock.now())}`
  if (row === undefined) return undefined
  const { fingerprint: first, ...answer } = row
  if (!first.equals(fingerprint)) throw reused()
  return { answer, replayed: true }
}

const getExpiryCutoff = (now: Date) => new Date(now.getTime() - IDEMPOTENCY_KEY_LIFETIME_MS)

const MAX_DELETED_AT_ONCE = 500

/** Deletes up to 500 keys older than a day and returns how many. Processes take different ones. */
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

function inProgress(): AppError {
  const message =
    'A request with this Idempotency-Key is still running. Send it again in a moment to get its response.'
  return new AppError('idempotency_in_progress', message, undefined, 1_000)
}

const reused = () =>
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
