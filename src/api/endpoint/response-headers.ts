/** The headers of the OpenAPI document, described once. */

const whole = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' },
  example,
})
const line = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

/** A header that an answer has only in some cases says so; the others are always there. */
export const HEADERS = {
  'X-Request-Id': line('Names this request in our logs.', 'k3v9q0m2x7t5c8hb000000004f'),
  'X-RateLimit-Limit': whole('Requests this key may send in a minute.', 300),
  'X-RateLimit-Remaining': whole('How many of them are left.', 287),
  'X-RateLimit-Reset': whole('When the next used one is free again, in Unix seconds.', 1_795_253_460),
  'Retry-After': whole('Seconds to wait before trying again.', 2),
  ETag: line('Validator of this answer, for `If-None-Match` and `If-Match`.', '"v1"'),
  Location: line('Address of what was created; absent in bulk.', 'https://carnet.example/api/v1/products/…'),
  Allow: line('The methods this address takes.', 'GET, HEAD, PATCH'),
  'WWW-Authenticate': line('How to authenticate.', 'Bearer'),
  'Idempotency-Replayed': line('`true` when this answer was given before to the same key.', 'true'),
  'Preference-Applied': line('Present when `Prefer: handling=strict` was followed.', 'handling=strict'),
  Deprecation: line('Since when this call is deprecated (RFC 9745).', '@1795046400'),
  Sunset: line('When it ends (RFC 8594).', 'Sun, 21 Nov 2027 00:00:00 GMT'),
} as const
