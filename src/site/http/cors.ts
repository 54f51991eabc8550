/** Scripts on other sites may read everything public, also errors, but nothing that an access link opens. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { rejectMethods } from '../../kernel/http/reject-methods.ts'
import type { Headers } from './prepared-response.ts'

export const ALLOW_ANY_ORIGIN = { 'access-control-allow-origin': '*' } as const

const METHODS = 'GET, HEAD, OPTIONS'

/** For preflight requests. The asterisk does not cover Authorization (Fetch §3.2.3). */
export const CORS_HEADERS: Headers = {
  ...ALLOW_ANY_ORIGIN,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
  'access-control-expose-headers': 'Link, Location, X-Request-Id',
  'access-control-max-age': '86400',
}

export type PublicHandler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** OPTIONS is answered whether or not the resource exists. */
const sendPreflight: PublicHandler = (_request, reply) =>
  reply
    .code(204)
    .headers({ ...CORS_HEADERS, allow: METHODS })
    .send()

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/** Registers an address that answers GET, HEAD and OPTIONS and rejects other methods. */
export function servePublic(
  app: FastifyInstance,
  url: string,
  handler: PublicHandler,
  onOptions = sendPreflight,
): void {
  app.route({ method: 'GET', url, handler })
  app.route({ method: 'OPTIONS', url, handler: onOptions })
  rejectMethods(app, { method: OTHER_METHODS, url }, METHODS, CORS_HEADERS)
}
