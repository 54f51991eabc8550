/**
 * `/p/{id}`: from a request to the page or the JSON-LD of a passport. Everyone without an access link gets a ready
 * answer out of the cache; whoever brings one gets an answer made for this request and kept nowhere.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Brand, findBelievedBrand, readBrand } from '../accounts/brand.ts'
import type { Audience } from '../categories/field.ts'
import { AppError, notFound } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import type { Access } from '../passports/access-links.ts'
import { noteAccessUse } from '../passports/access-use.ts'
import type { PublicPassportRow } from '../passports/find.ts'
import { readPublicHistory } from '../passports/public-history.ts'
import { findCachedHead, getHeadAge, type PublicHead, readPublicPassport } from '../passports/public-read.ts'
import { readPublicVersion, readWholeVersion } from '../passports/public-version.ts'
import { passportUrl, symbolAddress } from '../passports/record.ts'
import { qrSymbol } from '../qr/svg.ts'
import { type Form, isPerson } from './accept.ts'
import {
  type AccessDoor,
  accessDoor,
  accessOf,
  enter,
  FOR_ONE_READER,
  mayHaveAccess,
  noCookie,
  VARY,
} from './access-door.ts'
import { READABLE } from './cors.ts'
import { dressOf } from './dress.ts'
import { jsonLd } from './json-ld.ts'
import { answerNowhere } from './nowhere.ts'
import { isIndexed } from './page.ts'
import { type CachedPassport, createPageCache, type PageCache } from './page-cache.ts'
import { renderPassportPage } from './passport-page.ts'
import { type Reading, readingOf } from './reading.ts'
import {
  type Exchange,
  encodingFor,
  type Headers,
  type ReadyAnswer,
  readyAnswer,
  sendEncoded,
  sendFresh,
  sendReady,
} from './ready-answer.ts'
import { leadOn } from './refusal.ts'
import { type NoteScan, scanNoter } from './scan.ts'
import type { SiteSetup } from './setup.ts'
import { pageHeaders, safetyHeaders } from './shell.ts'
import { impatiently, isUnavailable, STALE_MS, staleHeaders } from './stale.ts'
import { first, formOf, type Query, readWish, type Tongue, tongueOf, type Wish } from './wish.ts'

const CACHE_BYTES = 64 * 1024 * 1024
const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

export type PassportHandler = (request: FastifyRequest, reply: FastifyReply) => unknown

type Door = AccessDoor & { cache: PageCache; noteScan: NoteScan }

/** What decides whether a ready answer may be sent: a passport's state, and how its account's pages look. */
type Head = { row: PublicHead; brand: Brand }
/** What an answer is made from: a passport, or how it was, and the number of its newest version. */
type Shown = { row: PublicPassportRow; brand: Brand; newest: number }

export type PassportDoor = {
  /** The handler of `GET /p/:id`. */
  handle: PassportHandler
  /** Answers a request for a passport if it is for a page that is there already; false, with nothing done, if not. */
  answerReady: (exchange: Exchange) => boolean
}

const PATH = '/p/'
const NO_QUERY: Query = {}

export function passportDoor(setup: SiteSetup): PassportDoor {
  const door: Door = {
    ...accessDoor(setup),
    cache: createPageCache(CACHE_BYTES),
    noteScan: scanNoter(setup),
  }
  setup.watch?.watchPages(door.cache.bytes)
  return {
    handle(request, reply) {
      const wish = readWish(setup, request)
      if (wish instanceof AppError) return refuseFormat(setup, request, reply, wish)
      const { raw } = request
      if (mayHaveAccess(raw.headers, wish) || wish.query.version !== undefined) {
        return answer(door, request, reply, wish)
      }
      const exchange = { request: raw, response: reply.raw, id: request.id }
      if (!sendIfReady(door, exchange, wish)) return answerOrStale(door, request, reply, wish)
      reply.hijack()
      return undefined
    },
    answerReady(exchange) {
      const { url = '', headers } = exchange.request
      if (!url.startsWith(PATH)) return false
      const now = setup.clock.now()
      const wish = { id: url.slice(PATH.length), form: formOf(headers.accept), query: NO_QUERY, now }
      return !mayHaveAccess(headers, wish) && sendIfReady(door, exchange, wish)
    },
  }
}

/** A machine gets the refusal thrown; a person is led to the passport, if one is there. */
async function refuseFormat(
  { sql, clock, addresses }: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
): Promise<FastifyReply> {
  const { id = '' } = request.params as { id?: string }
  if (!isPerson(request.raw.headers.accept)) throw refusal
  if ((await readPublicPassport(sql, id, clock.now())) === undefined) throw refusal
  return leadOn(addresses.publicUrl, { request, reply, status: 406 }, passportUrl(addresses, id))
}

/** Asks no database: for a passport and a brand that were read a moment ago. */
function sendIfReady(door: Door, exchange: Exchange, wish: Wish): boolean {
  const { request } = exchange
  const row = findCachedHead(door.setup.sql, wish.id, wish.now)
  const ready = row && findReady(door, request.headers, wish, row)
  if (row === undefined || ready === undefined) return false
  if (!sendReady(exchange, ready, encodingFor(request.headers))) return false
  door.setup.watch?.page('ready')
  door.noteScan(exchange, wish, row)
  return true
}

/** Asks no database: undefined unless the brand, like the passport, was read a moment ago. */
function findReady(
  door: Door,
  headers: IncomingHttpHeaders,
  wish: Wish,
  row: PublicHead,
  withinMs?: number,
): ReadyAnswer | undefined {
  const brand = findBelievedBrand(door.setup.sql, row.account_id, wish.now, withinMs)
  return brand && findMade(door, headers, wish, { row, brand })
}

/** A page that was true within the last ten minutes, when the database has nothing to say. */
async function answerOrStale(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Wish,
): Promise<unknown> {
  const row = findCachedHead(door.setup.sql, wish.id, wish.now, STALE_MS)
  const stale = row && findReady(door, request.raw.headers, wish, row, STALE_MS)
  try {
    return await answer(door, request, reply, wish, stale !== undefined)
  } catch (error) {
    if (row === undefined || stale === undefined || reply.sent || !isUnavailable(error)) throw error
    door.setup.watch?.page('stale')
    const age = getHeadAge(door.setup.sql, wish.id, wish.now)
    await sendEncoded(request, reply, stale, staleHeaders(age))
    door.noteScan({ request: request.raw, response: reply.raw }, wish, row)
    return undefined
  }
}

/** The GTINs too: a model that gets another one makes no new version of its units, which name it. */
const stateOf = ({ row, brand }: Head) =>
  `${row.version_no}${row.status}${row.outdated ? 'o' : ''}${row.indexable ? '' : 'n'}b${brand.version}` +
  (row.parent_id === null ? '' : ` ${row.model_gtin} ${row.batch_gtin}`)

function findMade(
  door: Door,
  headers: IncomingHttpHeaders,
  wish: Wish,
  shown: Head,
): ReadyAnswer | undefined {
  const cached = door.cache.find(wish.id, stateOf(shown))
  return cached?.forms.get(formKey(wish.form, tongueOf(headers, wish.query, cached), cached))
}

function formKey(form: Form, { language, wanted }: Tongue, { tags }: Pick<CachedPassport, 'tags'>): string {
  if (form === 'jsonld') return 'jsonld'
  return tags === null ? language : [language, ...wanted].join('.')
}

async function answer(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Wish,
  isImpatient = false,
): Promise<unknown> {
  const { sql } = door.setup
  const reading = readPublicPassport(sql, wish.id, wish.now)
  const row = await (isImpatient ? impatiently(reading) : reading)
  if (row === undefined) return answerNowhere(door.setup, request, reply, wish)
  if (wish.query.access !== undefined) return enter(door, request, reply, wish)
  const [access, brand] = await Promise.all([
    accessOf(door, request, wish, row),
    readBrand(sql, row.account_id, wish.now),
  ])
  const readVersion = access === undefined || access === 'ended' ? readPublicVersion : readWholeVersion
  const then = await readVersion(sql, row, versionWished(wish) ?? row.version_no)
  if (then === undefined) return refuseVersion(door.setup, request, reply, row)
  const shown = { row: then, brand, newest: Math.max(row.version_no, then.version_no) }
  // To machines an end is no news: they are told by what is not there.
  if (access !== undefined && (access !== 'ended' || wish.form === 'html')) {
    return answerReader(door, request, reply, wish, shown, access)
  }
  const made = then === row ? findMade(door, request.raw.headers, wish, shown) : undefined
  const ready = made ?? (await makeReady(door, request, wish, shown))
  door.setup.watch?.page(made === undefined ? 'made' : 'ready')
  await sendEncoded(request, reply, ready)
  if (then === row) door.noteScan({ request: request.raw, response: reply.raw }, wish, row)
  return undefined
}

/** A machine gets the refusal thrown; a person is led to the passport, which is there. */
function refuseVersion(
  { addresses }: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  row: PublicPassportRow,
): FastifyReply {
  if (!isPerson(request.raw.headers.accept)) throw notFound('version')
  const passport = passportUrl(addresses, idFromUuid(row.id))
  return leadOn(addresses.publicUrl, { request, reply, status: 404 }, passport)
}

/** The number in `?version=`; 0, which is none, when it is no number. */
function versionWished({ query }: Wish): number | undefined {
  const asked = first(query.version)
  return asked === undefined ? undefined : Number(/^[1-9]\d{0,8}$/.exec(asked)?.[0] ?? 0)
}

/** Makes the public answer of one form and keeps it, unless it is of an earlier version, which hardly anybody reads. */
async function makeReady(
  { setup, cache }: Door,
  request: FastifyRequest,
  wish: Wish,
  shown: Shown,
): Promise<ReadyAnswer> {
  const { row, brand } = shown
  const reading = await readFor(setup, shown, 'public')
  const tongue = tongueOf(request.raw.headers, wish.query, reading)
  const key = formKey(wish.form, tongue, reading)
  const body = bodyOf(setup, reading, shown, wish.form, tongue)
  const ready = readyAnswer({
    body,
    tag: tagOf(reading, brand, key),
    headers: {
      ...formHeaders(setup, reading, shown, wish.form, tongue, body),
      ...READABLE,
      'cache-control': PUBLIC_CACHING,
      vary: VARY,
      ...(isIndexed(reading) ? {} : { 'x-robots-tag': 'noindex' }),
    },
  })
  if (reading.replacedBy === null) {
    const { id, primary, tags } = reading
    cache.keep(id, { state: stateOf({ row, brand }), primary, tags }, key, ready)
  }
  return ready
}

const readFor = async ({ sql, addresses }: SiteSetup, { row, newest }: Shown, audience: Audience) =>
  readingOf(addresses, row, await readPublicHistory(sql, row), audience, newest)

/** The brand too: headers depend on it, and a 304 would leave those of before. */
function tagOf({ id, versionNo, status, outdated }: Reading, brand: Brand, key: string): string {
  const state = `${status === 'active' ? '' : '.archived'}${outdated ? '.outdated' : ''}`
  return `${id}.v${versionNo}${state}${brand.version === 0 ? '' : `.b${brand.version}`}.${key}`
}

function jsonLdLink({ url, versionNo, replacedBy }: Reading): string {
  const version = replacedBy === null ? '' : `version=${versionNo}&`
  return `<${url}?${version}format=jsonld>; rel="alternate"; type="application/ld+json"`
}

function bodyOf(
  setup: SiteSetup,
  reading: Reading,
  { row, brand }: Shown,
  form: Form,
  { language, wanted }: Tongue,
  access?: Access | 'ended',
): string {
  if (form === 'jsonld') return jsonLd(reading, setup.nsUrl)
  const symbol = qrSymbol(symbolAddress(setup.addresses, row, 'passport'), { level: 'M', isInline: true })
  const isEnded = access === 'ended'
  return renderPassportPage(reading, language, {
    qr: symbol.svg,
    wanted,
    reader: isEnded ? undefined : access,
    isEnded,
    brand,
  })
}

const formHeaders = (
  { addresses: { publicUrl } }: SiteSetup,
  reading: Reading,
  { brand }: Shown,
  form: Form,
  { language }: Tongue,
  body: string,
): Headers =>
  form === 'jsonld'
    ? { 'content-type': 'application/ld+json', ...safetyHeaders(publicUrl) }
    : {
        ...pageHeaders(publicUrl, dressOf(brand, body)),
        'content-language': language,
        link: jsonLdLink(reading),
      }

/** A page for this reader: with what the link opens, or of what all may see and that the link has ended. */
async function answerReader(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Wish,
  shown: Shown,
  access: Access | 'ended',
): Promise<FastifyReply> {
  const { setup } = door
  const { form, query, now } = wish
  const reading = await readFor(setup, shown, access === 'ended' ? 'public' : access.audience)
  const tongue = tongueOf(request.raw.headers, query, reading)
  if (request.method === 'GET') {
    if (access === 'ended') reply.header('set-cookie', noCookie(door, wish.id))
    else {
      noteAccessUse(setup.sql, access, now, reason =>
        request.log.warn(
          { request_id: request.id, reason: String(reason) },
          'a use of an access link was not counted',
        ),
      )
    }
  }
  const body = bodyOf(setup, reading, shown, form, tongue, access)
  const headers = { ...formHeaders(setup, reading, shown, form, tongue, body), ...FOR_ONE_READER }
  await sendFresh(request, reply, { headers, body })
  if (shown.row.version_no === shown.newest) {
    door.noteScan({ request: request.raw, response: reply.raw }, wish, shown.row)
  }
  return reply
}
