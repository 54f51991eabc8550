/** The request headers that endpoints take, as the OpenAPI document describes them. */

export type HeaderParameter = {
  name: string
  in: 'header'
  description: string
  schema: object
}

export const describeHeader = (
  name: string,
  description: string,
  schema: object = { type: 'string' },
): HeaderParameter => ({ name, in: 'header', description, schema })

export const IF_NONE_MATCH = describeHeader('If-None-Match', 'ETag of the response that the client has.')
export const IF_MATCH = describeHeader(
  'If-Match',
  'ETag that the product must still have; the version part is enough (`"v3"`).',
)
export const STRICT = describeHeader(
  'Prefer',
  '`handling=strict` rejects unknown fields instead of warning about them.',
)
/** Every endpoint that writes takes it. */
export const IDEMPOTENCY_KEY = describeHeader(
  'Idempotency-Key',
  'Any text, a new one for each request. If you send the request again within 24 hours, you get the first response again and nothing changes.',
  { type: 'string', minLength: 1, maxLength: 200 },
)
