/** Decides which requests count as scans, and records them. */
import type { IncomingHttpHeaders } from 'node:http'
import { findSessionToken, getSessionCookieName } from '../../accounts/people/session-cookie.ts'
import { createTrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { ScannedPassport } from '../../scans/batch.ts'
import type { Exchange } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { HTML } from './formats.ts'
import type { PassportRequest } from './passport-request.ts'

export type RecordScan = (
  exchange: Pick<Exchange, 'request' | 'response'>,
  request: PassportRequest,
  row: ScannedPassport,
) => void

/**
 * Call the returned function after a response was sent. A 304, a prefetch, HEAD and formats for programs do
 * not count.
 */
export function createRecordScan({ scans, addresses, countryHeader, ...setup }: SiteSetup): RecordScan {
  const { isTrusted, getClientAddress } = createTrustedProxies(setup.trustedProxies)
  const cookieName = getSessionCookieName(addresses.publicUrl)
  return ({ request: raw, response }, request, row) => {
    const { headers, socket } = raw
    if (request.format !== HTML || raw.method !== 'GET' || response.statusCode !== 200) return
    const address = getClientAddress(raw)
    // The address is empty if the connection was reset.
    if (isPrefetch(headers) || address === '') return
    const sessionToken = headers.cookie?.includes(cookieName)
      ? findSessionToken(addresses.publicUrl, headers.cookie)
      : undefined
    const country =
      countryHeader !== undefined && isTrusted(socket.remoteAddress) ? headers[countryHeader] : undefined
    scans.record(
      row,
      {
        address,
        userAgent: headers['user-agent'] ?? '',
        country: typeof country === 'string' && country.length === 2 ? country : undefined,
        sessionToken,
      },
      request.now,
    )
  }
}

const PREFETCH_PATTERN = /prefetch|prerender|preview/i

/** Browsers send these headers when they load a page in advance; the last three are older names. */
const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some(
    value => value !== undefined && PREFETCH_PATTERN.test(String(value)),
  )
