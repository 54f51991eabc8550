/** Endpoints to be removed say so in each response: RFC 9745 (Deprecation), RFC 8594 (Sunset). */
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Deprecation = {
  /** When it is deprecated; may be in the future. */
  since: Date
  /** When it stops working; at least a year after `since`. */
  sunset: Date
  /** A page that says what to use instead. */
  link: string
}

/** Route options that add the headers to every response, errors too. Empty without a deprecation. */
export function buildDeprecationOptions({ deprecated }: { deprecated?: Deprecation }) {
  if (deprecated === undefined) return {}
  const headers = deprecationHeaders(deprecated)
  return {
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(headers)
    },
  }
}

/** `Deprecation` is a structured date (RFC 9651 §3.3.7), `Sunset` an HTTP date. */
const deprecationHeaders = ({ since, sunset, link }: Deprecation) => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  sunset: sunset.toUTCString(),
  link: `<${link}>; rel="deprecation"; type="text/html", <${link}>; rel="sunset"; type="text/html"`,
})
