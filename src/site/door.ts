/** The routes of the public site. They need no key, set cookies only for access links, and change nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { negotiate } from './http/content-negotiation.ts'
import { answerPreflight, rejectOtherMethods } from './http/cors.ts'
import { sendPrepared } from './http/prepared-response.ts'
import type { SiteContext, SiteSetup } from './http/setup.ts'
import { createUncachedLimit } from './http/uncached-limit.ts'
import { findNamespacePath, prepareContextVersions, prepareNamespace } from './json-ld/namespace.ts'
import { sendLogo } from './logo.ts'
import { sendNotFound } from './passport/not-found.ts'
import { createPassportRoute, type PassportRoute } from './passport/passport-handler.ts'
import { parsePassportRequest } from './passport/passport-request.ts'
import { sendQrSymbol } from './passport/qr-symbol.ts'
import { registerResolver } from './resolver/resolver.ts'
import { createRobotsHandler } from './robots.ts'
import { createSitemapHandlers } from './sitemap.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Registers the routes. Returns how to send cached pages before the framework sees a request. */
export function registerSite(app: FastifyInstance, setup: SiteSetup): Pick<PassportRoute, 'answerFromCache'> {
  const site = { ...setup, uncached: createUncachedLimit(setup) }
  const passports = createPassportRoute(site)
  app.register(async routes => {
    registerResolver(routes, site)
    for (const [path, handle] of Object.entries(createHandlers(site, passports))) {
      routes.route({ method: 'GET', url: path, handler: handle })
      answerPreflight(routes, path)
      rejectOtherMethods(routes, path)
    }
  })
  return passports
}

function createHandlers(setup: SiteContext, passports: PassportRoute): Record<string, Handler> {
  const { publicUrl } = setup.addresses
  const nsPath = findNamespacePath(publicUrl, setup.nsUrl)
  const handleNotFound: Handler = (request, reply) => {
    const page = parsePassportRequest(setup, request)
    if (page instanceof AppError) throw page
    return sendNotFound(setup, request, reply, page)
  }
  return {
    '/p/:id': passports.handle,
    '/p/:id/qr.svg': (request, reply) => sendQrSymbol(setup, request, reply),
    '/p/*': handleNotFound,
    '/brand/:file': (request, reply) => sendLogo(setup, request, reply),
    ...(nsPath === undefined ? {} : createNamespaceHandlers(setup, nsPath)),
    '/': (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').redirect(getHome(publicUrl), 302),
    '/robots.txt': createRobotsHandler(setup),
    ...createSitemapHandlers(setup),
    '/favicon.ico': (_request, reply) =>
      reply.code(204).header('cache-control', 'public, max-age=86400').send(),
  }
}

/** The namespace, which grows with the field table, and each published version of its context. */
function createNamespaceHandlers(setup: SiteSetup, path: string): Record<string, Handler> {
  const namespace = prepareNamespace(setup.addresses.publicUrl, setup.nsUrl)
  const handlers: Record<string, Handler> = {
    [path]: (request, reply) =>
      sendPrepared(request, reply, negotiate(request.raw.headers.accept, namespace).response),
  }
  for (const [version, response] of prepareContextVersions(setup.addresses.publicUrl, setup.nsUrl)) {
    handlers[`${path}/${version}`] = (request, reply) => sendPrepared(request, reply, response)
  }
  return handlers
}

/** Nobody reads a passport at the bare address: whoever types it looks for the console. */
const getHome = (publicUrl: string) => `${new URL(publicUrl).pathname.replace(/\/$/, '')}/console`
