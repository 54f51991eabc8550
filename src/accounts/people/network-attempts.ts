/**
 * Counts what a network does at the sign-in page, in memory: passwords, passkeys, challenges and requests for
 * links apart, so that somebody who guesses passwords keeps nobody in the same network from the other ways.
 */
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import type { OperatorContext } from '../account/context.ts'
import { createNetworkMap } from '../limits/network-map.ts'

export const ATTEMPT_WINDOW_MS = 15 * 60_000
/** Many people share one address; each attempt costs 90 ms of computing. */
export const MAX_ATTEMPTS_PER_NETWORK = 60
/** Responses that no registered passkey has signed. */
export const MAX_UNKNOWN_PASSKEYS_PER_NETWORK = 60
/** Failed attempts with one registered passkey from one network. */
export const MAX_ATTEMPTS_PER_PASSKEY = 10
/** Each visit to the sign-in page creates a challenge, a row that lives for some minutes. */
export const MAX_CHALLENGES_PER_NETWORK = 300
export const MAX_LINK_REQUESTS_PER_NETWORK = 60
const MAX_NETWORKS = 10_000

const countByNetwork = () =>
  createNetworkMap(() => ({ count: 0, since: Number.NEGATIVE_INFINITY }), { max: MAX_NETWORKS, ipv6Bits: 64 })

const perProcess = perDatabase((_sql: Sql) => ({
  attempts: countByNetwork(),
  passkeys: countByNetwork(),
  challenges: countByNetwork(),
  links: countByNetwork(),
}))

/** `isOverload`: others may have caused it, so it is no limit that this source has reached. */
export type Throttled = { problem: 'wait'; seconds: number; isOverload?: true }

export const countNetworkAttempt = (ctx: OperatorContext, network: string): Throttled | undefined =>
  take(ctx, perProcess(ctx.sql).attempts.get(network), MAX_ATTEMPTS_PER_NETWORK)

export const uncountNetworkAttempt = (ctx: OperatorContext, network: string): void =>
  giveBack(perProcess(ctx.sql).attempts.get(network))

/**
 * `passkeyId`: undefined if nobody has registered the passkey. A stranger does not know the credential of a
 * person, so responses of strangers do not count for it.
 */
type PasskeySource = { network: string; passkeyId: string | undefined }

export const countPasskeyAttempt = (ctx: OperatorContext, source: PasskeySource): Throttled | undefined =>
  take(
    ctx,
    findTries(ctx, source),
    source.passkeyId === undefined ? MAX_UNKNOWN_PASSKEYS_PER_NETWORK : MAX_ATTEMPTS_PER_PASSKEY,
  )

/** After a valid response. */
export const uncountPasskeyAttempt = (ctx: OperatorContext, source: PasskeySource): void =>
  giveBack(findTries(ctx, source))

export const countChallenge = (ctx: OperatorContext, network: string): Throttled | undefined =>
  take(ctx, perProcess(ctx.sql).challenges.get(network), MAX_CHALLENGES_PER_NETWORK)

export const countLinkRequestOfNetwork = (ctx: OperatorContext, network: string): Throttled | undefined =>
  take(ctx, perProcess(ctx.sql).links.get(network), MAX_LINK_REQUESTS_PER_NETWORK)

type Tries = { count: number; since: number }

const findTries = ({ sql }: OperatorContext, { network, passkeyId }: PasskeySource): Tries =>
  perProcess(sql).passkeys.get(network, passkeyId)

function take(ctx: OperatorContext, tries: Tries, max: number): Throttled | undefined {
  const now = ctx.clock.now().getTime()
  if (tries.since + ATTEMPT_WINDOW_MS <= now) Object.assign(tries, { count: 0, since: now })
  if (tries.count >= max) return throttle(ctx, tries.since)
  tries.count++
  return undefined
}

function giveBack(tries: Tries): void {
  if (tries.count > 0) tries.count--
}

export const throttle = (ctx: OperatorContext, since: number): Throttled => ({
  problem: 'wait',
  seconds: Math.max(1, Math.ceil((since + ATTEMPT_WINDOW_MS - ctx.clock.now().getTime()) / 1000)),
})
