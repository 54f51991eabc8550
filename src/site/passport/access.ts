/** How an access link comes in: with a token in the address, exchanged for a cookie at once, or with every request as Bearer. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSessionToken } from '../../accounts/people/session-cookie.ts'
import { findSession } from '../../accounts/people/sessions.ts'
import { isAccessToken, LINK_AUDIENCES, type LinkAudience } from '../../passports/access/access-links.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { securityHeaders } from '../page/shell.ts'
import {
  type AccessCookies,
  COOKIE_LIFETIME_MS,
  COOKIE_NAME,
  createAccessCookies,
  getAccessCookieName,
} from './access-cookie.ts'
import { firstValue, type PassportRequest } from './passport-request.ts'

/**
 * Cookie and Authorization too: a browser that has just followed an access link must not be shown the copy of the
 * public page that it holds.
 */
export const PASSPORT_VARY = 'Accept, Accept-Language, Accept-Encoding, Cookie, Authorization'

export type AccessContext = {
  setup: SiteSetup
  cookies: AccessCookies
  /** Path of all passports, as the reader's browser sees it. */
  cookiePath: string
}

export function createAccessContext(setup: SiteSetup): AccessContext {
  const base = new URL(setup.addresses.publicUrl).pathname.replace(/\/$/, '')
  return {
    setup,
    cookies: createAccessCookies(setup.secretKey, setup.addresses.publicUrl),
    cookiePath: `${base}/p/`,
  }
}

/** A guess that costs nothing, for answers that are sent before a request is read whole. */
export function mayHaveAccess(
  headers: IncomingHttpHeaders,
  { query }: Pick<PassportRequest, 'query'>,
): boolean {
  const { cookie, authorization } = headers
  return authorization !== undefined || query.access !== undefined || (cookie?.includes(COOKIE_NAME) ?? false)
}

/** What no cache keeps, no search engine lists and no other site learns of. */
export const PRIVATE_HEADERS: Headers = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: PASSPORT_VARY,
}

/**
 * From the address with a token that opens the passport to the clean one, with the token in a cookie. No other token is
 * sealed: a cookie of ours says that its reader was let in within the hour.
 */
export function exchangeToken(
  door: AccessContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, now }: PassportRequest,
  token: string,
): FastifyReply {
  const rest = new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? '')
  rest.delete('access')
  const path = door.cookiePath + id
  const value = door.cookies.seal(id, token, new Date(now.getTime() + COOKIE_LIFETIME_MS))
  return reply
    .code(303)
    .headers({ ...securityHeaders(door.setup.addresses.publicUrl), ...PRIVATE_HEADERS })
    .header('location', rest.size === 0 ? path : `${path}?${rest}`)
    .header('set-cookie', buildCookie(door, id, value, COOKIE_LIFETIME_MS / 1_000))
    .send('')
}

/** The line that takes the cookie of one passport away. */
export const buildExpiredCookie = (door: AccessContext, id: string): string => buildCookie(door, id, '', 0)

function buildCookie(door: AccessContext, id: string, value: string, seconds: number): string {
  const { publicUrl } = door.setup.addresses
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${getAccessCookieName(publicUrl)}=${value}; Path=${door.cookiePath}${id}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** What other readers see, shown to a member of the passport's account, who may see all of it anyway. */
export type Preview = { audience: LinkAudience; isPreview: true }
export type PreviewRequest = { audience: LinkAudience; sessionToken: string }

/** `?preview=` of somebody who may be signed in; of anybody else it says nothing. Asks no database. */
export function findPreviewRequest(
  { setup }: AccessContext,
  { cookie }: IncomingHttpHeaders,
  { query }: PassportRequest,
): PreviewRequest | undefined {
  const audience = LINK_AUDIENCES.find(one => one === firstValue(query.preview))
  const sessionToken = findSessionToken(setup.addresses.publicUrl, cookie)
  return audience === undefined || sessionToken === undefined ? undefined : { audience, sessionToken }
}

/** The preview, if the session is of a member of the passport's account. */
export async function openPreview(
  { setup }: AccessContext,
  { audience, sessionToken }: PreviewRequest,
  row: Pick<PassportRow, 'account_id'>,
): Promise<Preview | undefined> {
  const session = await findSession(setup, sessionToken)
  return session?.account.id === row.account_id ? { audience, isPreview: true } : undefined
}

/** A text that can be a token, and how it came. One from a cookie opened this passport within the last hour. */
export type RequestToken = { text: string; from: 'address' | 'bearer' | 'cookie' }

/**
 * The token that a request brings: in the address, else as Bearer, else in a cookie of ours. `broken` when the address
 * has one that can be none. Asks no database.
 */
export function findToken(
  { cookies }: AccessContext,
  { authorization, cookie }: IncomingHttpHeaders,
  { id, query, now }: PassportRequest,
): RequestToken | 'broken' | undefined {
  if (query.access !== undefined) {
    const text = firstValue(query.access) ?? ''
    return isAccessToken(text) ? { text, from: 'address' } : 'broken'
  }
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return isAccessToken(bearer) ? { text: bearer, from: 'bearer' } : undefined
  const sealed = cookie === undefined ? undefined : cookies.findToken(cookie, id, now)
  return sealed === undefined ? undefined : { text: sealed, from: 'cookie' }
}
