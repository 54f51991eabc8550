/**
 * What makes a request that is sent twice take effect once: its key is a row written in the transaction of what it
 * makes. A second one with the same key waits for that row, and is then given the answer of the first. What was
 * refused or failed is rolled back and leaves nothing.
 */
import { perDatabase, type Sql, withRetries } from '../kernel/db/database.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
import { AppError, assert, invalid } from '../kernel/errors.ts'
import type { AccountContext } from './context.ts'
import {
  IdempotencyKeyTaken,
  type IdempotencyRecord,
  type IdempotentRequest,
  isLockTimeout,
  type StoredResponse,
} from './idempotency-record.ts'
import { createKeyedQueue, createPermits } from './keyed-queue.ts'

export const IDEMPOTENCY_KEY_LIFETIME_MS = 24 * 60 * 60 * 1_000
/** A repetition waits this long for the request it repeats. */
const WAIT_TIMEOUT_MS = 2_000
/** So many connections of the pool at most hold such transactions: reads and all else keep the others. */
const MOST_AT_ONCE = 4

export type IdempotentOutcome = { answer: StoredResponse; replayed: boolean }

const waiting = perDatabase(() => ({ gate: createKeyedQueue(), seats: createPermits(MOST_AT_ONCE) }))

type Work = (ctx: AccountContext) => Promise<StoredResponse>
type Wish = { work: Work; until: number }

/**
 * Runs `work` unless a request with this key has taken effect in the last 24 hours; then its answer is given again.
 * `work` is given a context whose writes are kept together with its answer, or not at all; when it `keepsReceipt`,
 * it is first given a receipt and no transaction. Throws `validation` (`idempotency_key_reused`) when the key was
 * another request's, `idempotency_in_progress` when that one is still running after two seconds, and whatever `work`
 * throws.
 */
export async function runIdempotent(
  ctx: AccountContext,
  request: IdempotentRequest,
  { work, keepsReceipt = false }: { work: Work; keepsReceipt?: boolean | undefined },
): Promise<IdempotentOutcome> {
  const until = performance.now() + WAIT_TIMEOUT_MS
  const { gate, seats } = waiting(ctx.sql)
  const outcome = await gate(`${ctx.accountId} ${request.key}`, WAIT_TIMEOUT_MS, async waited => {
    // Who had to wait most likely repeats what has just been done.
    const known = waited ? await findKept(ctx, request) : undefined
    if (known !== undefined) return known
    const outcome = keepsReceipt ? await runWithRecord(ctx, request, work) : undefined
    return outcome ?? seats(() => attempt(ctx, request, { work, until }))
  })
  if (outcome === undefined) throw inProgress()
  return outcome
}

/** Undefined when the key is taken. What the verb refuses may be no news: the key's first request comes before it. */
async function runWithRecord(
  ctx: AccountContext,
  request: IdempotentRequest,
  work: Work,
): Promise<IdempotentOutcome | undefined> {
  const record: IdempotencyRecord = { request, isStored: false }
  try {
    const answer = await work({ ...ctx, idempotency: record })
    assert(record.isStored, 'a verb that is given an idempotency record stores it')
    return { answer, replayed: false }
  } catch (error) {
    if (error instanceof IdempotencyKeyTaken) return undefined
    const known = error instanceof AppError ? await findKept(ctx, request) : undefined
    if (known !== undefined) return known
    throw error
  }
}

async function attempt(
  ctx: AccountContext,
  request: IdempotentRequest,
  wish: Wish,
): Promise<IdempotentOutcome> {
  for (;;) {
    const answer = await withRetries(() => tryOnce(ctx, request, wish))
    if (answer !== undefined) return { answer, replayed: false }
    const known = await findKept(ctx, request)
    if (known !== undefined) return known
    // It expired, or was deleted, between the two looks.
  }
}

/** Undefined when the key is taken by a request that took effect. */
async function tryOnce(
  ctx: AccountContext,
  request: IdempotentRequest,
  { work, until }: Wish,
): Promise<StoredResponse | undefined> {
  const patience = Math.max(1, Math.ceil(until - performance.now()))
  return inTransaction(
    ctx.sql,
    async sql => {
      if (!(await claim({ ...ctx, sql }, request, patience))) return undefined
      return work({ ...ctx, sql })
    },
    (sql, answer) => (answer === undefined ? undefined : complete({ ...ctx, sql }, request, answer)),
  )
}

/**
 * False when another request has the key. PostgreSQL lets the insert wait for a transaction that has written the same
 * key; the bound on that is set before the row is tried and lifted with it.
 */
async function claim(ctx: AccountContext, { key, fingerprint }: IdempotentRequest, patience: number) {
  const now = ctx.clock.now()
  try {
    const rows = await ctx.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key)
      select ${now}::timestamptz, ${ctx.accountId}::int, ${fingerprint}::bytea, ${key}::text
      where set_config('lock_timeout', ${String(patience)}, true) is not null
      on conflict (account_id, key) do update
        set created_at = excluded.created_at, fingerprint = excluded.fingerprint, status = null, headers = null, body = null
        where idempotency_key.created_at <= ${expiredBefore(now)}
      returning set_config('lock_timeout', '0', true)`
    return rows.length > 0
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error
  }
}

const complete = (
  { sql, accountId }: AccountContext,
  { key }: IdempotentRequest,
  answer: StoredResponse,
) => sql`
  update idempotency_key
  set status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::text::jsonb, body = ${answer.body}
  where account_id = ${accountId} and key = ${key}`

async function findKept(
  { sql, clock, accountId }: AccountContext,
  { key, fingerprint }: IdempotentRequest,
): Promise<IdempotentOutcome | undefined> {
  const [row] = await sql<(StoredResponse & { fingerprint: Buffer })[]>`
    select status, headers, body, fingerprint from idempotency_key
    where account_id = ${accountId} and key = ${key} and created_at > ${expiredBefore(clock.now())}`
  if (row === undefined) return undefined
  const { fingerprint: first, ...answer } = row
  if (!first.equals(fingerprint)) throw reused()
  return { answer, replayed: true }
}

const expiredBefore = (now: Date) => new Date(now.getTime() - IDEMPOTENCY_KEY_LIFETIME_MS)

const LARGEST_SWEEP = 500

/** Deletes keys that are older than a day, 500 at a time; how many. Two processes take different ones. */
export async function deleteExpiredKeys(sql: Sql, now: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const { count } = await sql`
      delete from idempotency_key where ctid = any(array(
        select ctid from idempotency_key where created_at <= ${expiredBefore(now)}
        order by created_at limit ${LARGEST_SWEEP} for update skip locked))`
    deleted += count
    if (count < LARGEST_SWEEP) return deleted
  }
}

function inProgress(): AppError {
  const message =
    'A request with this Idempotency-Key is still running. Send it again in a moment; it will be given the same answer.'
  return new AppError('idempotency_in_progress', message, undefined, 1_000)
}

const reused = () =>
  invalid([
    {
      field: 'Idempotency-Key',
      pointer: '',
      code: 'idempotency_key_reused',
      message:
        'This Idempotency-Key was used in the last 24 hours for another request (method, address or body differ). ' +
        'Nothing was changed; send this one with a key of its own.',
    },
  ])
