/**
 * Handles `GET /p/{id}` for the documents of standards. What the public may see is cached like pages; a
 * document for an API key or an access link is made for its request. None counts as a scan.
 */
import type { FastifyReply } from 'fastify'
import { findCachedIssuer, getSecretIssuer, type SecretIssuer } from '../../accounts/issuer/issuer.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { PlacedRow } from '../../passports/documents/setup.ts'
import { describeIssuer } from '../../passports/documents/signed-texts.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import {
  findCachedMetadata,
  getMetadataAge,
  MAX_STALE_MS,
  type PublicMetadata,
  readPublicPassport,
} from '../../passports/read/public-passport.ts'
import { getSignaturePeriod } from '../../standards/signing/signature-period.ts'
import {
  type Exchange,
  getEncoding,
  getExchange,
  type PreparedResponse,
  prepareResponse,
  sendPrepared,
  trySendPrepared,
} from '../http/prepared-response.ts'
import { buildStaleHeaders, isUnavailable, withDeadline } from '../http/stale-if-error.ts'
import {
  type DocumentCall,
  type DocumentContext,
  findCredential,
  readDocumentVersion,
  sendToCredential,
} from './document-reader.ts'
import { buildPublicDocumentHeaders, isCompressed } from './document-response.ts'
import { sendNotFound } from './not-found.ts'
import type { DocumentRequest } from './passport-request.ts'
import { PUBLIC_CACHING } from './responses.ts'

/** Rules about audiences may change, so that not even the past may be cached for ever. */
const PAST_CACHING = 'public, max-age=3600'

export function handleDocument(
  route: DocumentContext,
  reply: FastifyReply,
  request: DocumentRequest,
): unknown {
  const call: DocumentCall = { ...route, reply, request }
  const credential = request.format.isAlwaysPublic ? undefined : findCredential(call)
  const sendPublic = () => sendFreshOrStale(call)
  if (credential !== undefined) return sendToCredential(call, credential, sendPublic)
  if (request.query.version !== undefined) return limitUncached(call, () => sendVersion(call))
  if (trySendCachedDocument(route, getExchange(reply), request)) {
    reply.hijack()
    return undefined
  }
  const isKnown = route.cache.findAny(getCacheId(request.id))?.responses.has(request.format.id) ?? false
  return isKnown ? sendPublic() : limitUncached(call, sendPublic)
}

const limitUncached = ({ setup, reply, request }: DocumentCall, send: () => Promise<unknown>) =>
  parseId(request.id) === undefined ? send() : setup.uncachedLimit.run(reply, send)

/** Documents depend on more than pages do, so they have an entry of their own. */
const getCacheId = (id: string) => `${id} documents`

/**
 * Everything known of the passport but its data, which its version stands for, and the issuer, with the end
 * of what it signs now.
 */
function formatDocumentState(
  { signatureDays }: Pick<DocumentCall['setup'], 'signatureDays'>,
  row: PublicMetadata,
  issuer: SecretIssuer | undefined,
  now: Date,
): string {
  if (issuer === undefined) return describeMetadata(row)
  const { end } = getSignaturePeriod(now, signatureDays)
  return describeMetadata(row) + describeIssuer(issuer) + end.toISOString()
}

const describeMetadata = perObject((row: PublicMetadata): string => {
  const whole: Partial<PublicPassportRow> = row
  const { data: _, unit_fields: __, batch_fields: ___, recalls: ____, life: _____, ...metadata } = whole
  return JSON.stringify(metadata)
})

/** Sends a cached document and returns true if passport and issuer were read within the last second. */
export function trySendCachedDocument(
  { setup, cache }: DocumentContext,
  exchange: Exchange,
  request: DocumentRequest,
): boolean {
  const row = findCachedMetadata(setup.sql, request.id, request.now)
  const response = row && findCachedDocument({ setup, cache, request }, row)
  if (response === undefined || !trySendPrepared(exchange, response, getEncoding(exchange.request.headers))) {
    return false
  }
  setup.pageMetrics?.countPage('cached')
  return true
}

/** Undefined unless the issuer, too, was read within the last second, or `withinMs`. */
function findCachedDocument(
  { setup, cache, request }: Pick<DocumentCall, 'setup' | 'cache' | 'request'>,
  row: PublicMetadata,
  withinMs?: number,
): PreparedResponse | undefined {
  const found = findCachedIssuer(setup.sql, row.account_id, request.now, withinMs)
  if (found === undefined) return undefined
  const state = formatDocumentState(setup, row, found.issuer, request.now)
  const entry = cache.find(getCacheId(request.id), state)
  return entry?.responses.get(request.format.id)
}

/** If the database does not respond, sends a cached document up to ten minutes old. */
async function sendFreshOrStale(call: DocumentCall): Promise<unknown> {
  const { setup, reply, request } = call
  const row = findCachedMetadata(setup.sql, request.id, request.now, MAX_STALE_MS)
  const stale = row && findCachedDocument(call, row, MAX_STALE_MS)
  try {
    return await sendCurrent(call, stale !== undefined)
  } catch (error) {
    if (stale === undefined || reply.sent || !isUnavailable(error)) throw error
    setup.pageMetrics?.countPage('stale')
    return sendPrepared(reply, stale, buildStaleHeaders(getMetadataAge(setup.sql, request.id, request.now)))
  }
}

async function sendCurrent(call: DocumentCall, hasStaleResponse: boolean): Promise<unknown> {
  const { setup, cache, reply, request } = call
  const query = readPublicPassport(setup.sql, request.id, request.now)
  const row = await (hasStaleResponse ? withDeadline(query) : query)
  if (row === undefined) return sendNotFound(setup, reply, request)
  const state = await readState(call, row)
  const cached = cache.find(getCacheId(request.id), state)?.responses.get(request.format.id)
  const response = cached ?? (await createPublicDocument(call, row, PUBLIC_CACHING))
  // A key that was changed meanwhile may have signed it, so it is only kept if the state is still the same.
  if (cached === undefined && (await readState(call, row)) === state) {
    const entry = { state, primaryLanguage: '', textLanguages: null }
    cache.put(getCacheId(idFromUuid(row.id)), entry, request.format.id, response)
  }
  setup.pageMetrics?.countPage(cached === undefined ? 'rendered' : 'cached')
  return sendPrepared(reply, response)
}

async function readState({ setup }: DocumentCall, row: PublicMetadata): Promise<string> {
  const now = setup.clock.now()
  const issuer = await getSecretIssuer(setup.sql, setup.secretCipher, row.account_id, now)
  return formatDocumentState(setup, row, issuer, now)
}

async function createPublicDocument(
  { setup, request: { format } }: DocumentCall,
  row: PlacedRow,
  caching: string,
): Promise<PreparedResponse> {
  return prepareResponse({
    body: await format.build(setup, row, 'public'),
    etagPrefix: `${idFromUuid(row.id)}.v${row.version_no}.${format.id}`,
    headers: { ...buildPublicDocumentHeaders(setup, format, row), 'cache-control': caching },
    hasStrongEtag: true,
    isCompressed: isCompressed(format),
  })
}

/** As the passport was when the next version was written. Not cached here, because few people read it. */
async function sendVersion(call: DocumentCall): Promise<unknown> {
  const { setup, reply, request } = call
  const row = await readPublicPassport(setup.sql, request.id, request.now)
  if (row === undefined) return sendNotFound(setup, reply, request)
  const version = await readDocumentVersion(call, row, 'public')
  setup.pageMetrics?.countPage('rendered')
  return sendPrepared(reply, await createPublicDocument(call, version, PAST_CACHING))
}
