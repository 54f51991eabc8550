/**
 * How often a sign-in may be tried, or a link for a new password asked for: by e-mail in the database, whichever process is asked, and by network in this
 * process's memory. What is over the limit is refused before the password is looked at, a right one too.
 */
import { randomBytes } from 'node:crypto'
import { sha256Hex } from '../kernel/crypto.ts'
import { perDatabase, type Sql } from '../kernel/db.ts'
import { networkOf } from '../kernel/network.ts'
import type { OperatorContext } from './context.ts'

export const ATTEMPTS_PER_EMAIL = 10
/** Many people share one address; each try costs 90 ms of computing, so a flood of them is a load as well. */
export const ATTEMPTS_PER_NETWORK = 60
export const ATTEMPTS_WINDOW_MS = 15 * 60_000
/** A letter goes out for each: nobody needs more, and nobody's mailbox should be filled. */
export const RESETS_PER_EMAIL = 3
/** A browser takes a challenge whenever the sign-in page is opened, so there are many; they cost a row each for minutes. */
export const CHALLENGES_PER_NETWORK = 300
const MOST_NETWORKS = 10_000

type Tries = { count: number; since: number }

const networks = perDatabase((_sql: Sql) => ({
  /** Addresses are hashed with this and live no longer than the process. */
  salt: randomBytes(16).toString('hex'),
  tries: new Map<string, Tries>(),
}))

/** Counts one try. Returns the seconds to wait when it is one too many, else undefined. */
export async function takeAttempt(
  ctx: OperatorContext,
  from: { email: string; network: string },
): Promise<number | undefined> {
  return takeSignIn(ctx, from.network) ?? (await takeOfEmail(ctx, from.email, ATTEMPTS_PER_EMAIL))
}

/** The same for a sign-in that names nobody, with a passkey. */
export const takeSignIn = (ctx: OperatorContext, network: string): number | undefined =>
  takeOfNetwork(ctx, networkKey(ctx, network), ATTEMPTS_PER_NETWORK)

/** The same for a challenge. */
export const takeChallenge = (ctx: OperatorContext, network: string): number | undefined =>
  takeOfNetwork(ctx, `challenge ${networkKey(ctx, network)}`, CHALLENGES_PER_NETWORK)

/** The same for a link by mail; apart from sign-ins, so that asking for one locks nobody out. */
export async function takeReset(
  ctx: OperatorContext,
  from: { email: string; network: string },
): Promise<number | undefined> {
  return takeSignIn(ctx, from.network) ?? (await takeOfEmail(ctx, `reset ${from.email}`, RESETS_PER_EMAIL))
}

function takeOfNetwork(ctx: OperatorContext, key: string, most: number): number | undefined {
  const now = ctx.clock.now().getTime()
  const { tries } = networks(ctx.sql)
  const known = tries.get(key)
  const entry =
    known === undefined || known.since + ATTEMPTS_WINDOW_MS <= now ? { count: 0, since: now } : known
  if (entry.count >= most) return secondsUntilOver(entry.since, now)
  entry.count++
  // Newest last, so that the one forgotten first is the one not seen for longest.
  tries.delete(key)
  tries.set(key, entry)
  const [oldest] = tries.keys()
  if (tries.size > MOST_NETWORKS && oldest !== undefined) tries.delete(oldest)
  return undefined
}

async function takeOfEmail(ctx: OperatorContext, email: string, most: number): Promise<number | undefined> {
  const now = ctx.clock.now()
  const over = new Date(now.getTime() - ATTEMPTS_WINDOW_MS)
  const hash = sha256Hex(email)
  const [row] = await ctx.sql<{ attempts: number; first_at: Date }[]>`
    with forgotten as (
      delete from sign_in_attempt where email_hash in (
        select email_hash from sign_in_attempt where first_at <= ${over} and email_hash <> ${hash}
        limit 100 for update skip locked)
    )
    insert into sign_in_attempt as a (email_hash, attempts, first_at) values (${hash}, 1, ${now})
    on conflict (email_hash) do update set
      attempts = case when a.first_at <= ${over} then 1 else least(a.attempts + 1, ${most + 1}) end,
      first_at = case when a.first_at <= ${over} then excluded.first_at else a.first_at end
    returning attempts, first_at`
  if (row === undefined || row.attempts <= most) return undefined
  return secondsUntilOver(row.first_at.getTime(), now.getTime())
}

const secondsUntilOver = (since: number, now: number) =>
  Math.max(1, Math.ceil((since + ATTEMPTS_WINDOW_MS - now) / 1000))

/** After a sign-in that succeeded: the e-mail starts anew, and the network has its try back. */
export async function forgiveAttempts(
  ctx: OperatorContext,
  from: { email: string; network?: string },
): Promise<void> {
  if (from.network !== undefined) forgiveNetwork(ctx, from.network)
  await ctx.sql`delete from sign_in_attempt where email_hash = ${sha256Hex(from.email)}`
}

export function forgiveNetwork(ctx: OperatorContext, network: string): void {
  const entry = networks(ctx.sql).tries.get(networkKey(ctx, network))
  if (entry !== undefined && entry.count > 0) entry.count--
}

const networkKey = (ctx: OperatorContext, address: string) =>
  sha256Hex(networks(ctx.sql).salt + networkOf(address))
