/** Rate limits of the API. Each response has the limit of its key, or else of the client's IP address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthenticatedKey } from '../../accounts/keys/authenticate.ts'
import { createAddressLimits } from '../../accounts/limits/address-limits.ts'
import { countKeyRequest, rateLimitError } from '../../accounts/limits/count-key-request.ts'
import type { RateDecision } from '../../accounts/limits/rate-share.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { rateLimitHeaders } from '../../kernel/http/rate-limit-headers.ts'
import type { ApiSetup } from './endpoint.ts'

type LimitSetup = Pick<ApiSetup, 'sql' | 'clock'>

const addressLimits = perDatabase((_sql: Sql) => createAddressLimits())

/** Counts a call of a key and sets the headers. Throws `rate_limited`. */
export async function limitKey(setup: LimitSetup, key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
  const decision = await countKeyRequest(setup, key)
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
  return rateLimitHeaders(addressLimits(setup.sql).take(address ?? '', setup.clock.now().getTime()))
}

const setHeaders = (reply: FastifyReply, decision: RateDecision) => reply.headers(rateLimitHeaders(decision))
