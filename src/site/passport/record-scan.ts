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
  page: PassportRequest,
  row: ScannedPassport,
) => void

/** Call it after the response was sent. A 304, a prefetch, a HEAD and formats for programs are no scans. */
export function createRecordScan({ scans, addresses, countryHeader, ...setup }: SiteSetup): RecordScan {
  const { isTrusted, getReaderAddress } = createTrustedProxies(setup.trustedProxies)
  const cookieName = getSessionCookieName(addresses.publicUrl)
  return ({ request, response }, page, row) => {
    const { headers, socket } = request
    if (page.format !== HTML || request.method !== 'GET' || response.statusCode !== 200) return
    if (isPrefetch(headers)) return
    const address = getReaderAddress(request)
    // The connection was reset before.
    if (address === '') return
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
      page.now,
    )
  }
}

const PREFETCH_PATTERN = /prefetch|prerender|preview/i

/** What browsers send with a page nobody has asked for yet; the last two are older names of the first. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const { 'sec-purpose': purpose, purpose: plain, 'x-purpose': older, 'x-moz': oldest } = headers
  if (purpose === undefined && plain === undefined && older === undefined && oldest === undefined)
    return false
  return [purpose, plain, older, oldest].some(
    value => value !== undefined && PREFETCH_PATTERN.test(String(value)),
  )
}
