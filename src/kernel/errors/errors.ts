/** The only error type that slices throw to each other: a code for clients and a sentence for people. */

export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'plan_required'
  | 'plan_limit'
  | 'read_only'
  | 'not_found'
  | 'gone'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'timeout'
  | 'archived'
  | 'ended'
  | 'gtin_taken'
  | 'in_use'
  | 'idempotency_in_progress'
  | 'version_conflict'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'validation'
  | 'rate_limited'
  | 'headers_too_large'
  | 'unavailable'
  | 'internal'

export type DetailCode =
  | 'required'
  | 'type'
  | 'enum'
  | 'format'
  | 'pattern'
  | 'min'
  | 'max'
  | 'length'
  | 'unknown_field'
  | 'sum_not_100'
  | 'gtin_check_digit'
  | 'special_gtin'
  | 'country_code'
  | 'language_code'
  | 'primary_language_missing'
  | 'duplicate'
  | 'immutable'
  | 'lot_taken'
  | 'serial_taken'
  | 'idempotency_key_reused'
  | 'plan_limit'
  | 'not_found'
  | 'synonym'
  | 'unlisted_name'
  | 'unlisted_language'
  | 'invisible'
  | 'markup'
  | 'no_link'
  | 'now_known'
  | 'counter_falls'
  | 'not_ready'
  | 'unknown_media'
  | 'media_type'
  | 'media_too_large'
  | 'media_dimensions'
  | 'media_unreadable'
  | 'media_active_content'
  | 'media_withdrawn'

/** Names and list indexes. */
export type Path = readonly (string | number)[]

/** One violation. `path` begins at `in`, else at row `index` of `items`, else at the body's root. */
export type Detail = {
  path: Path
  in?: 'body' | 'path' | 'query' | 'header'
  code: DetailCode
  message: string
  index?: number
  [TRANSLATION]?: TranslatableMessage
}

/** The parts of the message, for translation. A symbol, so that no JSON contains it. */
export const TRANSLATION: unique symbol = Symbol('translation')
export type TranslatableMessage = { key: string; facts: Readonly<Record<string, string | number>> }

export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: readonly Detail[] | undefined
  /** When the same request may succeed; undefined if unknown. */
  readonly retryAfterMs: number | undefined
  /** True when there were more violations than are listed. */
  readonly truncated: boolean

  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly Detail[],
    retryAfterMs?: number,
    truncated = false,
  ) {
    super(message)
    this.code = code
    this.details = details?.slice(0, MAX_DETAILS)
    this.retryAfterMs = retryAfterMs
    this.truncated = truncated || (details?.length ?? 0) > MAX_DETAILS
  }
}

/** A longer list would help nobody. */
export const MAX_DETAILS = 100

export const notFound = (what: string) => new AppError('not_found', `There is no such ${what}.`)

export function requireById<T extends { id: string }>(all: readonly T[], id: string, what: string): T {
  const found = all.find(one => one.id === id)
  if (found === undefined) throw notFound(what)
  return found
}

/** For input without fields, such as a file. `message` says what to do. */
export const invalidInput = (message: string) => new AppError('validation', message)

/** `message` says what to do. */
export const unavailable = (message: string) => new AppError('unavailable', message)

/** `truncated`: there are more violations than `details` lists. */
export function invalid(details: readonly Detail[], truncated = false): AppError {
  const [first] = details
  if (!first) throw new Error('invalid() needs at least one detail')
  const more = details.length - 1
  const message = more === 0 ? first.message : `${first.message} (and ${more} more)`
  return new AppError('validation', message, details, undefined, truncated)
}

export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** The code of an error of the system, the database or its driver; undefined for anything else. */
export function findErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Returns true if the disk is full, or its quota is used up. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes(findErrorCode(error) ?? '')

/** For a single violation. */
export const invalidField = (path: Path, code: DetailCode, message: string): AppError =>
  invalid([{ path, code, message }])

/** For bugs, not for expected errors. The message names the broken assumption. */
export function assert(condition: unknown, assumption: string): asserts condition {
  if (!condition) throw new Error(`broken assumption: ${assumption}`)
}
