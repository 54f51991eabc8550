/** The public door: its table of contents. Needs no key, sets no cookie but for access links, and answers only GET and HEAD. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { negotiateLanguage } from '../i18n/negotiate.ts'
import { AppError } from '../kernel/errors.ts'
import { preferredForm } from './accept.ts'
import { namespaceAnswers, namespacePath } from './namespace.ts'
import { answerNotFound, errorPage } from './not-found-page.ts'
import { passportHandler } from './passport-door.ts'
import { sendEncoded } from './ready-answer.ts'
import { registerResolver } from './resolver-door.ts'
import { robotsHandler } from './robots.ts'
import type { SiteSetup } from './setup.ts'
import { pageHeaders } from './shell.ts'
import { sitemapHandlers } from './sitemap.ts'
import { answerSymbol } from './symbol.ts'
import { readWish } from './wish.ts'

export type { SiteSetup } from './setup.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Registers the public addresses. */
export function registerSite(app: FastifyInstance, setup: SiteSetup): void {
  app.register(async door => {
    door.addHook('onSend', async (request, reply, payload) => withFace(setup, request, reply, payload))
    registerResolver(door, setup)
    for (const [path, handle] of Object.entries(handlers(setup))) {
      door.route({ method: 'GET', url: path, handler: handle })
      refuseOtherMethods(door, path)
    }
  })
}

function handlers(setup: SiteSetup): Record<string, Handler> {
  const { publicUrl } = setup.addresses
  const nsPath = namespacePath(publicUrl, setup.nsUrl)
  const nothing: Handler = (request, reply) => answerNotFound(setup, request, reply, readWish(setup, request))
  return {
    '/p/:id': passportHandler(setup),
    '/p/:id/qr.svg': (request, reply) => answerSymbol(setup, request, reply),
    '/p/*': nothing,
    ...(nsPath === undefined ? {} : { [nsPath]: namespaceHandler(setup) }),
    '/robots.txt': robotsHandler(setup),
    ...sitemapHandlers(setup),
    '/favicon.ico': (_request, reply) =>
      reply.code(204).header('cache-control', 'public, max-age=86400').send(),
  }
}

function namespaceHandler(setup: SiteSetup): Handler {
  const answers = namespaceAnswers(setup.addresses.publicUrl, setup.nsUrl)
  return (request, reply) => sendEncoded(request, reply, answers[preferredForm(request.raw.headers.accept)])
}

/** A failure, told to a person as a page. What happened is in the log, under the id that the headers name. */
function withFace(setup: SiteSetup, request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode < 500 || preferredForm(request.raw.headers.accept) !== 'html') return payload
  const acceptLanguage = request.raw.headers['accept-language']
  reply.headers({ ...pageHeaders(setup.addresses.publicUrl), 'cache-control': 'no-store' })
  reply.removeHeader('content-length')
  return errorPage(negotiateLanguage({ acceptLanguage }))
}

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

function refuseOtherMethods(door: FastifyInstance, path: string): void {
  door.route({
    method: OTHER_METHODS,
    url: path,
    onRequest: async request => {
      const message = `${request.method} is not possible here; GET and HEAD are.`
      throw new AppError('method_not_allowed', message, undefined, { allow: 'GET, HEAD' })
    },
    handler: () => undefined,
  })
}
