/** Calls that will go away say so in each answer, long before: RFC 9745 (Deprecation), RFC 8594 (Sunset). */
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Deprecation = {
  /** When it was, or will be, deprecated. */
  since: Date
  /** When it stops answering; a year after `since` or later. */
  sunset: Date
  /** Where it is told what to use instead. */
  link: string
}

/** The options of a route that make its answers, refusals too, announce its end; none for a route that stays. */
export function announceDeprecation({ deprecated }: { deprecated?: Deprecation }) {
  if (deprecated === undefined) return {}
  const headers = deprecationHeaders(deprecated)
  return {
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(headers)
    },
  }
}

/** `Deprecation` is a structured date (RFC 9651 §3.3.7), `Sunset` an HTTP date. */
export const deprecationHeaders = ({ since, sunset, link }: Deprecation) => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  sunset: sunset.toUTCString(),
  link: `<${link}>; rel="deprecation"; type="text/html", <${link}>; rel="sunset"; type="text/html"`,
})
