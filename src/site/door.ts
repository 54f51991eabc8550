/** The public door: its table of contents. Needs no key, sets no cookie but for access links, and changes nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { preferredForm } from './http/accept.ts'
import { allowReading, refuseOtherMethods } from './http/cors.ts'
import { sendEncoded } from './http/ready-answer.ts'
import type { Site, SiteSetup } from './http/setup.ts'
import { limitUncached } from './http/uncached.ts'
import { contextVersionAnswers, namespaceAnswers, namespacePath } from './json-ld/namespace.ts'
import { answerLogo } from './logo.ts'
import { type PassportDoor, passportDoor } from './passport/handler.ts'
import { answerNowhere } from './passport/not-found.ts'
import { answerSymbol } from './passport/qr-symbol.ts'
import { readWish } from './passport/wish.ts'
import { registerResolver } from './resolver/resolver.ts'
import { robotsHandler } from './robots.ts'
import { sitemapHandlers } from './sitemap.ts'

export type { SiteSetup } from './http/setup.ts'
export { refusalFace } from './passport/errors.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Registers the public addresses, and gives the way to answer what is ready without asking the framework. */
export function registerSite(app: FastifyInstance, setup: SiteSetup): Pick<PassportDoor, 'answerReady'> {
  const site = { ...setup, uncached: limitUncached(setup) }
  const passports = passportDoor(site)
  app.register(async door => {
    registerResolver(door, site)
    for (const [path, handle] of Object.entries(handlers(site, passports))) {
      door.route({ method: 'GET', url: path, handler: handle })
      allowReading(door, path)
      refuseOtherMethods(door, path)
    }
  })
  return passports
}

function handlers(setup: Site, passports: PassportDoor): Record<string, Handler> {
  const { publicUrl } = setup.addresses
  const nsPath = namespacePath(publicUrl, setup.nsUrl)
  const nothing: Handler = (request, reply) => {
    const wish = readWish(setup, request)
    if (wish instanceof AppError) throw wish
    return answerNowhere(setup, request, reply, wish)
  }
  return {
    '/p/:id': passports.handle,
    '/p/:id/qr.svg': (request, reply) => answerSymbol(setup, request, reply),
    '/p/*': nothing,
    '/brand/:file': (request, reply) => answerLogo(setup, request, reply),
    ...(nsPath === undefined ? {} : namespaceHandlers(setup, nsPath)),
    '/': (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').redirect(homeOf(publicUrl), 302),
    '/robots.txt': robotsHandler(setup),
    ...sitemapHandlers(setup),
    '/favicon.ico': (_request, reply) =>
      reply.code(204).header('cache-control', 'public, max-age=86400').send(),
  }
}

/** The address itself, which grows with the field table, and each version of it, which stays as it is. */
function namespaceHandlers(setup: SiteSetup, path: string): Record<string, Handler> {
  const answers = namespaceAnswers(setup.addresses.publicUrl, setup.nsUrl)
  const handlers: Record<string, Handler> = {
    [path]: (request, reply) =>
      sendEncoded(request, reply, answers[preferredForm(request.raw.headers.accept)]),
  }
  for (const [version, answer] of contextVersionAnswers(setup.addresses.publicUrl, setup.nsUrl)) {
    handlers[`${path}/${version}`] = (request, reply) => sendEncoded(request, reply, answer)
  }
  return handlers
}

/** Nobody has a passport without a path: who types the bare address is looking for the account's pages. */
const homeOf = (publicUrl: string) => `${new URL(publicUrl).pathname.replace(/\/$/, '')}/console`
