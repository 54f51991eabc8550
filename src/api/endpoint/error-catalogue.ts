/** Every error code, described once, for the OpenAPI document and the reference page. */
import catalogue from '../../../assets/api/errors.json' with { type: 'json' }
import { databaseUnavailable } from '../../kernel/db/database.ts'
import type { DetailCode, ErrorCode } from '../../kernel/errors/errors.ts'

type ErrorDescription = {
  /** When it is sent, in Markdown. */
  when: string
  /** A message that the server really sends, for the example. */
  sentence: string
  /** Names of headers that are sent with it. */
  headers?: readonly string[]
  errors?: readonly object[]
}

const { codes, details } = catalogue

export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorDescription>> = {
  ...codes,
  unavailable: { ...codes.unavailable, sentence: databaseUnavailable().message },
}

/** Errors of HTTP itself, which any request can get. */
export const HTTP_ERRORS: readonly ErrorCode[] = [
  'bad_request',
  'timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]

/** Errors that no operation of the document names: other methods of its addresses, and other addresses. */
export const UNLISTED_ERRORS: readonly ErrorCode[] = ['method_not_allowed', 'not_acceptable']

/** The codes inside `errors`, in Markdown. */
export const DETAIL_CATALOGUE: Readonly<Record<DetailCode, string>> = details
