/** The parsed parameters of a request's address, with types. */
import type { FastifyRequest } from 'fastify'

/** Parameters in the route's path. */
export const getPathParameters = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  Object(params)

/** The query: a text for each name, or a list if the name is repeated. A malformed address has none. */
export const getQuery = ({ query }: FastifyRequest): Readonly<Record<string, string | string[]>> =>
  Object(query)
