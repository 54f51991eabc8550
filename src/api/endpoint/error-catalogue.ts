/** Every refusal there is, said once: the OpenAPI document and the page at `/docs` are made from this table. */
import { databaseUnavailable } from '../../kernel/db/database.ts'
import type { DetailCode, ErrorCode } from '../../kernel/errors.ts'

export type ErrorDescription = {
  /** When it comes: the rest of a table's line, in Markdown. */
  when: string
  /** A sentence as it is really sent, for the example. */
  sentence: string
  /** Headers of ours that come with it. */
  headers?: readonly ('Allow' | 'Retry-After' | 'WWW-Authenticate')[]
  errors?: readonly { field: string; pointer: string; code: DetailCode; message: string }[]
}

const SKU_MISSING = 'sku is missing; every furniture passport needs it.'

export const ERROR_CATALOGUE = {
  bad_request: {
    when: 'The body is not JSON in UTF-8, the address has a broken percent-encoding, or the request is not valid HTTP.',
    sentence: 'The body is not valid JSON: it is empty.',
  },
  unauthorized: {
    when: 'No API key, or one that is mistyped, unknown, revoked or expired.',
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
    when: 'No such address, product, version or category; also what belongs to another account.',
    sentence: 'There is no such product.',
  },
  method_not_allowed: {
    when: 'Another method than the address takes; see `Allow`.',
    sentence: 'DELETE is not possible here. Possible: GET, PATCH, HEAD.',
    headers: ['Allow'],
  },
  not_acceptable: {
    when: 'A public page in a `format` that there is not.',
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
        field: 'gtin',
        pointer: '/data/gtin',
        code: 'duplicate',
        message: 'gtin is already taken by another product.',
      },
    ],
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still being worked on.',
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
    when: 'The body is not `application/json`, is in another charset than UTF-8, or is compressed. An empty body where none is needed counts as none.',
    sentence: 'Send the body as application/json.',
  },
  expectation_failed: {
    when: 'An `Expect` header other than `100-continue`.',
    sentence: 'Only "Expect: 100-continue" is understood.',
  },
  validation: {
    when: 'Something sent is not valid; `errors` lists every violation.',
    sentence: SKU_MISSING,
    errors: [{ field: 'sku', pointer: '/data/sku', code: 'required', message: SKU_MISSING }],
  },
  rate_limited: {
    when: 'More requests than the key may send in a minute.',
    sentence: 'This key has sent its 300 requests of this minute. Try again in 12 s.',
    headers: ['Retry-After'],
  },
  headers_too_large: {
    when: 'The headers are over 16 KiB.',
    sentence: 'The headers are longer than 16 KiB.',
  },
  internal: {
    when: 'A fault of ours, logged under the `request_id`.',
    sentence: 'Something went wrong on our side. It is logged under the request_id.',
  },
  unavailable: {
    when: 'The database does not answer. What was to change something may or may not have been done.',
    sentence: databaseUnavailable().message,
    headers: ['Retry-After'],
  },
} as const satisfies Record<ErrorCode, ErrorDescription>

/**
 * Refusals of HTTP itself and of an address: any request can meet them before it is a call of ours, so they stand in
 * the document once and not with every operation.
 */
export const ERRORS_BEFORE_ROUTING: readonly ErrorCode[] = [
  'method_not_allowed',
  'not_acceptable',
  'timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]

/** What the codes inside `errors` mean, in Markdown. */
export const DETAIL_CATALOGUE = {
  required: 'A required field is missing, or null at the top of `data`.',
  type: 'Another type is expected; also a null further down.',
  enum: 'Not one of the allowed values.',
  format:
    'Not shaped as the field asks (GLN, CAS, EORI, URL, date …), or a number that cannot be kept exactly.',
  pattern: 'A text with a character that cannot be kept.',
  min: 'Too small.',
  max: 'Too large, or nested too deep.',
  length: 'Too long or too short, too many or too few.',
  unknown_field: 'Not known here: a key inside a known object, a member of the body, a parameter.',
  sum_not_100: 'Percentages that must add up to exactly 100 do not.',
  gtin_check_digit: 'A GTIN whose last digit does not fit.',
  country_code: 'Not an assigned ISO 3166-1 alpha-2 code in capitals.',
  language_code: 'Not a language tag (BCP 47).',
  primary_language_missing: 'The first of `languages` has no text here.',
  duplicate: 'Given twice.',
  immutable: 'Can be read, not set; also `gtin` of a batch or item.',
  lot_taken: 'Another batch of this model has this lot.',
  serial_taken: 'Another item of this model has this serial.',
  idempotency_key_reused: 'This `Idempotency-Key` was used for another request.',
  plan_limit: 'Of a row in a bulk call: the quota is used up.',
  not_found: 'Of a row in a bulk call: there is no such unit.',
  synonym: 'In `warnings` only: another name of something known, such as `Baumwolle` for `cotton`.',
  unlisted_name:
    'In `warnings` only: a name of a fibre that the law does not list, or more than its name; it is kept.',
} as const satisfies Record<DetailCode, string>
