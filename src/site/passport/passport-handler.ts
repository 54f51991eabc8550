/**
 * `/p/{id}`: from a request to the page or the JSON-LD of a passport. Everyone without an access link gets a ready
 * answer out of the cache; whoever brings one gets an answer made for this request and kept nowhere.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findCachedBrand, getCachedBrand } from '../../accounts/brand/brand.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import { type Access, findAccess } from '../../passports/access/access-links.ts'
import { countAccessUse } from '../../passports/access/count-uses.ts'
import { passportUrl } from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import {
  findCachedHead,
  getHeadAge,
  type PublicHead,
  readPublicPassport,
} from '../../passports/read/public-passport.ts'
import { readPublicVersion, readWholeVersion } from '../../passports/read/public-version.ts'
import { prefersHtml } from '../http/content-negotiation.ts'
import {
  type Exchange,
  getEncoding,
  type PreparedResponse,
  sendPrepared,
  sendUncached,
  trySendPrepared,
} from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { buildStaleHeaders, isUnavailable, MAX_STALE_MS, withDeadline } from '../http/stale-if-error.ts'
import {
  type AccessContext,
  buildExpiredCookie,
  createAccessContext,
  exchangeToken,
  findPreviewRequest,
  findToken,
  mayHaveAccess,
  openPreview,
  type Preview,
  type PreviewRequest,
  type RequestToken,
} from './access.ts'
import { sendLinkToPassport } from './errors.ts'
import { sendNotFound } from './not-found.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import {
  firstValue,
  formOf,
  type PassportRequest,
  parsePassportRequest,
  type Query,
} from './passport-request.ts'
import { createRecordScan, type RecordScan } from './record-scan.ts'
import {
  createPrivateResponse,
  createPublicResponse,
  findCachedResponse,
  hasCachedResponse,
  type PageRequest,
} from './responses.ts'

const CACHE_BYTES = 64 * 1024 * 1024

export type PassportHandler = (request: FastifyRequest, reply: FastifyReply) => unknown

type PassportContext = AccessContext & { setup: SiteContext; cache: PageCache; noteScan: RecordScan }

export type PassportRoute = {
  /** The handler of `GET /p/:id`. */
  handle: PassportHandler
  /** Answers a request for a passport if it is for a page that is there already; false, with nothing done, if not. */
  answerReady: (exchange: Exchange) => boolean
}

const PATH = '/p/'
const NO_QUERY: Query = {}

export function createPassportHandler(setup: SiteContext): PassportRoute {
  const door: PassportContext = {
    ...createAccessContext(setup),
    setup,
    cache: createPageCache(CACHE_BYTES),
    noteScan: createRecordScan(setup),
  }
  setup.watch?.watchPages(door.cache.bytes)
  return {
    handle(request, reply) {
      const wish = parsePassportRequest(setup, request)
      if (wish instanceof AppError) return sendFormatError(setup, request, reply, wish)
      const { raw } = request
      const token = findToken(door, raw.headers, wish)
      const page = { ...wish, isEnded: token === 'broken' }
      const preview = findPreviewRequest(door, raw.headers, wish)
      if (preview !== undefined) {
        const make = () => sendPreview(door, request, reply, page, preview)
        return limitUncachedWork(door, request, reply, page, undefined, make)
      }
      if (typeof token === 'object' || wish.query.version !== undefined) {
        const make = () => sendPassport(door, request, reply, page, token)
        return limitUncachedWork(door, request, reply, page, token, make)
      }
      const exchange = { request: raw, response: reply.raw, id: request.id }
      if (!trySendCached(door, exchange, page)) {
        const make = () => sendFreshOrStale(door, request, reply, page)
        return hasCachedResponse(door.cache, raw.headers, page)
          ? make()
          : limitUncachedWork(door, request, reply, page, token, make)
      }
      reply.hijack()
      return undefined
    },
    answerReady(exchange) {
      const { url = '', headers } = exchange.request
      if (!url.startsWith(PATH)) return false
      const now = setup.clock.now()
      const id = url.slice(PATH.length)
      const page = { id, form: formOf(headers.accept), query: NO_QUERY, now, isEnded: false }
      return !mayHaveAccess(headers, page) && trySendCached(door, exchange, page)
    },
  }
}

type OptionalToken = RequestToken | 'broken' | undefined

const isFromCookie = (token: OptionalToken) => typeof token === 'object' && token.from === 'cookie'

/** What may have to be made takes turns, but not yet that of a reader who was let in by an access link. */
function limitUncachedWork(
  { setup }: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id }: PassportRequest,
  token: OptionalToken,
  make: () => Promise<unknown>,
): Promise<unknown> {
  if (findUuid(id) === undefined || isFromCookie(token)) return make()
  return setup.uncached.run(request, reply, make)
}

/** A machine gets the refusal thrown; a person is led to the passport, if one is there. */
async function sendFormatError(
  { sql, clock, addresses, uncached }: SiteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
): Promise<unknown> {
  const { id = '' } = request.params as { id?: string }
  if (!prefersHtml(request.raw.headers.accept) || findUuid(id) === undefined) throw refusal
  const lead = () =>
    sendLinkToPassport(addresses.publicUrl, { request, reply, status: 406 }, passportUrl(addresses, id))
  if (findCachedHead(sql, id, clock.now()) !== undefined) return lead()
  return uncached.run(request, reply, async () => {
    if ((await readPublicPassport(sql, id, clock.now())) === undefined) throw refusal
    return lead()
  })
}

/** Asks no database: for a passport and a brand that were read a moment ago. */
function trySendCached(door: PassportContext, exchange: Exchange, page: PageRequest): boolean {
  const { request } = exchange
  const row = findCachedHead(door.setup.sql, page.id, page.now)
  const ready = row && findCached(door, exchange, page, row)
  if (row === undefined || ready === undefined) return false
  if (!trySendPrepared(exchange, ready, getEncoding(request.headers))) return false
  door.setup.watch?.page('ready')
  door.noteScan(exchange, page, row)
  return true
}

/** Asks no database: undefined unless the brand, like the passport, was read a moment ago. */
function findCached(
  { setup, cache }: PassportContext,
  { request }: Pick<Exchange, 'request'>,
  page: PageRequest,
  row: PublicHead,
  withinMs?: number,
): PreparedResponse | undefined {
  const brand = findCachedBrand(setup.sql, row.account_id, page.now, withinMs)
  return brand && findCachedResponse(cache, request.headers, page, { row, brand })
}

/** A page that was true within the last ten minutes, when the database has nothing to say. */
async function sendFreshOrStale(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
): Promise<unknown> {
  const row = findCachedHead(door.setup.sql, page.id, page.now, MAX_STALE_MS)
  const stale = row && findCached(door, { request: request.raw }, page, row, MAX_STALE_MS)
  try {
    return await sendPassport(door, request, reply, page, undefined, stale !== undefined)
  } catch (error) {
    if (row === undefined || stale === undefined || reply.sent || !isUnavailable(error)) throw error
    door.setup.watch?.page('stale')
    const age = getHeadAge(door.setup.sql, page.id, page.now)
    await sendPrepared(request, reply, stale, buildStaleHeaders(age))
    door.noteScan({ request: request.raw, response: reply.raw }, page, row)
    return undefined
  }
}

async function sendPassport(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  token: OptionalToken,
  isImpatient = false,
): Promise<unknown> {
  const { sql } = door.setup
  const reading = readPublicPassport(sql, page.id, page.now)
  const row = await (isImpatient ? withDeadline(reading) : reading)
  if (row === undefined) return sendNotFound(door.setup, request, reply, page)
  if (typeof token !== 'object') return sendPublic(door, request, reply, page, row)
  const access = await findAccess(sql, token.text, row, page.now)
  if (access !== undefined) return sendForAccessLink(door, request, reply, page, row, token, access)
  // To machines an end is no news: they are told by what is not there.
  const isEnded = token.from === 'address' || (token.from === 'cookie' && page.form === 'html')
  return sendPublic(door, request, reply, { ...page, isEnded }, row, token)
}

/** For members of the account what other readers see, for all others the public page. */
async function sendPreview(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  asked: PreviewRequest,
): Promise<unknown> {
  const { setup } = door
  const row = await readPublicPassport(setup.sql, page.id, page.now)
  if (row === undefined) return sendNotFound(setup, request, reply, page)
  const preview = await openPreview(door, asked, row)
  if (preview === undefined) return sendPublic(door, request, reply, page, row)
  setup.uncached.refund(request)
  return sendPrivate(door, request, reply, page, row, preview)
}

async function sendPublic(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  row: PublicPassportRow,
  token?: RequestToken,
): Promise<unknown> {
  const { setup, cache } = door
  const { headers } = request.raw
  const brand = await getCachedBrand(setup.sql, row.account_id, page.now)
  const versionNo = parseVersion(page) ?? row.version_no
  const made =
    versionNo === row.version_no ? findCachedResponse(cache, headers, page, { row, brand }) : undefined
  const send = async () => {
    const then = await readPublicVersion(setup.sql, row, versionNo)
    if (then === undefined) return sendVersionNotFound(setup, request, reply, row)
    const shown = { row: then, brand, newest: row.version_no }
    const ready = made ?? (await createPublicResponse(setup, cache, headers, page, shown))
    setup.watch?.page(made === undefined ? 'made' : 'ready')
    const isOver = page.isEnded && isFromCookie(token) && request.method === 'GET'
    await sendPrepared(request, reply, ready, isOver ? ['set-cookie', buildExpiredCookie(door, page.id)] : [])
    if (then === row) door.noteScan({ request: request.raw, response: reply.raw }, page, row)
    return undefined
  }
  // All others have had their turn before the passport was read.
  return made === undefined && isFromCookie(token) ? setup.uncached.run(request, reply, send) : send()
}

/** A machine gets the refusal thrown; a person is led to the passport, which is there. */
function sendVersionNotFound(
  { addresses }: SiteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  row: PublicPassportRow,
): FastifyReply {
  if (!prefersHtml(request.raw.headers.accept)) throw notFound('version')
  const passport = passportUrl(addresses, idFromUuid(row.id))
  return sendLinkToPassport(addresses.publicUrl, { request, reply, status: 404 }, passport)
}

/** The number in `?version=`; 0, which is none, when it is no number. */
function parseVersion({ query }: PassportRequest): number | undefined {
  const asked = firstValue(query.version)
  return asked === undefined ? undefined : Number(/^[1-9]\d{0,8}$/.exec(asked)?.[0] ?? 0)
}

/** For a reader with an access link: first the clean address, then a page with what the link opens. */
async function sendForAccessLink(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  row: PublicPassportRow,
  token: RequestToken,
  access: Access,
): Promise<FastifyReply> {
  const { setup } = door
  if (token.from !== 'cookie') setup.uncached.refund(request)
  if (token.from === 'address') return exchangeToken(door, request, reply, page, token.text)
  return sendPrivate(door, request, reply, page, row, access)
}

async function sendPrivate(
  door: PassportContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  row: PublicPassportRow,
  access: Access | Preview,
): Promise<FastifyReply> {
  const { setup } = door
  const [brand, then] = await Promise.all([
    getCachedBrand(setup.sql, row.account_id, page.now),
    readWholeVersion(setup.sql, row, parseVersion(page) ?? row.version_no),
  ])
  if (then === undefined) return sendVersionNotFound(setup, request, reply, row)
  if (request.method === 'GET' && !('isPreview' in access)) {
    countAccessUse(setup.sql, access, page.now, reason =>
      request.log.warn(
        { request_id: request.id, reason: String(reason) },
        'a use of an access link was not counted',
      ),
    )
  }
  const shown = { row: then, brand, newest: Math.max(row.version_no, then.version_no) }
  await sendUncached(
    request,
    reply,
    await createPrivateResponse(setup, request.raw.headers, page, shown, access),
  )
  if (then.version_no === shown.newest) {
    door.noteScan({ request: request.raw, response: reply.raw }, page, then)
  }
  return reply
}
