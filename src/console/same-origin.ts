/** Whether our own page sent a writing request: cookies alone do not prove it (CSRF). */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Browsers send `Sec-Fetch-Site` to https and local addresses, and `Origin` with every POST. Each that is
 * there must speak for us, and one must be there. With `Sec-Fetch-Site` the origin may also be the host that
 * was asked, so that localhost and 127.0.0.1 both serve.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site !== undefined
  if (origin === new URL(publicUrl).origin) return true
  return site !== undefined && URL.canParse(origin) && new URL(origin).host === headers.host
}
