/** The routes of the public site. They need no API key, and set cookies only for access links. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findLogo } from '../accounts/brand/brand.ts'
import { LOGO_TYPES } from '../accounts/brand/logo.ts'
import { AppError, notFound } from '../kernel/errors/errors.ts'
import { matchesAny } from '../kernel/http/entity-tags.ts'
import { getPathParameters } from '../kernel/http/request-input.ts'
import { once } from '../kernel/values/memo.ts'
import { SVG_HEADERS } from '../qr/svg.ts'
import { negotiateMediaType } from './http/content-negotiation.ts'
import { type PublicHandler, servePublic } from './http/cors.ts'
import { sendPrepared } from './http/prepared-response.ts'
import { getBasePath, type SiteContext, type SiteSetup } from './http/setup.ts'
import { createUncachedLimit } from './http/uncached-limit.ts'
import { findNamespacePath, listNamespaceDocuments, prepareNamespace } from './json-ld/namespace.ts'
import { createMediaRoute } from './media/media-route.ts'
import { buildSecurityHeaders } from './page/shell.ts'
import { sendBadge } from './passport/badge.ts'
import { redirectCapitals } from './passport/capitals.ts'
import { sendNotFound } from './passport/not-found.ts'
import { createPassportRoute, type PassportRoute } from './passport/passport-handler.ts'
import { parsePassportRequest } from './passport/passport-request.ts'
import { sendQrSymbol } from './passport/qr-symbol.ts'
import { sendSignaturePage } from './passport/signature-page.ts'
import { createEventsHandler } from './passport/unit-events.ts'
import { registerResolver } from './resolver/resolver.ts'
import { createSitemapHandlers } from './sitemap.ts'

/** Registers the routes. Returns `answerFromCache`, to be called before Fastify sees a request. */
export function registerSite(app: FastifyInstance, setup: SiteSetup): Pick<PassportRoute, 'answerFromCache'> {
  const site = { ...setup, uncachedLimit: createUncachedLimit(setup) }
  const passports = createPassportRoute(site)
  const files = createMediaRoute(site)
  app.register(async routes => {
    registerResolver(routes, site)
    for (const [path, handle] of Object.entries({ ...createHandlers(site, passports), ...files.handlers })) {
      servePublic(routes, path, handle)
    }
  })
  return {
    answerFromCache: exchange => files.answerFromCache(exchange) || passports.answerFromCache(exchange),
  }
}

function createHandlers(setup: SiteContext, passports: PassportRoute): Record<string, PublicHandler> {
  const { publicUrl } = setup.addresses
  const nsPath = findNamespacePath(publicUrl, setup.nsUrl)
  const handleNotFound: PublicHandler = (rawRequest, reply) => {
    const request = parsePassportRequest(setup, rawRequest)
    if (request instanceof AppError) throw request
    return sendNotFound(setup, reply, request)
  }
  return {
    ...redirectCapitals(setup.addresses, {
      '/p/:id': passports.handle,
      '/p/:id/aas/:idShort': passports.handleSubmodel,
      '/p/:id/qr.svg': (_request, reply) => sendQrSymbol(setup, reply),
      '/p/:id/badge.svg': (_request, reply) => sendBadge(setup, reply),
      '/p/:id/events': createEventsHandler(setup),
      '/p/:id/signature': (_request, reply) => sendSignaturePage(setup, reply),
      '/p/*': handleNotFound,
      '/P/*': handleNotFound,
    }),
    '/brand/:file': (_request, reply) => sendLogo(setup, reply),
    ...(nsPath === undefined ? {} : createNamespaceHandlers(setup, nsPath)),
    // Visitors of the root URL most likely want the console.
    '/': (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').redirect(`${getBasePath(publicUrl)}/console`, 302),
    '/robots.txt': (_request, reply) => reply.headers(ROBOTS_HEADERS).send(renderRobots(publicUrl)),
    ...createSitemapHandlers(setup),
    '/favicon.ico': (_request, reply) =>
      reply.code(204).header('cache-control', 'public, max-age=86400').send(),
  }
}

/** The namespace, which has a term for each field, and each published version of its context. */
function createNamespaceHandlers(setup: SiteSetup, path: string): Record<string, PublicHandler> {
  const { addresses, nsUrl } = setup
  const getNamespace = once(() => prepareNamespace(addresses.publicUrl, nsUrl))
  const handlers: Record<string, PublicHandler> = {
    [path]: (request, reply) =>
      sendPrepared(reply, negotiateMediaType(request.raw.headers.accept, getNamespace()).response),
  }
  for (const [name, getResponse] of listNamespaceDocuments(addresses.publicUrl, nsUrl)) {
    handlers[`${path}/${name}`] = (_request, reply) => sendPrepared(reply, getResponse())
  }
  return handlers
}

/** An account's logo. The address has its digest, so the content never changes. Throws `not_found`. */
async function sendLogo({ sql, addresses }: SiteSetup, reply: FastifyReply): Promise<FastifyReply> {
  const { file = '' } = getPathParameters(reply.request)
  const logo = await findLogo(sql, file)
  if (logo === undefined) throw notFound('logo')
  const etag = `"${file}"`
  reply.headers({
    ...buildSecurityHeaders(addresses.publicUrl),
    ...SVG_HEADERS,
    'content-type': LOGO_TYPES[logo.type],
    'cache-control': 'public, max-age=31536000, immutable',
    // A shop may show the logo beside its link to the passport.
    'cross-origin-resource-policy': 'cross-origin',
    etag,
  })
  const isKnown = matchesAny(reply.request.raw.headers['if-none-match'], etag)
  return isKnown ? reply.code(304).send() : reply.send(logo.bytes)
}

const ROBOTS_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=3600',
}

/** Pages that must not be listed are not blocked here: a crawler has to read them to see their `noindex`. */
function renderRobots(publicUrl: string): string {
  const base = getBasePath(publicUrl)
  return `User-agent: *\nDisallow: ${base}/api/\nDisallow: ${base}/console\n\nSitemap: ${publicUrl}/sitemap.xml\n`
}
