/** What the framework took from a request's address, which it types as unknown. */
import type { FastifyRequest } from 'fastify'

/** The parameters of the route's path: always texts. */
export const getPathParameters = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  Object(params)

/** The query: a text, or a list of them where a name is repeated. A malformed address has none. */
export const getQuery = ({ query }: FastifyRequest): Readonly<Record<string, string | string[]>> =>
  Object(query)
