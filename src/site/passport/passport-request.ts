/** Parses a request for a passport, before any look-up. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import type { DocumentFormat } from '../../passports/documents/formats.ts'
import type { SiteSetup } from '../http/setup.ts'
import { type AnyFormat, FORMAT_NAMES, isDocument, type PassportFormat, selectFormat } from './formats.ts'
import { getFirst, type Query } from './languages.ts'

type BareRequest = {
  /** As in the URL; it may be malformed. */
  id: string
  /** The rest of the path after the id, with a slash in front; undefined for the passport's own address. */
  below?: string
  query: Query
  now: Date
}

/** For a format of the site: the page, or JSON-LD. */
export type PassportRequest = BareRequest & {
  format: PassportFormat
  /** The access link is malformed, expired or revoked, and the page says so. */
  isLinkInvalid: boolean
}

/** For a document of a standard. */
export type DocumentRequest = BareRequest & { format: DocumentFormat }

export type AnyRequest = DocumentRequest | Omit<PassportRequest, 'isLinkInvalid'>

export const isDocumentRequest = (request: AnyRequest): request is DocumentRequest =>
  isDocument(request.format)

export function parsePassportRequest(setup: SiteSetup, request: FastifyRequest): AnyRequest | AppError {
  const { id = '' } = getPathParameters(request)
  const query = getQuery(request)
  const format = selectFormat(setup, query.format, request.raw.headers.accept)
  if (format === undefined) return new AppError('not_acceptable', `format must be one of ${FORMAT_NAMES}.`)
  return buildRequest({ id, query, now: setup.clock.now() }, format)
}

export const buildRequest = (request: BareRequest, format: AnyFormat): AnyRequest =>
  isDocument(format) ? { ...request, format } : { ...request, format }

/** The number in `?version=`; 0, which no version has, if it is malformed. */
export function parseVersion({ version }: Query): number | undefined {
  const text = getFirst(version)
  return text === undefined ? undefined : Number(/^[1-9]\d{0,8}$/.exec(text)?.[0] ?? 0)
}
