/** Checks an API key: whether it is valid, then its plan and its rate limit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuthenticatedKey, authenticate, requireApiPlan } from '../../accounts/keys/authenticate.ts'
import { recordKeyUse } from '../../accounts/keys/key-use.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { HttpError } from '../../kernel/http/http-error.ts'
import type { ApiSetup } from './endpoint.ts'
import { limitAddress, limitKey } from './limits.ts'

type KeySetup = Pick<ApiSetup, 'sql' | 'clock'>

/**
 * The key that was sent; undefined if none was. Throws `unauthorized`, `plan_required`, `rate_limited`. The
 * first error is reported.
 */
export async function authorizeKey(
  setup: KeySetup,
  sent: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthenticatedKey> {
  const now = setup.clock.now()
  const key = sent === undefined ? undefined : await authenticate(setup.sql, sent, now)
  // Limits the guessing of keys. A valid key is not rejected for its address.
  if (!key?.planHasApi) limitAddress(setup, request, reply, { rejects: key === undefined })
  if (key === undefined) throw unauthorized(sent)
  requireApiPlan(key)
  await limitKey(setup, key, reply)
  return key
}

/** Throws `read_only` if a key may not use a method that changes something. Then notes its use. */
export function requireScope(setup: KeySetup, key: AuthenticatedKey, { method }: FastifyRequest): void {
  if (key.scope === 'read' && method !== 'GET' && method !== 'HEAD') {
    throw new AppError('read_only', 'This key may only read. Use a key with full scope to change something.')
  }
  recordKeyUse(setup.sql, key, setup.clock.now())
}

export function unauthorized(key: string | undefined): AppError {
  const message =
    key === undefined
      ? 'An API key is required: send the header "Authorization: Bearer <key>".'
      : 'This API key is not valid. Check it for missing characters; it may also be revoked or expired.'
  return new HttpError('unauthorized', message, { 'www-authenticate': 'Bearer' })
}
