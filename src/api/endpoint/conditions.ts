/** Conditional requests (RFC 9110 §13): entity tags compared without their weakness mark. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ApiResponse } from './endpoint.ts'

type Conditions = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>

const TAG = /(?:W\/)?"([^"]*)"/g

const tags = (header: string) => Array.from(header.matchAll(TAG), match => match[1] ?? '')

/** Whether an `If-None-Match` header names this entity tag, or any with `*`. */
export function matchesAny(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || tags(header).includes(etag.slice(1, -1))
}

const version = (tag: string) => tag.split('.')[0]

/**
 * Whether the conditions sent allow a change of what bears this tag (RFC 9110 §13.1): `If-None-Match` names it for those
 * who want none of it changed that they know.
 */
export const allowsChange = (headers: Conditions, etag: string) =>
  matchesVersion(headers['if-match'], etag) && !matchesAny(headers['if-none-match'], etag)

/** Whether an `If-Match` header allows a change of what bears this tag: only the version part counts (`"v3"`). */
function matchesVersion(header: string | undefined, etag: string): boolean {
  if (header === undefined || header.trim() === '*') return true
  return tags(header).some(tag => version(tag) === version(etag.slice(1, -1)))
}

/** An answer that changes only with a release, under the hash of its text. */
export function cacheable(call: { headers: IncomingHttpHeaders }, body: string, type?: string): ApiResponse {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = { etag, ...(type === undefined ? {} : { 'content-type': type }) }
  return matchesAny(call.headers['if-none-match'], etag)
    ? { status: 304, body: '', headers }
    : { body, headers }
}
