/** Documents that change only with a release: serialized and compressed once. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import type { ApiResponse, PublicCall } from './endpoint.ts'

export type PreparedDocument = { etag: string; plain: Buffer; gzip: Buffer; headers: Record<string, string> }

/** The ETag is weak because the document is sent both plain and compressed (RFC 9110 §8.8.1). */
export function prepareDocument(text: string, headers: Record<string, string>): PreparedDocument {
  const plain = Buffer.from(text)
  return {
    etag: `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    headers: { ...headers, vary: 'Accept-Encoding' },
  }
}

/** The document in an encoding that the client accepts, or 304. */
export function documentResponse(
  { headers }: Pick<PublicCall, 'headers'>,
  document: PreparedDocument,
): ApiResponse {
  const own = { ...document.headers, etag: document.etag }
  if (matchesAny(headers['if-none-match'], document.etag)) {
    return { status: 304, body: '', headers: own }
  }
  if (!acceptsGzip(headers['accept-encoding'])) return { body: document.plain, headers: own }
  return { body: document.gzip, headers: { ...own, 'content-encoding': 'gzip' } }
}

const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?<quality>[\d.]{1,5})\s*)?(?=,|$)/i

/** RFC 9110 §12.5.3, for gzip only. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const found = GZIP.exec(String(header ?? '').slice(0, 1_000))
  return found !== null && Number(found.groups?.quality ?? 1) > 0
}
