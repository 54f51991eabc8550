/** Counts a request against the rate limit of its API key. */

import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { getKeyLimits } from './key-limits.ts'
import type { LimitedKey, RateDecision } from './rate-share.ts'

/** Sent as the limit of a plan without a limit: the largest number that every client can read. */
const UNLIMITED = 2_147_483_647

export async function countKeyRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  key: Omit<LimitedKey, 'requestsPerMinute'> & { requestsPerMinute: number | null; shard: number | null },
): Promise<RateDecision> {
  const { accountId, keyId, requestsPerMinute } = key
  if (requestsPerMinute === null) {
    return { isAllowed: true, limit: UNLIMITED, remaining: UNLIMITED, nextFreeAt: clock.now().getTime() }
  }
  return getKeyLimits(getShard(sql, key.shard), clock).take({ accountId, keyId, requestsPerMinute })
}

/** `who` is the subject of the sentence; `now` is in ms. */
export function rateLimitError(who: string, { limit, nextFreeAt }: RateDecision, now: number): AppError {
  const seconds = Math.max(1, Math.ceil((nextFreeAt - now) / 1000))
  const wait = seconds === 1 ? 'one second' : `${seconds} seconds`
  const message = `${who} may make ${limit} requests a minute and has used them. Try again in ${wait}.`
  return new AppError('rate_limited', message, undefined, seconds * 1000)
}
