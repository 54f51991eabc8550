/** What of a request counts as a scan, and what the recorder is told of its reader. */

import type { IncomingHttpHeaders } from 'node:http'
import { findSessionToken, getSessionCookieName } from '../../accounts/people/session-cookie.ts'
import { createTrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { ScannedPassport } from '../../scans/batch.ts'
import type { Exchange } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import type { PassportRequest } from './passport-request.ts'

export type RecordScan = (
  exchange: Pick<Exchange, 'request' | 'response'>,
  wish: PassportRequest,
  row: ScannedPassport,
) => void

/** To be called after an answer was sent. A 304, a page fetched ahead, a HEAD and JSON-LD are no scans. */
export function createRecordScan({ scans, addresses, countryHeader, ...setup }: SiteSetup): RecordScan {
  const { isTrusted, getReaderAddress } = createTrustedProxies(setup.trustedProxies)
  const cookieName = getSessionCookieName(addresses.publicUrl)
  return ({ request, response }, wish, row) => {
    const { headers, socket } = request
    if (wish.form !== 'html' || request.method !== 'GET' || response.statusCode !== 200) return
    if (isPrefetch(headers)) return
    const address = getReaderAddress(request)
    // Of a connection that was reset before it could be looked at.
    if (address === '') return
    const sessionToken = headers.cookie?.includes(cookieName)
      ? findSessionToken(addresses.publicUrl, headers.cookie)
      : undefined
    const said =
      countryHeader !== undefined && isTrusted(socket.remoteAddress) ? headers[countryHeader] : undefined
    scans.record(
      row,
      {
        address,
        userAgent: headers['user-agent'] ?? '',
        country: typeof said === 'string' && said.length === 2 ? said : undefined,
        sessionToken,
      },
      wish.now,
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
