/** The response headers of the OpenAPI document. */

const header = (description: string, example: number | string) => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
})

/** Headers without a condition in their description are always sent. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': header('Identifies this request in our logs.', 'k3v9q0m2x7t5c8hb000000004f'),
  'X-RateLimit-Limit': header('Requests that this key may send in a minute.', 300),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 287),
  'X-RateLimit-Reset': header('When the next request becomes available, in Unix seconds.', 1_795_253_460),
  'Retry-After': header('Seconds to wait before trying again.', 2),
  ETag: header('Validator of this response, for `If-None-Match` and `If-Match`.', '"v1"'),
  Location: header(
    'Address of the created product; not sent in bulk.',
    'https://carnet.example/api/v1/products/…',
  ),
  Allow: header('Methods that this address allows.', 'GET, HEAD, PATCH'),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  'Idempotency-Replayed': header('`true` when this response was sent before for the same key.', 'true'),
  'Preference-Applied': header('Present when `Prefer: handling=strict` was followed.', 'handling=strict'),
  Deprecation: header('When this call was deprecated (RFC 9745).', '@1795046400'),
  Sunset: header('When this call ends (RFC 8594).', 'Sun, 21 Nov 2027 00:00:00 GMT'),
} as const
