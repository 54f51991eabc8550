/** Scripts on other sites may read everything public, errors included, but nothing that an access link opens. */
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { HttpError } from '../../kernel/http/http-error.ts'
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

/** Answers OPTIONS, whether the resource exists or not. */
export function answerPreflight(app: FastifyInstance, url: string): void {
  app.route({
    method: 'OPTIONS',
    url,
    handler: (_request, reply) =>
      reply
        .code(204)
        .headers({ ...CORS_HEADERS, allow: METHODS })
        .send(),
  })
}

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/** For routes that answer GET, HEAD and OPTIONS. */
export function rejectOtherMethods(app: FastifyInstance, url: string): void {
  app.route({
    method: OTHER_METHODS,
    url,
    onRequest: async request => {
      const message = `${request.method} is not possible here; GET, HEAD and OPTIONS are.`
      throw new HttpError('method_not_allowed', message, { ...CORS_HEADERS, allow: METHODS })
    },
    handler: () => undefined,
  })
}
