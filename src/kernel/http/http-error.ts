/** The HTTP headers of errors, which `AppError` does not have. */
import { AppError, type ErrorCode } from '../errors/errors.ts'

type Headers = Readonly<Record<string, string>>

/** An error that a door throws itself, with headers that only HTTP has (`Allow`, `WWW-Authenticate`). */
export class HttpError extends AppError {
  readonly headers: Headers

  constructor(code: ErrorCode, message: string, headers: Headers) {
    super(code, message)
    this.headers = headers
  }
}

/** For `unavailable` without a time of its own: what is missing is mostly back within seconds. */
const UNAVAILABLE_RETRY_AFTER_MS = 2_000

/** The headers of an error; `Retry-After` is in whole seconds (RFC 9110 §10.2.3). Each 503 has one. */
export function errorHeaders(error: AppError): Headers {
  const ms = error.retryAfterMs ?? (error.code === 'unavailable' ? UNAVAILABLE_RETRY_AFTER_MS : undefined)
  const retryAfter = ms === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) }
  return error instanceof HttpError ? { ...retryAfter, ...error.headers } : retryAfter
}
