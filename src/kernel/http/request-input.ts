/** The parsed parameters of a request's address, with types. */
import type { FastifyRequest } from 'fastify'

export const getPathParameters = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  Object(params)

/** The query parameters: a text, or a list if the name is repeated. None if the address is malformed. */
export const getQuery = ({ query }: FastifyRequest): Readonly<Record<string, string | string[]>> =>
  Object(query)
