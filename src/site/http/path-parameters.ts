import type { FastifyRequest } from 'fastify'

/** A parameter of the route's path; empty if the route has no such parameter. */
export const getPathParameter = ({ params }: FastifyRequest, name: string): string =>
  (params as Readonly<Record<string, string | undefined>>)[name] ?? ''
