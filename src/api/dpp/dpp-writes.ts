/** Requests to `/dpp/v1` that write: who may, and which operation they are. */

import type { FastifyRequest } from 'fastify'
import { toHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { type AuthenticatedKey, authenticate } from '../../accounts/keys/authenticate.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { getServerHost } from '../../kernel/http/public-link.ts'
import type { DocumentSetup } from '../../passports/documents/setup.ts'
import { atPassport } from '../../passports/read/find.ts'
import { requireScope, unauthorized } from '../endpoint/authorize-key.ts'
import type { ApiResponse, ApiSetup } from '../endpoint/endpoint.ts'
import { handleIdempotently, keepBodyBytes, parseIdempotencyKey } from '../endpoint/idempotency.ts'
import { archiveDpp } from './archive-dpp.ts'
import { createDpp } from './create-dpp.ts'
import { findByDppId, unknownPassport } from './find-passport.ts'
import type { WriteCall } from './own-passport.ts'
import type { Target } from './parse-target.ts'
import type { Reader } from './reader.ts'
import { updateDpp } from './update-dpp.ts'
import { updateElement } from './update-element.ts'

type WriteRequest = {
  setup: ApiSetup & DocumentSetup
  request: FastifyRequest
  reader: Reader
  target: Target
  /** Raw. */
  query: string
}

/** A write that its sender may make, once its body has been read. */
export type Write = WriteRequest & {
  key: AuthenticatedKey
  /** The UUID of the passport that the address names. */
  id: string | undefined
}

/**
 * Undefined for a request that only reads. Called before the body is read. Throws `unauthorized`,
 * `read_only`, and `not_found` for a passport of another account.
 */
export async function prepareDppWrite(sent: WriteRequest): Promise<Write | undefined> {
  const { setup, request, reader, target } = sent
  if (!isWrite(request, target)) return undefined
  if (reader.kind === 'public') throw unauthorized(undefined)
  if (reader.kind === 'link') {
    throw new AppError('read_only', 'An access token may only read. Use an API key of the account.')
  }
  const { key } = reader
  requireScope(setup, key, request)
  if (target.kind !== 'dpp' && target.kind !== 'element') return { ...sent, key, id: undefined }
  const row = await findByDppId(setup, target.dppId)
  if (row.account_id !== key.accountId) throw unknownPassport()
  return { ...sent, key, id: row.id }
}

const isWrite = ({ method }: FastifyRequest, { kind }: Target): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  method !== 'OPTIONS' &&
  (kind === 'dpp' || kind === 'element' || kind === 'dpps')

export async function runDppWrite(write: Write): Promise<ApiResponse> {
  const { setup, request } = write
  const account = await requireAccount(write)
  const idempotencyKey = parseIdempotencyKey(request)
  if (idempotencyKey instanceof AppError) throw idempotencyKey
  if (idempotencyKey === undefined) return run(write, account)
  if (Buffer.isBuffer(request.body)) keepBodyBytes(request, request.body)
  const call = { setup, headers: request.headers, account, scope: 'full' as const, isDryRun: false }
  return handleIdempotently(request, call, {
    key: idempotencyKey,
    handle: ({ account }) => run(write, account),
    storesIdempotencyRecord: false,
  })
}

/** The key may have been revoked while the body was sent. Throws `unauthorized`. */
async function requireAccount({ setup, request }: Write): Promise<AccountContext> {
  const sent = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const key = await authenticate(setup.sql, sent, setup.clock.now())
  if (key === undefined) throw unauthorized(sent)
  const { accountId, actorId, readiness } = key
  const ownHost = getServerHost(setup.addresses)
  return { ...toHome(setup.sql, key), clock: setup.clock, accountId, actorId, readiness, ownHost }
}

/** `home`: the account, perhaps in the transaction of an `Idempotency-Key`. */
async function run({ setup, request, target, query, id }: Write, home: AccountContext): Promise<ApiResponse> {
  const { headers, body } = request
  const account = id === undefined ? home : await atPassport(home, id)
  const call: WriteCall = {
    setup: { ...setup, sql: account.sql },
    account,
    headers,
    query,
    body: { bytes: Buffer.isBuffer(body) ? body : undefined, headers },
  }
  if (target.kind === 'dpps') return createDpp(call)
  if (id !== undefined && target.kind === 'element') return updateElement({ ...call, id, path: target.path })
  if (id !== undefined && target.kind === 'dpp') {
    return request.method === 'DELETE'
      ? archiveDpp({ ...call, id, requestId: request.id })
      : updateDpp({ ...call, id })
  }
  throw new Error('broken assumption: the target is one that can be written')
}
