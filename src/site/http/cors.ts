/**
 * Programs on other sites' pages may read what is public, in whatever form they ask for it, refusals included. What an
 * access link opens is not for them.
 */
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { HttpError } from '../../kernel/http/http-error.ts'
import type { Headers } from './ready-answer.ts'

export const READABLE = { 'access-control-allow-origin': '*' } as const

const METHODS = 'GET, HEAD, OPTIONS'

/** What a browser asks beforehand. The asterisk does not stand for Authorization (Fetch §3.2.3). */
export const CORS: Headers = {
  ...READABLE,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
  'access-control-expose-headers': 'Link, Location, X-Request-Id',
  'access-control-max-age': '86400',
}

/** Answers OPTIONS, whatever is there or not. */
export function allowReading(door: FastifyInstance, url: string): void {
  door.route({
    method: 'OPTIONS',
    url,
    handler: (_request, reply) =>
      reply
        .code(204)
        .headers({ ...CORS, allow: METHODS })
        .send(),
  })
}

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/** For an address that answers GET, HEAD and OPTIONS. */
export function refuseOtherMethods(door: FastifyInstance, url: string): void {
  door.route({
    method: OTHER_METHODS,
    url,
    onRequest: async request => {
      const message = `${request.method} is not possible here; GET, HEAD and OPTIONS are.`
      throw new HttpError('method_not_allowed', message, { ...CORS, allow: METHODS })
    },
    handler: () => undefined,
  })
}
