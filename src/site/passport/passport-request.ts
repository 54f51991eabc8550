/** Parses a request for a passport, before any look-up. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import type { SiteSetup } from '../http/setup.ts'
import { FORMAT_NAMES, type PassportFormat, selectFormat } from './formats.ts'
import { getFirst, type Query } from './languages.ts'

export type PassportRequest = {
  /** As in the URL; it may be malformed. */
  id: string
  format: PassportFormat
  query: Query
  now: Date
  /** The access link is malformed, expired or revoked, and the page says so. */
  isLinkInvalid: boolean
}

/** The number in `?version=`; 0, which no version has, if it is malformed. */
export function parseVersion({ version }: Query): number | undefined {
  const text = getFirst(version)
  return text === undefined ? undefined : Number(/^[1-9]\d{0,8}$/.exec(text)?.[0] ?? 0)
}

export function parsePassportRequest(setup: SiteSetup, request: FastifyRequest): PassportRequest | AppError {
  const { id = '' } = getPathParameters(request)
  const query = getQuery(request)
  const format = selectFormat(query.format, request.raw.headers.accept)
  if (format === undefined) return new AppError('not_acceptable', `format must be one of ${FORMAT_NAMES}.`)
  return { id, format, query, now: setup.clock.now(), isLinkInvalid: false }
}
