/**
 * `/01/…`: the GS1 Digital Link resolver. It redirects an address printed on a product to the product's
 * passport. Nothing caches the redirect, so every scan is seen and the target can change.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getCachedBrand } from '../../accounts/brand/brand.ts'
import { type DigitalLink, type DigitalLinkError, parseDigitalLink } from '../../gs1/digital-link.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import { type LinkQueryError, parseLinkQuery } from '../../gs1/link-query.ts'
import { GS1_VOC, isOfferLinkType, type LinkType, parseLinkType } from '../../gs1/link-type.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { type Addresses, passportUrl } from '../../passports/core/record.ts'
import { findSigningIssuer } from '../../passports/documents/sign-document.ts'
import type { Offer } from '../../passports/offers/offer.ts'
import { readOffersOf } from '../../passports/offers/read-offers.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { findCachedMetadata, MAX_STALE_MS, readPublicPassport } from '../../passports/read/public-passport.ts'
import { findCachedTarget, type ResolvedPassports, resolveAddress } from '../../passports/read/resolve.ts'
import { memoize, prefersLinkset } from '../http/content-negotiation.ts'
import { CORS_HEADERS, servePublic } from '../http/cors.ts'
import { prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteContext, SiteSetup } from '../http/setup.ts'
import { isUnavailable, withDeadline } from '../http/stale-if-error.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { sendLinkToPassport } from '../passport/errors.ts'
import { getFormatQuery, getLinkedFormats, HAS_SIGNED_LINKS, prefersHtml } from '../passport/formats.ts'
import { renderLinkset } from './linkset.ts'
import { findOfferTarget } from './offer-links.ts'
import {
  buildLinksetLink,
  buildResolverHeaders,
  RESOLVER_VARY,
  sendResolverError,
} from './resolver-errors.ts'

/** `query` is raw, without `?`. `rawPath` has no slash at its end. */
type ResolverRequest = {
  link: DigitalLink
  rawPath: string
  query: string
  type: LinkType | 'unknown'
  now: Date
}

export function registerResolver(app: FastifyInstance, setup: SiteContext): void {
  app.register(async resolver => {
    for (const url of ['/01', '/01/*']) {
      servePublic(
        resolver,
        url,
        (_request, reply) => handle(setup, reply),
        (_request, reply) => sendOptions(setup, reply),
      )
    }
    // GS1 removed names of keys (`/gtin/` for `/01/`) in 2022. The error explains that to older clients.
    resolver.route({
      method: 'GET',
      url: '/gtin/*',
      handler: (_request, reply) => sendResolverError(setup.addresses.publicUrl, reply, badRequest('no_key')),
    })
    const description = prepareDescription(setup)
    servePublic(resolver, '/.well-known/gs1resolver', (_request, reply) => sendPrepared(reply, description))
  })
}

function handle(setup: SiteContext, reply: FastifyReply): unknown {
  const parsed = parseResolverRequest(setup, reply.request)
  if (parsed instanceof AppError) return sendResolverError(setup.addresses.publicUrl, reply, parsed)
  if (parsed.type === 'unknown') return sendUnknownLinkType(setup, reply, parsed)
  const send = () => sendResolved(setup, reply, parsed)
  if (isConditional(parsed.type)) return setup.uncachedLimit.run(reply, send)
  const cached = findCachedTarget(setup.sql, parsed.link, parsed.now)
  return cached === undefined ? send() : sendRedirect(setup, reply, parsed, cached)
}

/** Returns true if only a look-up can tell if the address has links of this type. */
const isConditional = (type: ResolverRequest['type']) =>
  type === 'linkset' || type === 'recallStatus' || isOfferLinkType(type)

/** Parses the path before decoding, because a decoded slash would become a separator. */
function parseResolverRequest(setup: SiteSetup, request: FastifyRequest): ResolverRequest | AppError {
  const [url = ''] = (request.raw.url ?? '').split('#', 1)
  const queryStart = url.indexOf('?')
  const path = queryStart < 0 ? url : url.slice(0, queryStart)
  const query = queryStart < 0 ? '' : url.slice(queryStart + 1)
  const link = parseDigitalLink(path)
  if ('error' in link) return badRequest(link.error)
  const linkQuery = parseLinkQuery(query)
  if ('error' in linkQuery) return badRequest(linkQuery.error)
  const { linkType } = linkQuery
  const type = linkType === undefined ? 'defaultLink' : parseLinkType(linkType)
  const isLinkset = wantsLinkset(request.raw.headers.accept)
  return {
    link,
    rawPath: path.endsWith('/') ? path.slice(0, -1) : path,
    query,
    type: type === undefined ? 'unknown' : isLinkset ? 'linkset' : type,
    now: setup.clock.now(),
  }
}

/** The response to a link type that no product has. People get a link to the passport instead. */
async function sendUnknownLinkType(
  setup: SiteSetup,
  reply: FastifyReply,
  parsed: ResolverRequest,
): Promise<unknown> {
  const { addresses } = setup
  const { publicUrl } = addresses
  reply.headers(buildResolverHeaders(publicUrl))
  const isPage = prefersHtml(reply.request.raw.headers.accept)
  const resolved = isPage ? await resolveOrUseCached(setup, parsed) : undefined
  if (resolved === undefined) return sendResolverError(publicUrl, reply, linkTypeNotFound())
  return sendLinkToPassport(publicUrl, reply, 404, getPassportUrl(addresses, resolved))
}

const getPassportUrl = (addresses: Addresses, { item, batch, model }: ResolvedPassports) =>
  passportUrl(addresses, item ?? batch ?? model)

const wantsLinkset = memoize(prefersLinkset)

async function sendResolved(setup: SiteSetup, reply: FastifyReply, parsed: ResolverRequest): Promise<void> {
  const { addresses } = setup
  const { publicUrl } = addresses
  // For errors thrown below. A redirect sets its own headers.
  reply.headers(buildResolverHeaders(publicUrl))
  const resolved = await resolveOrUseCached(setup, parsed)
  if (resolved === undefined) {
    return sendResolverError(publicUrl, reply, noProduct(parsed.link.gtin14))
  }
  if (parsed.type === 'linkset') return sendLinkset(setup, reply, parsed, resolved)
  const sendMissing = (error: AppError) => {
    if (!prefersHtml(reply.request.raw.headers.accept)) throw error
    return sendLinkToPassport(publicUrl, reply, 404, getPassportUrl(addresses, resolved))
  }
  if (parsed.type === 'recallStatus' && !(await isRecalled(setup, parsed, resolved))) {
    return sendMissing(noRecallLink())
  }
  if (isOfferLinkType(parsed.type)) {
    const offers = await readOffers(setup, parsed, resolved)
    const target = findOfferTarget(offers, reply.request.raw.headers, { ...parsed, type: parsed.type })
    return target === undefined ? sendMissing(noOfferLink()) : sendLocation(setup, reply, parsed, target)
  }
  sendRedirect(setup, reply, parsed, resolved)
}

/** Those of the passport to which the address leads. An account without offers costs no statement. */
async function readOffers(
  { sql }: SiteSetup,
  { now }: ResolverRequest,
  { item, batch, model }: ResolvedPassports,
): Promise<Offer[]> {
  const id = item ?? batch ?? model
  const row = findCachedMetadata(sql, id, now) ?? (await readPublicPassport(sql, id, now))
  if (row === undefined) return []
  const { offersVersion } = await getCachedBrand(sql, row.account_id, now)
  return offersVersion === 0 ? [] : readOffersOf(sql, row)
}

/** True if a notice holds for the passport to which the address leads: a lot's recall is found there. */
async function isRecalled(
  { sql }: SiteSetup,
  { now }: ResolverRequest,
  { item, batch, model }: ResolvedPassports,
): Promise<boolean> {
  const id = item ?? batch ?? model
  const row = findCachedMetadata(sql, id, now) ?? (await readPublicPassport(sql, id, now))
  return row !== undefined && row.recall_state !== null
}

/** If the database does not answer, uses a target that was cached within the last ten minutes. */
async function resolveOrUseCached(
  { sql }: SiteSetup,
  { link, now }: ResolverRequest,
): Promise<ResolvedPassports | undefined> {
  const cached = findCachedTarget(sql, link, now, MAX_STALE_MS)
  const query = resolveAddress(sql, link, now)
  if (cached === undefined) return query
  try {
    return await withDeadline(query)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return cached
  }
}

/** Bypasses Fastify, like prepared responses. Clients do not cache a 307. */
function sendRedirect(
  setup: SiteSetup,
  reply: FastifyReply,
  parsed: ResolverRequest,
  resolved: ResolvedPassports,
): void {
  const { addresses } = setup
  const page = getPassportUrl(addresses, resolved)
  const formatQuery = parsed.type === 'dpp' ? getFormatQuery(setup, reply.request.raw.headers.accept) : ''
  sendLocation(setup, reply, parsed, buildTarget(page, formatQuery, parsed.query))
}

function sendLocation(
  { addresses: { publicUrl } }: SiteSetup,
  reply: FastifyReply,
  parsed: ResolverRequest,
  location: string,
): void {
  reply.hijack()
  reply.raw
    .writeHead(307, [
      'location',
      location,
      'link',
      buildLinksetLink(publicUrl, parsed.link),
      'content-length',
      '0',
      ...cachedRedirectHeaders.getOrMake(publicUrl, buildRedirectHeaders),
      'x-request-id',
      reply.request.id,
    ])
    .end()
}

const cachedRedirectHeaders = new BoundedMap<string, string[]>(1)

const buildRedirectHeaders = (publicUrl: string) => Object.entries(buildResolverHeaders(publicUrl)).flat()

/** Keeps the whole query unchanged. A format in it wins over the negotiated one. */
function buildTarget(page: string, formatQuery: string, query: string): string {
  if (query === '') return formatQuery === '' ? page : `${page}?${formatQuery}`
  const isQueryEnough = formatQuery === '' || /(?:^|[&;])format=/.test(query)
  return isQueryEnough ? `${page}?${query}` : `${page}?${formatQuery}&${query}`
}

const LINKSET_CONTEXT = 'https://ref.gs1.org/standards/resolver/linkset-context'

async function sendLinkset(
  setup: SiteSetup,
  reply: FastifyReply,
  parsed: ResolverRequest,
  { item, batch, model }: ResolvedPassports,
): Promise<void> {
  const { sql, addresses } = setup
  const { publicUrl } = addresses
  const ids = [item, batch, model].filter(id => id !== null)
  const found = await Promise.all(ids.map(id => readPublicPassport(sql, id, parsed.now)))
  const rows = found.filter(row => row !== undefined)
  const linkset = prepareResponse({
    body: renderLinkset(addresses, parsed, rows, {
      formats: await listLinkedFormats(setup, rows),
      offers: await readOffers(setup, parsed, { item, batch, model }),
      backupBaseUrl: await findBackupBaseUrl(setup, rows, parsed.now),
    }),
    etagPrefix: 'linkset',
    headers: {
      ...CORS_HEADERS,
      ...buildSecurityHeaders(publicUrl),
      'content-type': 'application/linkset+json',
      // A token in the address makes the response private.
      'cache-control': hasAccessToken(parsed.query) ? 'private, no-store' : 'public, max-age=60',
      vary: `${RESOLVER_VARY}, Accept-Encoding`,
      link: `<${LINKSET_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json", ${buildLinksetLink(publicUrl, parsed.link)}`,
      'x-robots-tag': 'noindex',
    },
  })
  return sendPrepared(reply, linkset)
}

async function listLinkedFormats(setup: SiteSetup, [row]: readonly PublicPassportRow[]) {
  const isSigning =
    HAS_SIGNED_LINKS && row !== undefined && (await findSigningIssuer(setup, row.account_id)) !== undefined
  return getLinkedFormats(isSigning)
}

/** All levels of an address belong to one account. */
const findBackupBaseUrl = async ({ sql }: SiteSetup, [row]: readonly PublicPassportRow[], now: Date) =>
  row === undefined ? null : (await getCachedBrand(sql, row.account_id, now)).backupBaseUrl

/** The parameter's name may be percent-encoded. */
const hasAccessToken = (query: string) => new URLSearchParams(query.replaceAll(';', '&')).has('access')

/** Answers without a look-up. */
function sendOptions(setup: SiteSetup, reply: FastifyReply): unknown {
  const { publicUrl } = setup.addresses
  const parsed = parseResolverRequest(setup, reply.request)
  if (parsed instanceof AppError) return sendResolverError(publicUrl, reply, parsed)
  if (parsed.type === 'unknown') return sendResolverError(publicUrl, reply, linkTypeNotFound())
  return reply
    .code(204)
    .headers({
      ...buildResolverHeaders(publicUrl),
      allow: 'GET, HEAD, OPTIONS',
      link: buildLinksetLink(publicUrl, parsed.link),
    })
    .send()
}

/** GS1's resolver description file. It must be at the root of the domain, even if `PUBLIC_URL` has a path. */
function prepareDescription({ addresses }: SiteSetup) {
  const description = {
    name: 'Carnet',
    resolverRoot: addresses.publicUrl,
    supportedPrimaryKeys: ['01'],
    supportedLinkType: [{ namespace: GS1_VOC, prefix: 'gs1:' }],
    linkTypeDefaultCanBeLinkset: false,
    jsonLdContextLocation: LINKSET_CONTEXT,
  }
  return prepareResponse({
    body: `${JSON.stringify(description)}\n`,
    etagPrefix: 'resolver',
    headers: {
      ...CORS_HEADERS,
      ...buildSecurityHeaders(addresses.publicUrl),
      'content-type': 'application/json',
      'cache-control': 'public, max-age=86400',
      vary: 'Accept-Encoding',
    },
  })
}

const ADDRESS_FORM =
  'A GS1 address on this server is /01/ and the 14 digits of a GTIN, then /10/ and a lot, /21/ and a serial, or both.'

const ERROR_MESSAGES: Record<DigitalLinkError | LinkQueryError, string> = {
  no_key: ADDRESS_FORM,
  bad_escape: 'The address has a broken percent-encoding.',
  bad_gtin:
    'The GTIN after /01/ is not valid: use 14 digits with a correct check digit. Pad a shorter GTIN with zeros on the left.',
  unknown_qualifier: `The address has a part that does not belong to a GTIN. ${ADDRESS_FORM}`,
  wrong_order: `The parts of the address are in the wrong order, or one is given twice. ${ADDRESS_FORM}`,
  bad_cpv: 'The variant after /22/ is not valid: use 1 to 20 of the characters that GS1 allows.',
  bad_lot: 'The lot after /10/ is not valid: use 1 to 20 of the characters that GS1 allows.',
  bad_serial: 'The serial after /21/ is not valid: use 1 to 20 of the characters that GS1 allows.',
  path_key_in_query: 'GTIN, lot, serial and variant belong in the path, not after the question mark.',
  unknown_identifier: 'A parameter name made of digits must be an application identifier of GS1.',
}

const badRequest = (error: DigitalLinkError | LinkQueryError) =>
  new AppError('bad_request', ERROR_MESSAGES[error])
const noProduct = (gtin14: string) =>
  new AppError(
    'not_found',
    isWorldwideGtin(gtin14)
      ? 'No product here has this GTIN.'
      : 'This number leads to no product: several companies use it, each for a product of its own.',
  )
const linkTypeNotFound = () =>
  new AppError(
    'not_found',
    'There is no link of this type. The types are gs1:dpp, gs1:pip, gs1:defaultLink, gs1:recallStatus, linkset, and those of the offers of the product.',
  )
const noOfferLink = () =>
  new AppError('not_found', 'Nothing is offered for this product under this link type.')
const noRecallLink = () => new AppError('not_found', 'No recall of this product is in force.')
