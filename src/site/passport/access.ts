/** Access links: finds the token in the query, in `Authorization` or in a cookie, and sets that cookie. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Asker } from '../../accounts/limits/turns.ts'
import { findSessionToken } from '../../accounts/people/session-cookie.ts'
import { findSession } from '../../accounts/people/sessions.ts'
import { isAccessToken, LINK_AUDIENCES, type LinkAudience } from '../../passports/access/access-links.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { Headers } from '../http/prepared-response.ts'
import { getBasePath, type SiteSetup } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import {
  type AccessCookies,
  COOKIE_LIFETIME_MS,
  COOKIE_NAME,
  createAccessCookies,
  getAccessCookieName,
} from './access-cookie.ts'
import { getFirst } from './languages.ts'
import type { AnyRequest, PassportRequest } from './passport-request.ts'

/**
 * Includes Cookie and Authorization, so that a reader with access does not get the public page from the
 * browser's cache.
 */
export const PASSPORT_VARY = 'Accept, Accept-Language, Accept-Encoding, Cookie, Authorization'

export type AccessContext = {
  setup: SiteSetup
  cookies: AccessCookies
  /** The path of all passports as the browser sees it, including the path of `PUBLIC_URL`. */
  cookiePath: string
}

export const createAccessContext = (setup: SiteSetup): AccessContext => ({
  setup,
  cookies: createAccessCookies(setup.secretKey, setup.addresses.publicUrl),
  cookiePath: `${getBasePath(setup.addresses.publicUrl)}/p/`,
})

/** A cheap check before parsing. May be true without access, but is never false with access. */
export function mayHaveAccess(headers: IncomingHttpHeaders, { query }: Pick<AnyRequest, 'query'>): boolean {
  const { cookie, authorization } = headers
  return authorization !== undefined || query.access !== undefined || (cookie?.includes(COOKIE_NAME) ?? false)
}

/**
 * The response must not be cached or listed by search engines, nor sent to other sites as a referrer. The
 * opener policy costs another process of the browser, so public pages do without.
 */
export const PRIVATE_HEADERS: Headers = {
  'cache-control': 'private, no-store',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: PASSPORT_VARY,
}

/**
 * Redirects to the address without the token, and puts the token into a cookie. Call it only with a token
 * that opens the passport, because the cookie proves access within the last hour.
 */
export function moveTokenToCookie(
  context: AccessContext,
  reply: FastifyReply,
  { id, below = '', now }: AnyRequest,
  token: string,
): FastifyReply {
  const query = new URLSearchParams(reply.request.raw.url?.split('?', 2)[1] ?? '')
  query.delete('access')
  const path = context.cookiePath + id + below
  const until = new Date(now.getTime() + COOKIE_LIFETIME_MS)
  const value = context.cookies.encryptToken(id, token, until)
  return reply
    .code(303)
    .headers({ ...buildSecurityHeaders(context.setup.addresses.publicUrl), ...PRIVATE_HEADERS })
    .header('location', query.size === 0 ? path : `${path}?${query}`)
    .header('set-cookie', [
      buildCookie(context, id, value, COOKIE_LIFETIME_MS / 1_000),
      buildFileCookie(context, context.cookies.encryptFileToken(id, token, until)),
    ])
    .send('')
}

/** The `Set-Cookie` value that deletes the cookie of one passport. */
export const buildExpiredCookie = (context: AccessContext, id: string): string =>
  buildCookie(context, id, '', 0)

function buildCookie(context: AccessContext, id: string, value: string, seconds: number): string {
  const { publicUrl } = context.setup.addresses
  const cookie = `${getAccessCookieName(publicUrl)}=${value}; Path=${context.cookiePath}${id}`
  return `${cookie}; ${buildAttributes(publicUrl, seconds)}`
}

/** The page's cookie is not sent to the addresses of its files. */
function buildFileCookie({ setup }: AccessContext, { name, value }: { name: string; value: string }): string {
  const { publicUrl } = setup.addresses
  const path = `${getBasePath(publicUrl)}/d/`
  return `${name}=${value}; Path=${path}; ${buildAttributes(publicUrl, COOKIE_LIFETIME_MS / 1_000)}`
}

const buildAttributes = (publicUrl: string, seconds: number): string =>
  `Max-Age=${seconds}; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`

/** A signed-in member of the account sees the page as this audience does. */
export type Preview = { audience: LinkAudience; isPreview: true }
export type PreviewRequest = { audience: LinkAudience; sessionToken: string }

/** `?preview=` with a session cookie. Needs no look-up, so the session may have ended. */
export function findPreviewRequest(
  { setup }: AccessContext,
  { cookie }: IncomingHttpHeaders,
  { query }: PassportRequest,
): PreviewRequest | undefined {
  const audience = LINK_AUDIENCES.find(one => one === getFirst(query.preview))
  const sessionToken = findSessionToken(setup.addresses.publicUrl, cookie)
  return audience === undefined || sessionToken === undefined ? undefined : { audience, sessionToken }
}

/** Returns undefined unless the session belongs to a member of the passport's account. */
export async function authorizePreview(
  { setup }: AccessContext,
  { audience, sessionToken }: PreviewRequest,
  row: Pick<PassportRow, 'account_id'>,
): Promise<Preview | undefined> {
  const session = await findSession(setup, sessionToken)
  return session?.account.id === row.account_id ? { audience, isPreview: true } : undefined
}

/** A well-formed token. If it is from a cookie, it opened this passport within the last hour. */
export type RequestToken = { text: string; from: 'query' | 'bearer' | 'cookie' }

/** Whose turn it is. Only the token in a cookie was verified before: the cookie is encrypted. */
export const describeToken = ({ text, from }: RequestToken): Pick<Asker, 'verifiedToken'> =>
  from === 'cookie' ? { verifiedToken: text } : {}

/** The token in the query, else the Bearer token, else the token in the cookie. Makes no look-up. */
export function findToken(
  { cookies }: AccessContext,
  { authorization, cookie }: IncomingHttpHeaders,
  { id, query, now }: AnyRequest,
): RequestToken | 'malformed' | undefined {
  if (query.access !== undefined) {
    const text = getFirst(query.access) ?? ''
    return isAccessToken(text) ? { text, from: 'query' } : 'malformed'
  }
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return isAccessToken(bearer) ? { text: bearer, from: 'bearer' } : undefined
  const text = cookie === undefined ? undefined : cookies.findToken(cookie, id, now)
  return text === undefined ? undefined : { text, from: 'cookie' }
}
