/** Rate limits of the API. Each response has the limit of its key, or else of the client's IP address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthenticatedKey } from '../accounts/keys/authenticate.ts'
import { createAddressLimits } from '../accounts/limits/address-limits.ts'
import { getKeyLimits } from '../accounts/limits/key-limits.ts'
import type { RateDecision } from '../accounts/limits/rate-share.ts'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { getShard } from '../kernel/db/shards.ts'
import { AppError } from '../kernel/errors.ts'
import type { ApiSetup } from './endpoint/endpoint.ts'

type LimitSetup = Pick<ApiSetup, 'sql' | 'clock'>

/** Sent as the limit of a plan without a limit: the largest number that every client can read. */
const UNLIMITED = 2_147_483_647

const addressLimits = perDatabase((_sql: Sql) => createAddressLimits())

/** Counts a call of a key and sets the headers. Throws `rate_limited`. */
export async function limitKey(setup: LimitSetup, key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
  const { accountId, keyId, requestsPerMinute } = key
  const now = setup.clock.now().getTime()
  if (requestsPerMinute === null) {
    setHeaders(reply, { isAllowed: true, limit: UNLIMITED, remaining: UNLIMITED, nextFreeAt: now })
    return
  }
  const limits = getKeyLimits(getShard(setup.sql, key.shard), setup.clock)
  const decision = await limits.take({ accountId, keyId, requestsPerMinute })
  setHeaders(reply, decision)
  if (!decision.isAllowed) throw rateLimitError('This key', decision, setup.clock.now().getTime())
}

/** Counts a call by its IP address. With `rejects`, throws `rate_limited` beyond the limit. */
export function limitAddress(
  setup: LimitSetup,
  { clientAddress }: FastifyRequest,
  reply: FastifyReply,
  { rejects }: { rejects: boolean },
): void {
  const now = setup.clock.now().getTime()
  const decision = addressLimits(setup.sql).take(clientAddress, now)
  setHeaders(reply, decision)
  if (rejects && !decision.isAllowed) throw rateLimitError('This IP address', decision, now)
}

/** Counts a call that is answered before routing, and returns the rate limit headers of its response. */
export function countByAddress(setup: LimitSetup, address: string | undefined): Record<string, string> {
  return limitHeaders(addressLimits(setup.sql).take(address ?? '', setup.clock.now().getTime()))
}

const limitHeaders = ({ limit, remaining, nextFreeAt }: RateDecision) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(nextFreeAt / 1000)),
})

const setHeaders = (reply: FastifyReply, decision: RateDecision) => reply.headers(limitHeaders(decision))

function rateLimitError(who: string, { limit, nextFreeAt }: RateDecision, now: number): AppError {
  const seconds = Math.max(1, Math.ceil((nextFreeAt - now) / 1000))
  const wait = seconds === 1 ? 'one second' : `${seconds} seconds`
  const message = `${who} may make ${limit} requests a minute and has used them. Try again in ${wait}.`
  return new AppError('rate_limited', message, undefined, seconds * 1000)
}
