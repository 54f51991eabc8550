/** Every error code, described once, for the OpenAPI document and the reference page. */
import { databaseUnavailable } from '../../kernel/db/database.ts'
import type { Detail, DetailCode, ErrorCode } from '../../kernel/errors.ts'

export type ErrorDescription = {
  /** When it is sent, in Markdown. */
  when: string
  /** A message as it is really sent, for the example. */
  sentence: string
  /** Headers that are sent with it. */
  headers?: readonly ('Allow' | 'Retry-After' | 'WWW-Authenticate')[]
  errors?: readonly Detail[]
}

const SKU_MISSING = 'sku is missing; every furniture passport needs it.'

export const ERROR_CATALOGUE = {
  bad_request: {
    when: 'The body is not JSON in UTF-8, the address has a broken percent-encoding, or the request is not valid HTTP.',
    sentence: 'The body is not valid JSON: it is empty.',
  },
  unauthorized: {
    when: 'No API key, or a mistyped, unknown, revoked or expired one.',
    sentence: 'An API key is needed: send the header "Authorization: Bearer <key>".',
    headers: ['WWW-Authenticate'],
  },
  plan_required: {
    when: 'The plan of the account does not include the API.',
    sentence: 'The plan of this account does not include the API. It starts with Pro.',
  },
  plan_limit: {
    when: 'The quota of models, batches or items is used up.',
    sentence: 'The quota of models of this account is used up. Ask for a larger plan, or for extra quota.',
  },
  read_only: {
    when: 'The key may only read.',
    sentence: 'This key may only read. Use a key with full scope to change something.',
  },
  not_found: {
    when: 'The address, product, version or category does not exist, or belongs to another account.',
    sentence: 'There is no such product.',
  },
  method_not_allowed: {
    when: 'The address does not take this method; see `Allow`.',
    sentence: 'DELETE is not possible here. Possible: GET, PATCH, HEAD.',
    headers: ['Allow'],
  },
  not_acceptable: {
    when: 'A public page was requested in an unknown `format`.',
    sentence: 'There is no such format.',
  },
  timeout: {
    when: 'The headers did not arrive within 5 s, or the request within 10 s.',
    sentence: 'The request did not arrive within its time.',
  },
  archived: {
    when: 'Units are issued under an archived product.',
    sentence: 'This product is archived: no units can be issued under it. Restore it first.',
  },
  gtin_taken: {
    when: 'Another product holds this GTIN.',
    sentence: 'This GTIN already belongs to another product. Send another GTIN, or none.',
    errors: [
      {
        path: ['data', 'gtin'],
        code: 'duplicate',
        message: 'gtin is already taken by another product.',
      },
    ],
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still running.',
    sentence:
      'The first request with this Idempotency-Key is still being worked on. Send it again in a second.',
    headers: ['Retry-After'],
  },
  version_conflict: {
    when: '`If-Match` names another version than the current one, or `If-None-Match` the current one.',
    sentence:
      'The product is at version 2 now (If-Match: "v2", with the quotation marks). Read it again, then repeat the change.',
  },
  payload_too_large: {
    when: 'The body is over 1 MiB; over 8 MiB in bulk calls, with `items`.',
    sentence: 'The body is too large: at most 1 MiB, 8 MiB for bulk calls.',
  },
  uri_too_long: {
    when: 'The address is over 8,192 characters.',
    sentence: 'The address is longer than 8192 characters.',
  },
  unsupported_media_type: {
    when: 'The body is not `application/json`, is not in UTF-8, or is compressed. Where no body is required, an empty one counts as none.',
    sentence: 'Send the body as application/json.',
  },
  expectation_failed: {
    when: 'An `Expect` header other than `100-continue`.',
    sentence: 'Only "Expect: 100-continue" is understood.',
  },
  validation: {
    when: 'Something sent is not valid; `errors` lists every violation.',
    sentence: SKU_MISSING,
    errors: [{ path: ['data', 'sku'], code: 'required', message: SKU_MISSING }],
  },
  rate_limited: {
    when: 'The key has sent more requests than it may in a minute.',
    sentence: 'This key has sent its 300 requests of this minute. Try again in 12 s.',
    headers: ['Retry-After'],
  },
  headers_too_large: {
    when: 'The headers are over 16 KiB.',
    sentence: 'The headers are longer than 16 KiB.',
  },
  internal: {
    when: 'An error on our side, logged under the `request_id`.',
    sentence: 'Something went wrong on our side. It is logged under the request_id.',
  },
  unavailable: {
    when: 'The database does not answer. A change may or may not have been made.',
    sentence: databaseUnavailable().message,
    headers: ['Retry-After'],
  },
} as const satisfies Record<ErrorCode, ErrorDescription>

/** Errors of HTTP itself and of addresses. Any request can get them, so the document lists them once. */
export const ERRORS_BEFORE_ROUTING: readonly ErrorCode[] = [
  'method_not_allowed',
  'not_acceptable',
  'timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]

/** The codes inside `errors`, in Markdown. */
export const DETAIL_CATALOGUE = {
  required: 'A required field is missing, or null at the top of `data`.',
  type: 'The value has the wrong type; also for null inside a value.',
  enum: 'Not one of the allowed values.',
  format:
    'The value does not have the format of the field (GLN, CAS, EORI, URL, date …), or is a number that cannot be stored exactly.',
  pattern: 'A text with a character that cannot be stored.',
  min: 'Too small.',
  max: 'Too large, or nested too deep.',
  length: 'Too long or too short, too many or too few.',
  unknown_field: 'Unknown: a key inside a known object, a member of the body, or a parameter.',
  sum_not_100: 'Percentages do not add up to exactly 100.',
  gtin_check_digit: 'The check digit of the GTIN is wrong.',
  country_code: 'Not an assigned ISO 3166-1 alpha-2 code in upper case.',
  language_code: 'Not a language tag (BCP 47).',
  primary_language_missing: 'The first of `languages` has no text here.',
  duplicate: 'The value is used or sent more than once.',
  immutable: 'Read-only; also `gtin` of a batch or item.',
  lot_taken: 'Another batch of this model has this lot.',
  serial_taken: 'Another item of this model has this serial.',
  idempotency_key_reused: 'This `Idempotency-Key` was used for another request.',
  plan_limit: 'For a row of a bulk call: the quota is used up.',
  not_found: 'For a row of a bulk call: the unit does not exist.',
  synonym: 'Only in `warnings`: another name for a known value, such as `Baumwolle` for `cotton`.',
  unlisted_name:
    'Only in `warnings`: a fibre name that the law does not list, or a name with additions. It is kept.',
} as const satisfies Record<DetailCode, string>
