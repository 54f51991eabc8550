/** Errors as HTTP: the status of each code, and the body. */
import { detailJson } from '../../kernel/errors/detail-json.ts'
import type { AppError, ErrorCode } from '../../kernel/errors/errors.ts'

export const STATUS = {
  bad_request: 400,
  unauthorized: 401,
  plan_required: 403,
  plan_limit: 403,
  read_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  archived: 409,
  ended: 409,
  gtin_taken: 409,
  in_use: 409,
  gone: 410,
  idempotency_in_progress: 409,
  version_conflict: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  validation: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>

export function errorJson(error: AppError, requestId: string): string {
  return JSON.stringify({
    error: error.message,
    code: error.code,
    errors: error.details?.map(detailJson),
    ...(error.truncated ? { truncated: true } : {}),
    request_id: requestId,
  })
}
