/**
 * Limits attempts to sign in and to reset a password, by source: an e-mail address tried from one network, a
 * browser known for the person, or a session. So nobody can lock somebody else out.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { deriveKey } from '../../kernel/crypto/secret-cipher.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import type { OperatorContext } from '../account/context.ts'
import { waitForTurn } from '../limits/turns.ts'
import {
  ATTEMPT_WINDOW_MS,
  countLinkRequestOfNetwork,
  countNetworkAttempt,
  type Throttled,
  throttle,
  uncountNetworkAttempt,
} from './network-attempts.ts'

export const MAX_ATTEMPTS_PER_SOURCE = 10
/** From all networks, in the window; further attempts run one after another. */
export const MAX_UNDELAYED_ATTEMPTS_PER_EMAIL = 20
const PAUSE_STEP_MS = 100
const MAX_PAUSE_MS = 2_000
/** How long an attempt waits for earlier ones. */
const MAX_WAIT_MS = 10_000
/** Security bound: waiting attempts of all e-mails in this process. */
const MAX_WAITING = 100
/** Each request sends an e-mail. */
export const MAX_LINKS_PER_EMAIL = 3

const perProcess = perDatabase((_sql: Sql) => ({
  queue: new KeyedQueue(),
  waiting: 0,
}))

/** `secretKey` hashes networks before they reach the database. */
export type AttemptContext = OperatorContext & { secretKey: string }

type AttemptSource = {
  email: string
  network: string
  /** The person's mark in this browser, or their session: counted separately. */
  known: string | undefined
}

/**
 * Counts an attempt and makes it, at once or after earlier ones. Returns `wait` if its source has made too
 * many, or if too many attempts for the e-mail are waiting.
 */
export async function attemptSignIn<T>(
  ctx: AttemptContext,
  source: AttemptSource,
  verify: () => Promise<T>,
): Promise<T | Throttled> {
  const { email, network, known } = source
  const throttled = known === undefined ? countNetworkAttempt(ctx, network) : undefined
  if (throttled !== undefined) return throttled
  const keys = [keyOfSource(ctx, source), ...(known === undefined ? [sha256Hex(email)] : [])]
  const [own, all] = await count(ctx, keys).catch(error => {
    // No password was tried. Otherwise people could not sign in after a lost database has returned.
    if (known === undefined) uncountNetworkAttempt(ctx, network)
    throw error
  })
  if (own !== undefined && own.attempts > MAX_ATTEMPTS_PER_SOURCE) return throttle(ctx, own.since)
  const ms = getPauseMs(all?.attempts ?? 0)
  const inTurn = () => verifyInTurn(ctx, network, verify)
  const result = ms === 0 ? await inTurn() : await verifyAfterEarlier(ctx, email, ms, inTurn)
  if (result !== undefined) return result.verified
  // No password was tried, so the attempt does not count for this source.
  if (known === undefined) uncountNetworkAttempt(ctx, network)
  await uncount(ctx, keyOfSource(ctx, source))
  return { problem: 'wait', seconds: MAX_WAIT_MS / 1000, isOverload: true }
}

/** The pause before the n-th attempt of an e-mail in the window. */
export const getPauseMs = (n: number): number =>
  Math.min(MAX_PAUSE_MS, Math.max(0, n - MAX_UNDELAYED_ATTEMPTS_PER_EMAIL) * PAUSE_STEP_MS)

type Verified<T> = { verified: T }

/** Undefined if too many attempts of the e-mail wait, or if it takes too long. */
async function verifyAfterEarlier<T>(
  ctx: OperatorContext,
  email: string,
  ms: number,
  verify: () => Promise<Verified<T> | undefined>,
): Promise<Verified<T> | undefined> {
  const state = perProcess(ctx.sql)
  if (state.waiting >= MAX_WAITING) return undefined
  state.waiting++
  try {
    return await state.queue.runWithin(email, MAX_WAIT_MS, async () => {
      await pause(ms)
      return verify()
    })
  } finally {
    state.waiting--
  }
}

/** Networks take turns, because a password takes 90 ms of a processor. Undefined if others crowd it out. */
async function verifyInTurn<T>(
  ctx: OperatorContext,
  network: string,
  verify: () => Promise<T>,
): Promise<Verified<T> | undefined> {
  const asker = { address: network }
  const endTurn = await waitForTurn(ctx, { pool: 'passwords', asker, response: undefined }).catch(error => {
    if (error instanceof AppError && error.code === 'unavailable') return undefined
    throw error
  })
  if (endTurn === undefined) return undefined
  try {
    return { verified: await verify() }
  } finally {
    endTurn()
  }
}

/** After a correct password: resets the counts of its source and of the e-mail. */
export async function clearAttempts(ctx: AttemptContext, source: AttemptSource): Promise<void> {
  if (source.known === undefined) uncountNetworkAttempt(ctx, source.network)
  await forget(ctx, [keyOfSource(ctx, source), sha256Hex(source.email)])
}

/** After a new password was set by a link. */
export const clearEmailAttempts = (ctx: OperatorContext, email: string): Promise<void> =>
  forget(ctx, [sha256Hex(email)])

/**
 * Counts the request for a link by e-mail, apart from sign-ins and for each purpose. `isFlooded`: too many
 * were requested from all networks, so no further e-mail is sent; the response stays the same.
 */
export async function countLinkRequest(
  ctx: AttemptContext,
  { purpose, email, network }: { purpose: 'reset' | 'browser'; email: string; network: string },
): Promise<Throttled | { isFlooded: boolean }> {
  const throttled = countLinkRequestOfNetwork(ctx, network)
  if (throttled !== undefined) return throttled
  const own = keyOfSource(ctx, { email: `${purpose} ${email}`, network, known: undefined })
  const [mine, all] = await count(ctx, [own, sha256Hex(`${purpose} ${email}`)])
  if (mine !== undefined && mine.attempts > MAX_LINKS_PER_EMAIL) return throttle(ctx, mine.since)
  return { isFlooded: all !== undefined && all.attempts > MAX_LINKS_PER_EMAIL }
}

type Counted = { attempts: number; since: number }

/** Counts an attempt for each key, in the order of keys, so that two statements never wait for each other. */
async function count(ctx: OperatorContext, keys: readonly string[]): Promise<(Counted | undefined)[]> {
  const now = ctx.clock.now()
  const over = new Date(now.getTime() - ATTEMPT_WINDOW_MS)
  // `ATTEMPT_WINDOW_MS` of the new row. 1000 is larger than every limit.
  const isOver = ctx.sql`
    a.first_at at time zone 'UTC' <= excluded.first_at at time zone 'UTC' - interval '15 minutes'`
  const rows = await ctx.sql<{ email_hash: string; attempts: number; first_at: Date }[]>`
    with forgotten as (
      delete from sign_in_attempt where email_hash in (
        select email_hash from sign_in_attempt
        where first_at <= ${over} and not email_hash = any(${keys}::text[])
        limit 100 for update skip locked)
    )
    insert into sign_in_attempt as a (email_hash, attempts, first_at)
    select key, 1, ${now} from unnest(${keys}::text[]) key order by key
    on conflict (email_hash) do update set
      attempts = case when ${isOver} then 1 else least(a.attempts + 1, 1000) end,
      first_at = case when ${isOver} then excluded.first_at else a.first_at end
    returning email_hash, attempts, first_at`
  return keys.map(key => {
    const row = rows.find(one => one.email_hash === key)
    return row && { attempts: row.attempts, since: row.first_at.getTime() }
  })
}

async function uncount(ctx: OperatorContext, key: string): Promise<void> {
  await ctx.sql`update sign_in_attempt set attempts = attempts - 1 where email_hash = ${key} and attempts > 0`
}

async function forget(ctx: OperatorContext, keys: string[]): Promise<void> {
  await ctx.sql`delete from sign_in_attempt where email_hash = any(${keys}::text[])`
}

/** Networks are hashed with a key, so that the database alone does not reveal them. */
function keyOfSource({ secretKey }: AttemptContext, { email, network, known }: AttemptSource): string {
  if (known !== undefined) return sha256Hex(`known ${known}`)
  return createHmac('sha256', deriveKey(secretKey, 'carnet sign-in networks'))
    .update(`${email} ${getNetwork(network)}`)
    .digest('hex')
}
