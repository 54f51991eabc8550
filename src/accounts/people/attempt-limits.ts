/**
 * How often a password may be tried, or a link for a new one asked for.
 *
 * Nobody can use these bounds to keep somebody else out. What is refused is counted for who tries: an e-mail from one
 * network, a browser in which the person has signed in before, or a session. Tries of one e-mail from many networks are
 * not refused but made one after another, with a growing pause. Counts of an e-mail are in the database, whichever
 * process is asked; those of a network are in this process's memory.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import { KeyedQueue } from '../../kernel/keyed-queue.ts'
import type { OperatorContext } from '../context.ts'

/** Of an e-mail from one network, of a known browser, of a session. */
export const MAX_ATTEMPTS_PER_SOURCE = 10
/** Many people share one address; each try costs 90 ms of computing, so a flood of them is a load as well. */
export const MAX_ATTEMPTS_PER_NETWORK = 60
export const ATTEMPT_WINDOW_MS = 15 * 60_000
/** Of an e-mail from everywhere, in the window, before tries of it go one after another. */
export const MAX_UNDELAYED_ATTEMPTS_PER_EMAIL = 20
const PAUSE_STEP_MS = 100
const MAX_PAUSE_MS = 2_000
/** How long a try waits for those before it; then its sender is asked to come back. */
const MAX_WAIT_MS = 10_000
/** Security bound: tries of all e-mails that wait in this process. */
const MAX_WAITING = 100
/** A letter goes out for each: nobody needs more, and nobody's mailbox should be filled. */
export const MAX_RESETS_PER_EMAIL = 3
/** A browser takes a challenge whenever the sign-in page is opened, so there are many; they cost a row each for minutes. */
export const MAX_CHALLENGES_PER_NETWORK = 300
const MAX_NETWORKS = 10_000

type Tries = { count: number; since: number }

const perProcess = perDatabase((_sql: Sql) => ({
  /** Addresses are hashed with this and live no longer than the process. */
  salt: randomBytes(16).toString('hex'),
  tries: new BoundedMap<string, Tries>(MAX_NETWORKS),
  queue: new KeyedQueue(),
  waiting: 0,
}))

/** What counts tries: it has the key with which networks are hashed before they reach the database. */
export type AttemptContext = OperatorContext & { secretKey: string }

type AttemptSource = {
  email: string
  /** The address the request came from. */
  network: string
  /** Of the person's mark in this browser, or their session: it is counted by itself. */
  known: string | undefined
}

export type Throttled = { problem: 'wait'; seconds: number }

/**
 * Counts a try and makes it, at once or after those before it. `wait` when it is one too many for its source, or when so
 * many tries of the e-mail are under way that it would take too long.
 */
export async function attemptSignIn<T>(
  ctx: AttemptContext,
  source: AttemptSource,
  verify: () => Promise<T>,
): Promise<T | Throttled> {
  if (source.known !== undefined) {
    const [own] = await count(ctx, [keyOfKnown(source.known)])
    return own === undefined || own.attempts <= MAX_ATTEMPTS_PER_SOURCE ? verify() : heldBack(ctx, own.since)
  }
  const seconds = countNetworkAttempt(ctx, source.network)
  if (seconds !== undefined) return { problem: 'wait', seconds }
  const [own, all] = await count(ctx, [keyOfSource(ctx, source), sha256Hex(source.email)])
  if (own !== undefined && own.attempts > MAX_ATTEMPTS_PER_SOURCE) return heldBack(ctx, own.since)
  const ms = getPauseMs(all?.attempts ?? 0)
  return ms === 0 ? verify() : inTurn(ctx, source.email, ms, verify)
}

/** How long a try of an e-mail waits, once those before it are done, when it is the n-th of all in the window. */
export const getPauseMs = (n: number): number =>
  Math.min(MAX_PAUSE_MS, Math.max(0, n - MAX_UNDELAYED_ATTEMPTS_PER_EMAIL) * PAUSE_STEP_MS)

async function inTurn<T>(
  ctx: OperatorContext,
  email: string,
  ms: number,
  verify: () => Promise<T>,
): Promise<T | Throttled> {
  const state = perProcess(ctx.sql)
  const later: Throttled = { problem: 'wait', seconds: MAX_WAIT_MS / 1000 }
  if (state.waiting >= MAX_WAITING) return later
  state.waiting++
  try {
    const done = await state.queue.runWithin(email, MAX_WAIT_MS, async () => {
      await pause(ms)
      return { result: await verify() }
    })
    return done === undefined ? later : done.result
  } finally {
    state.waiting--
  }
}

/** After a password that was right: its source starts anew, and so does the e-mail. */
export async function clearAttempts(ctx: AttemptContext, source: AttemptSource): Promise<void> {
  const own = source.known === undefined ? keyOfSource(ctx, source) : keyOfKnown(source.known)
  if (source.known === undefined) uncountNetworkAttempt(ctx, source.network)
  await forget(ctx, [own, sha256Hex(source.email)])
}

/** After a new password by a link. */
export const clearEmailAttempts = (ctx: OperatorContext, email: string): Promise<void> =>
  forget(ctx, [sha256Hex(email)])

/** Counts a sign-in that names nobody, with a passkey. Returns the seconds to wait when it is one too many, else undefined. */
export const countNetworkAttempt = (ctx: OperatorContext, network: string): number | undefined =>
  takeOfNetwork(ctx, networkKey(ctx, network), MAX_ATTEMPTS_PER_NETWORK)

/** The same for a challenge. */
export const countChallenge = (ctx: OperatorContext, network: string): number | undefined =>
  takeOfNetwork(ctx, `challenge ${networkKey(ctx, network)}`, MAX_CHALLENGES_PER_NETWORK)

/**
 * Counts the asking for a link by mail; apart from sign-ins. `isFlooded`: so many have been asked for from everywhere
 * that no further letter goes out, though the answer is the same.
 */
export async function countResetRequest(
  ctx: AttemptContext,
  { email, network }: { email: string; network: string },
): Promise<Throttled | { isFlooded: boolean }> {
  const seconds = countNetworkAttempt(ctx, network)
  if (seconds !== undefined) return { problem: 'wait', seconds }
  const own = keyOfSource(ctx, { email: `reset ${email}`, network })
  const [mine, all] = await count(ctx, [own, sha256Hex(`reset ${email}`)])
  if (mine !== undefined && mine.attempts > MAX_RESETS_PER_EMAIL) return heldBack(ctx, mine.since)
  return { isFlooded: all !== undefined && all.attempts > MAX_RESETS_PER_EMAIL }
}

function takeOfNetwork(ctx: OperatorContext, key: string, most: number): number | undefined {
  const now = ctx.clock.now().getTime()
  const { tries } = perProcess(ctx.sql)
  const known = tries.get(key)
  const entry =
    known === undefined || known.since + ATTEMPT_WINDOW_MS <= now ? { count: 0, since: now } : known
  if (entry.count >= most) return secondsUntilOver(entry.since, now)
  entry.count++
  tries.set(key, entry)
  return undefined
}

type Counted = { attempts: number; since: number }

/** Counts one try for each key; keys are sorted into one order, so that two who count the same do not lock each other. */
async function count(ctx: OperatorContext, keys: readonly string[]): Promise<(Counted | undefined)[]> {
  const now = ctx.clock.now()
  const over = new Date(now.getTime() - ATTEMPT_WINDOW_MS)
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
      attempts = case when a.first_at <= ${over} then 1 else least(a.attempts + 1, ${MAX_COUNTED}) end,
      first_at = case when a.first_at <= ${over} then excluded.first_at else a.first_at end
    returning email_hash, attempts, first_at`
  return keys.map(key => {
    const row = rows.find(one => one.email_hash === key)
    return row && { attempts: row.attempts, since: row.first_at.getTime() }
  })
}

/** Larger than every bound: nothing depends on how many more there were. */
const MAX_COUNTED = 1_000

async function forget(ctx: OperatorContext, keys: string[]): Promise<void> {
  await ctx.sql`delete from sign_in_attempt where email_hash = any(${keys}::text[])`
}

const heldBack = (ctx: OperatorContext, since: number): Throttled => ({
  problem: 'wait',
  seconds: secondsUntilOver(since, ctx.clock.now().getTime()),
})

const secondsUntilOver = (since: number, now: number) =>
  Math.max(1, Math.ceil((since + ATTEMPT_WINDOW_MS - now) / 1000))

export function uncountNetworkAttempt(ctx: OperatorContext, network: string): void {
  const entry = perProcess(ctx.sql).tries.get(networkKey(ctx, network))
  if (entry !== undefined && entry.count > 0) entry.count--
}

const networkKey = (ctx: OperatorContext, address: string) =>
  sha256Hex(perProcess(ctx.sql).salt + getNetwork(address))

const keyOfKnown = (known: string) => sha256Hex(`known ${known}`)

/** In the database for minutes: keyed, so that the database alone does not tell which network it was. */
function keyOfSource({ secretKey }: AttemptContext, { email, network }: { email: string; network: string }) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'carnet sign-in networks', 32))
  return createHmac('sha256', key)
    .update(`${email} ${getNetwork(network)}`)
    .digest('hex')
}
