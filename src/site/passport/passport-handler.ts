/**
 * Handles `GET /p/{id}` in the formats of the site, and passes on requests for documents. Readers without an
 * access link share cached responses; readers with a link get a response made for their request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findCachedBrand, getCachedBrand } from '../../accounts/brand/brand.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { type Access, findAccess } from '../../passports/access/access-links.ts'
import { countAccessUse } from '../../passports/access/count-uses.ts'
import { passportUrl } from '../../passports/core/record.ts'
import { getSubmodelFormat } from '../../passports/documents/formats.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import {
  findCachedMetadata,
  getMetadataAge,
  MAX_STALE_MS,
  type PublicMetadata,
  readPublicPassport,
} from '../../passports/read/public-passport.ts'
import { readPublicVersion, readWholeVersion } from '../../passports/read/public-version.ts'
import {
  type Exchange,
  getEncoding,
  getExchange,
  type PreparedResponse,
  sendPrepared,
  sendUncached,
  trySendPrepared,
} from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { buildStaleHeaders, isUnavailable, withDeadline } from '../http/stale-if-error.ts'
import {
  type AccessContext,
  authorizePreview,
  buildExpiredCookie,
  createAccessContext,
  describeToken,
  findPreviewRequest,
  findToken,
  mayHaveAccess,
  moveTokenToCookie,
  type Preview,
  type PreviewRequest,
  type RequestToken,
} from './access.ts'
import { handleDocument, trySendCachedDocument } from './document-handler.ts'
import type { DocumentContext } from './document-reader.ts'
import { sendLinkToPassport } from './errors.ts'
import { HTML, prefersHtml, selectFormat } from './formats.ts'
import { sendNotFound } from './not-found.ts'
import { createPageCache } from './page-cache.ts'
import {
  buildRequest,
  isDocumentRequest,
  type PassportRequest,
  parsePassportRequest,
  parseVersion,
} from './passport-request.ts'
import { createRecordScan, type RecordScan } from './record-scan.ts'
import {
  createPrivateResponse,
  createPublicResponse,
  findCachedResponse,
  hasCachedResponse,
} from './responses.ts'

const MAX_CACHE_BYTES = 64 * 1024 * 1024
const PATH = '/p/'

export type PassportRoute = {
  /** The handler of `GET /p/:id`. */
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown
  /** The handler of `GET /p/:id/aas/:idShort`, whose address is the id of a submodel. */
  handleSubmodel: (request: FastifyRequest, reply: FastifyReply) => unknown
  /** Sends a cached page and returns true; else sends nothing. */
  answerFromCache: (exchange: Exchange) => boolean
}

type RouteContext = AccessContext & DocumentContext & { recordScan: RecordScan }
type RequestContext = RouteContext & { reply: FastifyReply; request: PassportRequest }

export function createPassportRoute(setup: SiteContext): PassportRoute {
  const route: RouteContext = {
    ...createAccessContext(setup),
    setup,
    cache: createPageCache(setup.isForFiles ? 0 : MAX_CACHE_BYTES),
    recordScan: createRecordScan(setup),
  }
  setup.pageMetrics?.watchPageCacheSize(route.cache.bytes)
  return {
    handle: (_request, reply) => handle(route, reply),
    handleSubmodel(request, reply) {
      const { id = '', idShort = '' } = getPathParameters(request)
      const format = getSubmodelFormat(idShort)
      const query = getQuery(request)
      return handleDocument(route, reply, {
        id,
        below: `/${format.id}`,
        query,
        now: setup.clock.now(),
        format,
      })
    },
    answerFromCache(exchange) {
      const { url = '', headers } = exchange.request
      const format = selectFormat(setup, undefined, headers.accept)
      if (!url.startsWith(PATH) || format === undefined) return false
      // With a query, the rest of the URL is no id, so nothing is found and Fastify answers.
      const id = url.slice(PATH.length)
      const request = buildRequest({ id, query: {}, now: setup.clock.now() }, format)
      if (mayHaveAccess(headers, request)) return false
      return isDocumentRequest(request)
        ? trySendCachedDocument(route, exchange, request)
        : trySendCached(route, exchange, { ...request, isLinkInvalid: false })
    },
  }
}

function handle(route: RouteContext, reply: FastifyReply): unknown {
  const parsed = parsePassportRequest(route.setup, reply.request)
  if (parsed instanceof AppError) return sendFormatError(route.setup, reply, parsed)
  if (isDocumentRequest(parsed)) return handleDocument(route, reply, parsed)
  const { headers } = reply.request.raw
  const token = findToken(route, headers, parsed)
  const request = { ...parsed, isLinkInvalid: token === 'malformed' }
  const context = { ...route, reply, request }
  const preview = findPreviewRequest(route, headers, request)
  if (preview !== undefined) return limitUncached(context, undefined, () => sendPreview(context, preview))
  if (typeof token === 'object' || request.query.version !== undefined) {
    return limitUncached(context, token, () => sendPassport(context, token))
  }
  if (trySendCached(route, getExchange(reply), request)) {
    reply.hijack()
    return undefined
  }
  const send = () => sendFreshOrStale(context)
  // A page that was cached earlier is not limited: only a change makes us render it again.
  return hasCachedResponse(route.cache, headers, request) ? send() : limitUncached(context, token, send)
}

type OptionalToken = RequestToken | 'malformed' | undefined

const isFromCookie = (token: OptionalToken) => typeof token === 'object' && token.from === 'cookie'

/** Readers with an access cookie have a limit of their own, unless the link has ended: see `sendPublic`. */
function limitUncached(
  { setup, reply, request }: RequestContext,
  token: OptionalToken,
  send: () => Promise<unknown>,
): Promise<unknown> {
  if (parseId(request.id) === undefined) return send()
  const countsAs = isFromCookie(token) ? 'link' : 'page'
  const credential = typeof token === 'object' ? describeToken(token) : {}
  return setup.uncachedLimit.run(reply, send, { ...credential, countsAs })
}

/** Programs get a JSON error; people get a link to the passport, if it exists. */
async function sendFormatError(
  { sql, clock, addresses, uncachedLimit }: SiteContext,
  reply: FastifyReply,
  error: AppError,
): Promise<unknown> {
  const { id = '' } = getPathParameters(reply.request)
  if (!prefersHtml(reply.request.raw.headers.accept) || parseId(id) === undefined) throw error
  const sendLink = () => sendLinkToPassport(addresses.publicUrl, reply, 406, passportUrl(addresses, id))
  if (findCachedMetadata(sql, id, clock.now()) !== undefined) return sendLink()
  return uncachedLimit.run(reply, async () => {
    if ((await readPublicPassport(sql, id, clock.now())) === undefined) throw error
    return sendLink()
  })
}

/** Sends a cached page and returns true if the passport and the brand were read within the last second. */
function trySendCached(route: RouteContext, exchange: Exchange, request: PassportRequest): boolean {
  const { headers } = exchange.request
  const row = findCachedMetadata(route.setup.sql, request.id, request.now)
  const response = row && findResponseForMetadata(route, exchange, request, row)
  if (row === undefined || response === undefined) return false
  if (!trySendPrepared(exchange, response, getEncoding(headers))) return false
  route.setup.pageMetrics?.countPage('cached')
  route.recordScan(exchange, request, row)
  return true
}

/** Undefined unless the brand, too, was read within the last second, or `withinMs`. */
function findResponseForMetadata(
  { setup, cache }: RouteContext,
  exchange: Pick<Exchange, 'request'>,
  request: PassportRequest,
  row: PublicMetadata,
  withinMs?: number,
): PreparedResponse | undefined {
  const brand = findCachedBrand(setup.sql, row.account_id, request.now, withinMs)
  return brand && findCachedResponse(cache, exchange.request.headers, request, { row, brand })
}

/** If the database does not respond, sends a cached page up to ten minutes old. */
async function sendFreshOrStale(context: RequestContext): Promise<unknown> {
  const { setup, reply, request } = context
  const row = findCachedMetadata(setup.sql, request.id, request.now, MAX_STALE_MS)
  const stale = row && findResponseForMetadata(context, getExchange(reply), request, row, MAX_STALE_MS)
  try {
    return await sendPassport(context, undefined, stale !== undefined)
  } catch (error) {
    if (row === undefined || stale === undefined || reply.sent || !isUnavailable(error)) throw error
    setup.pageMetrics?.countPage('stale')
    await sendPrepared(reply, stale, buildStaleHeaders(getMetadataAge(setup.sql, request.id, request.now)))
    context.recordScan(getExchange(reply), request, row)
    return undefined
  }
}

async function sendPassport(
  context: RequestContext,
  token: OptionalToken,
  hasStaleResponse = false,
): Promise<unknown> {
  const { setup, reply, request } = context
  const query = readPublicPassport(setup.sql, request.id, request.now)
  const row = await (hasStaleResponse ? withDeadline(query) : query)
  if (row === undefined) return sendNotFound(setup, reply, request)
  if (typeof token !== 'object') return sendPublic(context, row)
  const access = await findAccess(setup.sql, token.text, row, request.now)
  if (access === undefined) {
    // Only pages say that a cookie's link has ended: programs get the public data.
    const isLinkInvalid = token.from === 'query' || (token.from === 'cookie' && request.format === HTML)
    return sendPublic({ ...context, request: { ...request, isLinkInvalid } }, row, token)
  }
  // Requests with a cookie were counted so at first.
  if (token.from !== 'cookie') setup.uncachedLimit.countLink(reply.request)
  if (token.from === 'query') return moveTokenToCookie(context, reply, request, token.text)
  return sendPrivate(context, row, access)
}

/** Members of the account see what the chosen audience sees. Everybody else gets the public page. */
async function sendPreview(context: RequestContext, preview: PreviewRequest): Promise<unknown> {
  const { setup, reply, request } = context
  const row = await readPublicPassport(setup.sql, request.id, request.now)
  if (row === undefined) return sendNotFound(setup, reply, request)
  const access = await authorizePreview(context, preview, row)
  if (access === undefined) return sendPublic(context, row)
  setup.uncachedLimit.refund(reply.request)
  return sendPrivate(context, row, access)
}

async function sendPublic(
  context: RequestContext,
  row: PublicPassportRow,
  token?: RequestToken,
): Promise<unknown> {
  const { setup, cache, reply, request } = context
  const { headers, method } = reply.request.raw
  const brand = await getCachedBrand(setup.sql, row.account_id, request.now)
  const versionNo = parseVersion(request.query) ?? row.version_no
  const isNewest = versionNo === row.version_no
  const cached = isNewest ? findCachedResponse(cache, headers, request, { row, brand }) : undefined
  const send = async () => {
    const version = await readPublicVersion(setup.sql, row, versionNo)
    if (version === undefined) return sendVersionNotFound(context, row)
    const input = { row: version, brand, newestVersionNo: row.version_no }
    const response = cached ?? (await createPublicResponse(setup, cache, headers, request, input))
    setup.pageMetrics?.countPage(cached === undefined ? 'rendered' : 'cached')
    const mustDeleteCookie = request.isLinkInvalid && isFromCookie(token) && method === 'GET'
    const extraHeaders = mustDeleteCookie ? ['set-cookie', buildExpiredCookie(context, request.id)] : []
    await sendPrepared(reply, response, extraHeaders)
    if (isNewest) context.recordScan(getExchange(reply), request, row)
    return undefined
  }
  // Requests without an access cookie were counted earlier, in `limitUncached`.
  if (cached === undefined && isFromCookie(token)) setup.uncachedLimit.countPage(reply.request)
  return send()
}

/** Programs get a JSON error; people get a link to the passport. */
function sendVersionNotFound(
  { setup: { addresses }, reply }: RequestContext,
  row: PublicPassportRow,
): FastifyReply {
  if (!prefersHtml(reply.request.raw.headers.accept)) throw notFound('version')
  return sendLinkToPassport(addresses.publicUrl, reply, 404, passportUrl(addresses, idFromUuid(row.id)))
}

async function sendPrivate(
  context: RequestContext,
  row: PublicPassportRow,
  access: Access | Preview,
): Promise<FastifyReply> {
  const { setup, reply, request } = context
  const { id, method, log, raw } = reply.request
  const [brand, version] = await Promise.all([
    getCachedBrand(setup.sql, row.account_id, request.now),
    readWholeVersion(setup.sql, row, parseVersion(request.query) ?? row.version_no),
  ])
  if (version === undefined) return sendVersionNotFound(context, row)
  if (method === 'GET' && !('isPreview' in access)) {
    countAccessUse(setup.sql, access, request.now, reason =>
      log.warn({ request_id: id, reason: String(reason) }, 'a use of an access link was not counted'),
    )
  }
  // `readWholeVersion` reads the passport again and may find a newer version.
  const input = { row: version, brand, newestVersionNo: Math.max(row.version_no, version.version_no) }
  await sendUncached(reply, await createPrivateResponse(setup, raw.headers, request, input, access))
  if (version.version_no === input.newestVersionNo) context.recordScan(getExchange(reply), request, version)
  return reply
}
