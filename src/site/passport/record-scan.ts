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
 * Call the returned function after a response was sent. A 304, a prefetch, HEAD, a part of a page, formats
 * for programs and links within the page do not count.
 */
export function createRecordScan({ scans, addresses, countryHeader, ...setup }: SiteSetup): RecordScan {
  const { isTrusted, getClientAddress } = createTrustedProxies(setup.trustedProxies)
  const cookieName = getSessionCookieName(addresses.publicUrl)
  return ({ request: raw, response }, request, row) => {
    const { headers, socket } = raw
    if (request.format !== HTML || raw.method !== 'GET' || response.statusCode !== 200) return
    const address = getClientAddress(raw)
    // The address is empty if the connection was reset.
    if (isPrefetch(headers) || isFollowUp(headers, request) || address === '') return
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
        isReload: isReload(headers),
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

/** Browsers send it with a reload, and some scanner apps with each request. */
const isReload = ({ 'cache-control': value }: IncomingHttpHeaders): boolean =>
  value !== undefined && /\b(?:no-cache|max-age=0)(?!\d)/.test(value)

/** Parameters of the links of a page to itself: other languages, versions and countries. */
const PAGE_PARAMETERS = ['lang', 'version', 'country']

/**
 * A request for a part of the page, or a link that the reader followed on the page itself. Browsers say so
 * with `Sec-Fetch-Site`: a camera, a shop's page and a redirect from a GS1 address have other values.
 */
const isFollowUp = (headers: IncomingHttpHeaders, { query }: PassportRequest): boolean =>
  headers.range !== undefined ||
  (headers['sec-fetch-site'] === 'same-origin' && PAGE_PARAMETERS.some(name => query[name] !== undefined))
