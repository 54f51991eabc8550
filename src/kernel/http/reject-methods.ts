/** Rejects the methods that an address does not take. */
import type { FastifyInstance, RouteOptions } from 'fastify'
import { HttpError } from './http-error.ts'

/** `allow` lists the methods that it takes; `headers` are sent beside them. */
export function rejectMethods(
  app: FastifyInstance,
  route: Pick<RouteOptions, 'method' | 'url' | 'config' | 'exposeHeadRoute'>,
  allow: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  app.route({
    ...route,
    onRequest: async request => {
      const message = `${request.method} is not allowed here. Allowed: ${allow}.`
      throw new HttpError('method_not_allowed', message, { ...headers, allow })
    },
    handler: () => undefined,
  })
}
