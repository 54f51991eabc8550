/**
 * Entity tags in request headers (RFC 9110 §8.8.3). A proxy that compresses an answer may change its tag:
 * nginx makes it weak (`W/"v1"`), Apache and Caddy append the encoding (`"v1-gzip"`, formerly `"v1"-gzip`),
 * Jetty after two hyphens.
 */
const TAG = /"([^"]*)"/g
const ENCODING = /--?(?:gzip|br|zstd|deflate)$/

/** The tags without quotes and `W/`, each also as it was before a proxy appended an encoding. */
export const parseEntityTags = (header: string): string[] =>
  Array.from(header.matchAll(TAG), ([, tag = '']) => tag).flatMap(tag =>
    ENCODING.test(tag) ? [tag, tag.replace(ENCODING, '')] : [tag],
  )

/** Returns true if an `If-None-Match` or `If-Match` header has this tag, or `*`. `etag` may be weak. */
export function matchesAny(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header === etag || header.trim() === '*') return true
  return parseEntityTags(header).includes(etag.slice(etag.indexOf('"') + 1, -1))
}
