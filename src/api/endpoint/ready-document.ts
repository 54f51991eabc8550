/** Documents that change only with a release: serialised once, compressed once, sent as they are. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { matchesAny } from './conditions.ts'
import type { ApiResponse, OpenCall } from './endpoint.ts'

export type PreparedDocument = { etag: string; plain: Buffer; gzip: Buffer; headers: Record<string, string> }

/** The tag is weak because the same document goes out plain and compressed (RFC 9110 §8.8.1). */
export function prepareDocument(text: string, headers: Record<string, string>): PreparedDocument {
  const plain = Buffer.from(text)
  return {
    etag: `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    headers: { ...headers, vary: 'Accept-Encoding' },
  }
}

/** The document in the encoding the client takes, or 304 when it has it. */
export function documentResponse(
  { headers }: Pick<OpenCall, 'headers'>,
  document: PreparedDocument,
): ApiResponse {
  const own = { ...document.headers, etag: document.etag }
  if (matchesAny(headers['if-none-match'], document.etag.slice(2))) {
    return { status: 304, body: '', headers: own }
  }
  if (!takesGzip(headers['accept-encoding'])) return { body: document.plain, headers: own }
  return { body: document.gzip, headers: { ...own, 'content-encoding': 'gzip' } }
}

const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?<quality>[\d.]{1,5})\s*)?(?=,|$)/i

/** RFC 9110 §12.5.3, as far as gzip is concerned. */
function takesGzip(header: string | string[] | undefined): boolean {
  const found = GZIP.exec(String(header ?? '').slice(0, 1_000))
  return found !== null && Number(found.groups?.quality ?? 1) > 0
}
