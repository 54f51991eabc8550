/**
 * `/01/…`: the GS1 Digital Link resolver. An address printed on a product is led to the product's passport, at once and
 * each time anew, so that every scan is seen and an address can mean something else tomorrow. The redirect itself counts
 * nothing and looks at no content.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DigitalLink, type DigitalLinkFault, parseDigitalLink } from '../../gs1/digital-link.ts'
import { type LinkQueryFault, parseLinkQuery } from '../../gs1/link-query.ts'
import { GS1_VOC, type LinkType, parseLinkType } from '../../gs1/link-type.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Addresses, passportUrl } from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { findCachedTarget, type Resolved, resolveAddress } from '../../passports/read/resolve.ts'
import { isPerson, preferredForm, prefersLinkset, remembering } from '../http/accept.ts'
import { allowReading, CORS, refuseOtherMethods } from '../http/cors.ts'
import { readyAnswer, sendEncoded } from '../http/ready-answer.ts'
import type { Site, SiteSetup } from '../http/setup.ts'
import { impatiently, isUnavailable, STALE_MS } from '../http/stale.ts'
import { safetyHeaders } from '../page/shell.ts'
import { leadOn } from '../passport/errors.ts'
import { linksetLink, refuse, unkept, VARY } from './errors.ts'
import { linksetJson } from './linkset.ts'

/** `query` is raw, without `?`; `rawPath` without a slash at its end. */
type Question = { link: DigitalLink; rawPath: string; query: string; type: LinkType | 'unknown'; now: Date }

/** Registers the resolver, with its description for machines. */
export function registerResolver(door: FastifyInstance, setup: Site): void {
  door.register(async resolver => {
    const handle = resolverHandler(setup)
    for (const url of ['/01', '/01/*']) {
      resolver.route({ method: 'GET', url, handler: handle })
      resolver.route({ method: 'OPTIONS', url, handler: (...pair) => answerOptions(setup, ...pair) })
      refuseOtherMethods(resolver, url)
    }
    // Words in place of numbers were taken out of the standard in 2022; whoever still sends them is told.
    resolver.route({
      method: 'GET',
      url: '/gtin/*',
      handler: (request, reply) => refuse(setup.addresses.publicUrl, request, reply, malformed('no_key')),
    })
    const url = '/.well-known/gs1resolver'
    const description = descriptionOf(setup)
    resolver.route({
      method: 'GET',
      url,
      handler: (request, reply) => sendEncoded(request, reply, description),
    })
    allowReading(resolver, url)
    refuseOtherMethods(resolver, url)
  })
}

function resolverHandler(setup: Site) {
  const { publicUrl } = setup.addresses
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    const question = readQuestion(setup, request)
    if (question instanceof AppError) return refuse(publicUrl, request, reply, question)
    if (question.type === 'unknown') return refuseType(setup, request, reply, question)
    const make = () => answer(setup, request, reply, question)
    if (question.type === 'linkset') return setup.uncached.make(request, reply, make)
    const believed = findCachedTarget(setup.sql, question.link, question.now)
    if (believed === undefined) return make()
    return redirect(setup, request, reply, question, believed)
  }
}

/** What a request asks for, or why it asks for nothing. The path is read as it came: a decoded slash is no slash. */
function readQuestion(setup: SiteSetup, request: FastifyRequest): Question | AppError {
  const [address = ''] = (request.raw.url ?? '').split('#', 1)
  const start = address.indexOf('?')
  const path = start < 0 ? address : address.slice(0, start)
  const query = start < 0 ? '' : address.slice(start + 1)
  const link = parseDigitalLink(path)
  if ('fault' in link) return malformed(link.fault)
  const wish = parseLinkQuery(query)
  if ('fault' in wish) return malformed(wish.fault)
  const type = wish.linkType === undefined ? 'defaultLink' : parseLinkType(wish.linkType)
  const isLinkset = type === 'linkset' || wantsLinkset(request.raw.headers.accept)
  return {
    link,
    rawPath: path.endsWith('/') ? path.slice(0, -1) : path,
    query,
    type: type === undefined ? 'unknown' : isLinkset ? 'linkset' : type,
    now: setup.clock.now(),
  }
}

/** The link is not there, for anybody; a person is led to the product's passport, which is. */
async function refuseType(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
): Promise<unknown> {
  const { addresses } = setup
  reply.headers(unkept(addresses.publicUrl))
  const resolved = isPerson(request.raw.headers.accept) ? await resolveOrRemember(setup, question) : undefined
  if (resolved === undefined) return refuse(addresses.publicUrl, request, reply, noSuchLink())
  return leadOn(addresses.publicUrl, { request, reply, status: 404 }, pageOf(addresses, resolved))
}

const pageOf = (addresses: Addresses, { item, batch, model }: Resolved) =>
  passportUrl(addresses, item ?? batch ?? model)

const wantsLinkset = remembering(prefersLinkset)
const formOf = remembering(preferredForm)

async function answer(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
): Promise<void> {
  // For what may be thrown from here on; a redirect brings its own.
  reply.headers(unkept(setup.addresses.publicUrl))
  const resolved = await resolveOrRemember(setup, question)
  if (resolved === undefined) return refuse(setup.addresses.publicUrl, request, reply, unknown())
  if (question.type === 'linkset') return answerLinkset(setup, request, reply, question, resolved)
  redirect(setup, request, reply, question, resolved)
}

/** While the database does not answer, an address leads where it led within the last ten minutes. */
async function resolveOrRemember({ sql }: SiteSetup, { link, now }: Question): Promise<Resolved | undefined> {
  const before = findCachedTarget(sql, link, now, STALE_MS)
  const resolving = resolveAddress(sql, link, now)
  if (before === undefined) return resolving
  try {
    return await impatiently(resolving)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return before
  }
}

/** Past the framework, as the ready pages are sent. 307: the next scan asks here again, and no client keeps it. */
function redirect(
  { addresses }: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
  resolved: Resolved,
): void {
  const { publicUrl } = addresses
  const page = pageOf(addresses, resolved)
  const isForMachine = question.type === 'dpp' && formOf(request.raw.headers.accept) === 'jsonld'
  reply.hijack()
  reply.raw
    .writeHead(307, [
      'location',
      target(page, isForMachine ? 'format=jsonld' : '', question.query),
      'link',
      linksetLink(publicUrl, question.link),
      'content-length',
      '0',
      ...fixedHeaders(publicUrl),
      'x-request-id',
      request.id,
    ])
    .end()
}

let fixed: { publicUrl: string; headers: string[] } | undefined

function fixedHeaders(publicUrl: string): string[] {
  if (fixed?.publicUrl !== publicUrl) fixed = { publicUrl, headers: Object.entries(unkept(publicUrl)).flat() }
  return fixed.headers
}

/** The whole query of the request goes along as it was typed; a format in it is the reader's own and wins. */
function target(page: string, own: string, query: string): string {
  if (query === '') return own === '' ? page : `${page}?${own}`
  return own === '' || /(?:^|[&;])format=/.test(query) ? `${page}?${query}` : `${page}?${own}&${query}`
}

const LINKSET_CONTEXT = 'https://ref.gs1.org/standards/resolver/linkset-context'

async function answerLinkset(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  question: Question,
  { item, batch, model }: Resolved,
): Promise<void> {
  const { publicUrl } = setup.addresses
  const ids = [item, batch, model].filter(id => id !== null)
  const rows = await Promise.all(ids.map(id => readPublicPassport(setup.sql, id, question.now)))
  const levels = rows.filter((row): row is PublicPassportRow => row !== undefined)
  const linkset = readyAnswer({
    body: linksetJson(setup.addresses, question, levels),
    tag: 'linkset',
    headers: {
      ...CORS,
      ...safetyHeaders(publicUrl),
      'content-type': 'application/linkset+json',
      // A token in the address is for one reader; the rest is the same for everybody.
      'cache-control': hasAccess(question.query) ? 'private, no-store' : 'public, max-age=60',
      vary: `${VARY}, Accept-Encoding`,
      link: `<${LINKSET_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json", ${linksetLink(publicUrl, question.link)}`,
      'x-robots-tag': 'noindex',
    },
  })
  return sendEncoded(request, reply, linkset)
}

/** However the name is escaped. */
const hasAccess = (query: string) => new URLSearchParams(query.replaceAll(';', '&')).has('access')

/** Says what may be asked of an address; whether it is known is not looked up. */
function answerOptions(setup: SiteSetup, request: FastifyRequest, reply: FastifyReply): unknown {
  const { publicUrl } = setup.addresses
  const question = readQuestion(setup, request)
  if (question instanceof AppError) return refuse(publicUrl, request, reply, question)
  if (question.type === 'unknown') return refuse(publicUrl, request, reply, noSuchLink())
  return reply
    .code(204)
    .headers({
      ...unkept(publicUrl),
      allow: 'GET, HEAD, OPTIONS',
      link: linksetLink(publicUrl, question.link),
    })
    .send()
}

/** GS1's resolver description file. It stands at the root of the domain, whatever path `PUBLIC_URL` has. */
function descriptionOf({ addresses }: SiteSetup) {
  const description = {
    name: 'Carnet',
    resolverRoot: addresses.publicUrl,
    supportedPrimaryKeys: ['01'],
    supportedLinkType: [{ namespace: GS1_VOC, prefix: 'gs1:' }],
    linkTypeDefaultCanBeLinkset: false,
    jsonLdContextLocation: LINKSET_CONTEXT,
  }
  return readyAnswer({
    body: `${JSON.stringify(description)}\n`,
    tag: 'resolver',
    headers: {
      ...CORS,
      ...safetyHeaders(addresses.publicUrl),
      'content-type': 'application/json',
      'cache-control': 'public, max-age=86400',
      vary: 'Accept-Encoding',
    },
  })
}

const FORM =
  'A GS1 address here is /01/ and the 14 digits of a GTIN, then /10/ and a lot, /21/ and a serial, or both.'

const SENTENCES: Record<DigitalLinkFault | LinkQueryFault, string> = {
  no_key: FORM,
  bad_escape: 'The address has a broken percent-encoding.',
  bad_gtin:
    'What follows /01/ is no GTIN of 14 digits with a right check digit. Fill a shorter one up with zeros from the left.',
  unknown_qualifier: `The address has a part that does not belong to a GTIN. ${FORM}`,
  wrong_order: `The parts of the address are in another order, or one is there twice. ${FORM}`,
  bad_cpv: 'What follows /22/ is no variant: 1 to 20 of the characters that GS1 allows.',
  bad_lot: 'What follows /10/ is no lot: 1 to 20 of the characters that GS1 allows.',
  bad_serial: 'What follows /21/ is no serial: 1 to 20 of the characters that GS1 allows.',
  path_key_in_query: 'GTIN, lot, serial and variant belong in the path, not behind the question mark.',
  unknown_identifier: 'A name of digits behind the question mark must be an application identifier of GS1.',
}

const malformed = (fault: DigitalLinkFault | LinkQueryFault) => new AppError('bad_request', SENTENCES[fault])
const unknown = () => new AppError('not_found', 'No product here has this GTIN.')
const noSuchLink = () =>
  new AppError(
    'not_found',
    'There is no link of this type. There are gs1:dpp, gs1:pip, gs1:defaultLink and linkset.',
  )
