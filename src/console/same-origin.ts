/** Tells if our own page sent a writing request; cookies do not prove that (CSRF). */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Browsers send `Sec-Fetch-Site` to https and local addresses, and `Origin` with every POST. At least one
 * must be sent, and none may name another site. With `Sec-Fetch-Site` the origin may also be the requested
 * host, so that both localhost and 127.0.0.1 work.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site !== undefined
  if (origin === new URL(publicUrl).origin) return true
  return site !== undefined && URL.canParse(origin) && new URL(origin).host === headers.host
}
