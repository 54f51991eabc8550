/** How an access link comes in: with a token in the address, exchanged for a cookie at once, or with every request as Bearer. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, findAccess } from '../passports/access-links.ts'
import type { PassportRow } from '../passports/record.ts'
import {
  type AccessCookies,
  accessCookieName,
  accessCookies,
  COOKIE_LIFETIME_MS,
  COOKIE_NAME,
} from './access-cookie.ts'
import type { Headers } from './ready-answer.ts'
import type { SiteSetup } from './setup.ts'
import { safetyHeaders } from './shell.ts'
import { first, type Wish } from './wish.ts'

/**
 * Cookie and Authorization too: a browser that has just followed an access link must not be shown the copy of the
 * public page that it holds.
 */
export const VARY = 'Accept, Accept-Language, Accept-Encoding, Cookie, Authorization'

export type AccessDoor = {
  setup: SiteSetup
  cookies: AccessCookies
  /** Path of all passports, as the reader's browser sees it. */
  cookiePath: string
}

export function accessDoor(setup: SiteSetup): AccessDoor {
  const base = new URL(setup.addresses.publicUrl).pathname.replace(/\/$/, '')
  return {
    setup,
    cookies: accessCookies(setup.secretKey, setup.addresses.publicUrl),
    cookiePath: `${base}/p/`,
  }
}

/** A guess that costs nothing: whether the token is any good is seen later. */
export function mayHaveAccess(headers: IncomingHttpHeaders, { query }: Wish): boolean {
  const { cookie, authorization } = headers
  return authorization !== undefined || query.access !== undefined || (cookie?.includes(COOKIE_NAME) ?? false)
}

/** What no cache keeps, no search engine lists and no other site learns of. */
export const FOR_ONE_READER: Headers = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: VARY,
}

/**
 * From the address with a token to the clean one, with the token in a cookie, whatever it may open: that is seen when
 * the page is asked for, and told to its reader alone.
 */
export function enter(
  door: AccessDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, query, now }: Wish,
): FastifyReply {
  const token = first(query.access) ?? ''
  const rest = new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? '')
  rest.delete('access')
  const path = door.cookiePath + id
  const value = door.cookies.seal(id, token, new Date(now.getTime() + COOKIE_LIFETIME_MS))
  return reply
    .code(303)
    .headers({ ...safetyHeaders(door.setup.addresses.publicUrl), ...FOR_ONE_READER })
    .header('location', rest.size === 0 ? path : `${path}?${rest}`)
    .header('set-cookie', cookie(door, id, value, COOKIE_LIFETIME_MS / 1_000))
    .send('')
}

/** The line that takes the cookie of one passport away. */
export const noCookie = (door: AccessDoor, id: string): string => cookie(door, id, '', 0)

function cookie(door: AccessDoor, id: string, value: string, seconds: number): string {
  const { publicUrl } = door.setup.addresses
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${accessCookieName(publicUrl)}=${value}; Path=${door.cookiePath}${id}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * The access that a request brings: a token as Bearer, or in a cookie of ours. `ended` when the cookie's token opens
 * nothing; which of the reasons it is, is not said.
 */
export async function accessOf(
  door: AccessDoor,
  request: FastifyRequest,
  { id, now }: Wish,
  row: PassportRow,
): Promise<Access | 'ended' | undefined> {
  const { authorization, cookie: cookies } = request.raw.headers
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return findAccess(door.setup.sql, bearer, row, now)
  const token = cookies === undefined ? undefined : door.cookies.findToken(cookies, id, now)
  if (token === undefined) return undefined
  return (await findAccess(door.setup.sql, token, row, now)) ?? 'ended'
}
