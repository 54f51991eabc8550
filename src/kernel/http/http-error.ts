/** The HTTP headers of errors, which `AppError` does not have. */
import { AppError, type ErrorCode } from '../errors.ts'

type Headers = Readonly<Record<string, string>>

/** An error that a door throws itself, with headers that only HTTP has (`Allow`, `WWW-Authenticate`). */
export class HttpError extends AppError {
  readonly headers: Headers

  constructor(code: ErrorCode, message: string, headers: Headers) {
    super(code, message)
    this.headers = headers
  }
}

/** The headers of an error; `Retry-After` is in whole seconds (RFC 9110 §10.2.3). */
export function errorHeaders(error: AppError): Headers {
  if (error instanceof HttpError) return error.headers
  if (error.retryAfterMs === undefined) return {}
  return { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) }
}
