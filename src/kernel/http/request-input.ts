/** The parameters that the framework parsed from a request's address, with types. */
import type { FastifyRequest } from 'fastify'

/** Of the route's path. */
export const getPathParameters = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  Object(params)

/** The query: a text, or a list of them where a name is repeated. A malformed address has none. */
export const getQuery = ({ query }: FastifyRequest): Readonly<Record<string, string | string[]>> =>
  Object(query)
