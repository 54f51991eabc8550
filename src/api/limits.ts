/** Rate limits of the API. Each response has the limit of its key, or else of the client's address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthenticatedKey } from '../accounts/keys/authenticate.ts'
import { createAddressLimits } from '../accounts/limits/address-limits.ts'
import { getKeyLimits } from '../accounts/limits/key-limits.ts'
import type { Permit } from '../accounts/limits/rate-share.ts'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { ApiSetup } from './endpoint/endpoint.ts'

type LimitSetup = Pick<ApiSetup, 'sql' | 'clock'>

/** The limit shown for a plan without a limit: the largest number that every client can read. */
const UNLIMITED = 2_147_483_647

const ipLimits = perDatabase((_sql: Sql) => createAddressLimits())

/** Counts a call of a key and sets the headers. Throws `rate_limited`. */
export async function limitKey(setup: LimitSetup, key: AuthenticatedKey, reply: FastifyReply): Promise<void> {
  const { accountId, keyId, requestsPerMinute } = key
  const now = setup.clock.now().getTime()
  if (requestsPerMinute === null) {
    setHeaders(reply, { isGranted: true, limit: UNLIMITED, remaining: UNLIMITED, nextFreeAt: now })
    return
  }
  const permit = await getKeyLimits(setup.sql, setup.clock).take({ accountId, keyId, requestsPerMinute })
  setHeaders(reply, permit)
  if (!permit.isGranted) throw rateLimited('This key', permit, setup.clock.now().getTime())
}

/** Counts a call without a valid key by its address. Throws `rate_limited`, unless `refuses` is false. */
export function limitAddress(
  setup: LimitSetup,
  { readerAddress }: FastifyRequest,
  reply: FastifyReply,
  { refuses }: { refuses: boolean },
): void {
  const now = setup.clock.now().getTime()
  const permit = ipLimits(setup.sql).take(readerAddress, now)
  setHeaders(reply, permit)
  if (refuses && !permit.isGranted) throw rateLimited('This address', permit, now)
}

/** The headers of a response sent before routing. The call counts against the address's limit. */
export function addressHeaders(setup: LimitSetup, address: string | undefined): Record<string, string> {
  return limitHeaders(ipLimits(setup.sql).take(address ?? '', setup.clock.now().getTime()))
}

const limitHeaders = (permit: Permit) => ({
  'x-ratelimit-limit': String(permit.limit),
  'x-ratelimit-remaining': String(permit.remaining),
  'x-ratelimit-reset': String(Math.ceil(permit.nextFreeAt / 1000)),
})

const setHeaders = (reply: FastifyReply, permit: Permit) => reply.headers(limitHeaders(permit))

function rateLimited(who: string, { limit, nextFreeAt }: Permit, now: number): AppError {
  const seconds = Math.max(1, Math.ceil((nextFreeAt - now) / 1000))
  const wait = seconds === 1 ? 'one second' : `${seconds} seconds`
  const message = `${who} may make ${limit} requests a minute and has used them. Try again in ${wait}.`
  return new AppError('rate_limited', message, undefined, seconds * 1000)
}
