/** Sends documents of standards to readers with an API key or an access link. They are never cached. */
import type { FastifyReply } from 'fastify'
import { type AuthenticatedKey, authenticate, requireApiPlan } from '../../accounts/keys/authenticate.ts'
import { recordKeyUse } from '../../accounts/keys/key-use.ts'
import { countKeyRequest, rateLimitError } from '../../accounts/limits/count-key-request.ts'
import { type AppError, notFound } from '../../kernel/errors/errors.ts'
import { HttpError } from '../../kernel/http/http-error.ts'
import { rateLimitHeaders } from '../../kernel/http/rate-limit-headers.ts'
import { type Access, findValidLink, getAccess, isAccessToken } from '../../passports/access/access-links.ts'
import { countAccessUse } from '../../passports/access/count-uses.ts'
import type { DocumentAudience, PlacedRow } from '../../passports/documents/setup.ts'
import { findWholePassport, type PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { findPassportVersion } from '../../passports/read/public-passport-at.ts'
import { sendUncached } from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import {
  type AccessContext,
  describeToken,
  findToken,
  moveTokenToCookie,
  PRIVATE_HEADERS,
  type RequestToken,
} from './access.ts'
import { buildDocumentHeaders, isCompressed } from './document-response.ts'
import { sendNotFound } from './not-found.ts'
import type { PageCache } from './page-cache.ts'
import { type DocumentRequest, parseVersion } from './passport-request.ts'

export type DocumentContext = AccessContext & { setup: SiteContext; cache: PageCache }
export type DocumentCall = DocumentContext & { reply: FastifyReply; request: DocumentRequest }

/** The proof that a request sent to see more than the public. It was not looked up yet. */
export type Credential = { kind: 'key'; text: string } | { kind: 'token'; token: RequestToken | 'malformed' }

/** `Authorization` wins over a token in the query or in a cookie. What is no token in it counts as a key. */
export function findCredential(call: DocumentCall): Credential | undefined {
  const { headers } = call.reply.request.raw
  const { authorization } = headers
  if (authorization !== undefined) {
    const text = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
    return isAccessToken(text) ? { kind: 'token', token: { text, from: 'bearer' } } : { kind: 'key', text }
  }
  const token = findToken(call, headers, call.request)
  return token === undefined ? undefined : { kind: 'token', token }
}

/** `sendPublic` answers readers whose access cookie has ended. Throws `unauthorized`, `plan_required`. */
export function sendToCredential(
  call: DocumentCall,
  credential: Credential,
  sendPublic: () => Promise<unknown>,
): Promise<unknown> {
  if (credential.kind === 'key') return sendToKey(call, credential.text)
  const { token } = credential
  const { uncachedLimit } = call.setup
  if (token === 'malformed')
    return uncachedLimit.run(call.reply, async () => {
      throw unauthorized()
    })
  const countsAs = token.from === 'cookie' ? 'link' : 'page'
  const send = () => sendToToken(call, token, sendPublic)
  return uncachedLimit.run(call.reply, send, { ...describeToken(token), countsAs })
}

const unauthorized = (): AppError =>
  new HttpError(
    'unauthorized',
    'This API key or access token is not valid. Check it for missing characters; it may also be revoked or expired. Without one, everybody gets the public document.',
    { 'www-authenticate': 'Bearer' },
  )

/** Wrong keys are limited like uncached pages; a right one has its own limit. */
async function sendToKey(call: DocumentCall, text: string): Promise<unknown> {
  const { setup, reply, request } = call
  const key = await authenticate(setup.sql, text, request.now)
  if (!key?.planHasApi) return setup.uncachedLimit.run(reply, async () => rejectKey(key))
  const decision = await countKeyRequest(setup, key)
  reply.headers(rateLimitHeaders(decision))
  if (!decision.isAllowed) throw rateLimitError('This key', decision, request.now.getTime())
  recordKeyUse(setup.sql, key, request.now)
  const { accountId } = key
  const send = async () => {
    const row = await readPublicPassport(setup.sql, request.id, request.now)
    if (row === undefined) return sendNotFound(setup, reply, request)
    return sendPrivate(call, row, accountId === row.account_id ? 'owner' : 'public')
  }
  return setup.uncachedLimit.run(reply, send, { accountId, countsAs: 'nothing' })
}

function rejectKey(key: AuthenticatedKey | undefined): void {
  if (key === undefined) throw unauthorized()
  requireApiPlan(key)
}

async function sendToToken(
  call: DocumentCall,
  token: RequestToken,
  sendPublic: () => Promise<unknown>,
): Promise<unknown> {
  const { setup, reply, request } = call
  const link = await findValidLink(setup.sql, token.text, request.now)
  if (link === undefined) {
    if (token.from !== 'cookie') throw unauthorized()
    setup.uncachedLimit.countPage(reply.request)
    return sendPublic()
  }
  if (token.from !== 'cookie') setup.uncachedLimit.countLink(reply.request)
  const row = await readPublicPassport(setup.sql, request.id, request.now)
  if (row === undefined) return sendNotFound(setup, reply, request)
  const access = getAccess(link, row)
  if (access === undefined) return sendPrivate(call, row, 'public')
  if (token.from === 'query') return moveTokenToCookie(call, reply, request, token.text)
  countUse(call, access)
  return sendPrivate(call, row, access.audience)
}

function countUse({ setup, reply, request }: DocumentCall, access: Access): void {
  const { id, method, log } = reply.request
  if (method !== 'GET') return
  countAccessUse(setup.sql, access, request.now, reason =>
    log.warn({ request_id: id, reason: String(reason) }, 'a use of an access link was not counted'),
  )
}

async function sendPrivate(
  call: DocumentCall,
  row: PublicPassportRow,
  audience: DocumentAudience,
): Promise<FastifyReply> {
  const { setup, reply, request } = call
  const { format } = request
  const version = await readDocumentVersion(call, row, audience)
  return sendUncached(reply, {
    headers: { ...buildDocumentHeaders(setup, format, row), ...PRIVATE_HEADERS },
    body: await format.build(setup, version, audience),
    isCompressed: isCompressed(format),
  })
}

/** The requested version, or the current one, with the data that the audience needs. Throws `not_found`. */
export async function readDocumentVersion(
  { setup: { sql }, request }: DocumentCall,
  row: PublicPassportRow,
  audience: DocumentAudience,
): Promise<PlacedRow> {
  const versionNo = parseVersion(request.query)
  const withAllData = audience !== 'public'
  if (versionNo === undefined) {
    const whole = withAllData ? await findWholePassport(sql, row.id) : row
    if (whole === undefined) throw notFound('passport')
    return whole
  }
  const version =
    versionNo === 0 ? undefined : await findPassportVersion(sql, row.id, versionNo, { withAllData })
  if (version === undefined) throw notFound('version')
  return version
}
