/** The response headers of the OpenAPI document. */

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' },
  example,
})
const textHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

/** Headers without a condition in their description are always sent. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': textHeader('Identifies this request in our logs.', 'k3v9q0m2x7t5c8hb000000004f'),
  'X-RateLimit-Limit': integerHeader('Requests that this key may send in a minute.', 300),
  'X-RateLimit-Remaining': integerHeader('Requests left in this minute.', 287),
  'X-RateLimit-Reset': integerHeader(
    'When the next used request becomes free again, in Unix seconds.',
    1_795_253_460,
  ),
  'Retry-After': integerHeader('Seconds to wait before trying again.', 2),
  ETag: textHeader('Validator of this response, for `If-None-Match` and `If-Match`.', '"v1"'),
  Location: textHeader(
    'Address of the created product; not sent in bulk.',
    'https://carnet.example/api/v1/products/…',
  ),
  Allow: textHeader('Methods that this address takes.', 'GET, HEAD, PATCH'),
  'WWW-Authenticate': textHeader('How to authenticate.', 'Bearer'),
  'Idempotency-Replayed': textHeader('`true` when this response was sent before for the same key.', 'true'),
  'Preference-Applied': textHeader('Present when `Prefer: handling=strict` was followed.', 'handling=strict'),
  Deprecation: textHeader('Since when this call is deprecated (RFC 9745).', '@1795046400'),
  Sunset: textHeader('When it ends (RFC 8594).', 'Sun, 21 Nov 2027 00:00:00 GMT'),
} as const
