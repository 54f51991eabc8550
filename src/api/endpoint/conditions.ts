/** Conditional requests (RFC 9110 §13). Entity tags are compared without `W/`. */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { matchesAny, parseEntityTags } from '../../kernel/http/entity-tags.ts'
import type { ApiResponse } from './endpoint.ts'

type Conditions = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>

/** Without the status of the resource, and without the number of events of a unit. */
const versionPart = (tag: string) => tag.replace(/-e\d+$/, '').split('.')[0]

/** True if the conditions of a request allow a change of the resource with this tag (RFC 9110 §13.1). */
export const allowsChange = (headers: Conditions, etag: string) =>
  matchesVersion(headers['if-match'], etag) && !matchesAny(headers['if-none-match'], etag)

/** Only the version part of a tag counts (`"v3"`). */
function matchesVersion(header: string | undefined, etag: string): boolean {
  if (header === undefined || header.trim() === '*') return true
  return parseEntityTags(header).some(tag => versionPart(tag) === versionPart(etag.slice(1, -1)))
}

/** A response with the hash of its text as ETag, or 304. Hashing suits texts that change rarely. */
export function cacheable(call: { headers: IncomingHttpHeaders }, body: string, type?: string): ApiResponse {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const headers = { etag, ...(type === undefined ? {} : { 'content-type': type }) }
  return matchesAny(call.headers['if-none-match'], etag)
    ? { status: 304, body: '', headers }
    : { body, headers }
}
