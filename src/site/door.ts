/** The public door: its table of contents. Needs no key, sets no cookie but for access links, and changes nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { preferredForm } from './http/content-negotiation.ts'
import { answerPreflight, rejectOtherMethods } from './http/cors.ts'
import { sendPrepared } from './http/prepared-response.ts'
import type { SiteContext, SiteSetup } from './http/setup.ts'
import { createUncachedLimit } from './http/uncached-limit.ts'
import { findNamespacePath, prepareContextVersions, prepareNamespace } from './json-ld/namespace.ts'
import { sendLogo } from './logo.ts'
import { sendNotFound } from './passport/not-found.ts'
import { createPassportHandler, type PassportRoute } from './passport/passport-handler.ts'
import { parsePassportRequest } from './passport/passport-request.ts'
import { sendQrSymbol } from './passport/qr-symbol.ts'
import { registerResolver } from './resolver/resolver.ts'
import { createRobotsHandler } from './robots.ts'
import { createSitemapHandlers } from './sitemap.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Registers the public addresses, and gives the way to answer what is ready without asking the framework. */
export function registerSite(app: FastifyInstance, setup: SiteSetup): Pick<PassportRoute, 'answerReady'> {
  const site = { ...setup, uncached: createUncachedLimit(setup) }
  const passports = createPassportHandler(site)
  app.register(async door => {
    registerResolver(door, site)
    for (const [path, handle] of Object.entries(createHandlers(site, passports))) {
      door.route({ method: 'GET', url: path, handler: handle })
      answerPreflight(door, path)
      rejectOtherMethods(door, path)
    }
  })
  return passports
}

function createHandlers(setup: SiteContext, passports: PassportRoute): Record<string, Handler> {
  const { publicUrl } = setup.addresses
  const nsPath = findNamespacePath(publicUrl, setup.nsUrl)
  const nothing: Handler = (request, reply) => {
    const wish = parsePassportRequest(setup, request)
    if (wish instanceof AppError) throw wish
    return sendNotFound(setup, request, reply, wish)
  }
  return {
    '/p/:id': passports.handle,
    '/p/:id/qr.svg': (request, reply) => sendQrSymbol(setup, request, reply),
    '/p/*': nothing,
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

/** The address itself, which grows with the field table, and each version of it, which stays as it is. */
function createNamespaceHandlers(setup: SiteSetup, path: string): Record<string, Handler> {
  const answers = prepareNamespace(setup.addresses.publicUrl, setup.nsUrl)
  const handlers: Record<string, Handler> = {
    [path]: (request, reply) =>
      sendPrepared(request, reply, answers[preferredForm(request.raw.headers.accept)]),
  }
  for (const [version, answer] of prepareContextVersions(setup.addresses.publicUrl, setup.nsUrl)) {
    handlers[`${path}/${version}`] = (request, reply) => sendPrepared(request, reply, answer)
  }
  return handlers
}

/** Nobody has a passport without a path: who types the bare address is looking for the account's pages. */
const getHome = (publicUrl: string) => `${new URL(publicUrl).pathname.replace(/\/$/, '')}/console`
