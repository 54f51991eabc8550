/** How an access link comes in: with a token in the address, exchanged for a cookie at once, or with every request as Bearer. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Access, findAccess } from '../passports/access-links.ts'
import type { PassportRow } from '../passports/record.ts'
import { type AccessCookies, accessCookies, COOKIE_LIFETIME_MS, COOKIE_NAME } from './access-cookie.ts'
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
  return { setup, cookies: accessCookies(setup.secretKey), cookiePath: `${base}/p/` }
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
 * From the address with a token to the clean one. A token that opens nothing leads to the same address: whether one
 * is known is nobody's business.
 */
export async function enter(
  door: AccessDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, query, now }: Wish,
  row: PassportRow,
): Promise<FastifyReply> {
  const token = first(query.access) ?? ''
  const access = await findAccess(door.setup.sql, token, row, now)
  const rest = new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? '')
  rest.delete('access')
  const path = door.cookiePath + id
  reply
    .code(303)
    .headers({ ...safetyHeaders(door.setup.addresses.publicUrl), ...FOR_ONE_READER })
    .header('location', rest.size === 0 ? path : `${path}?${rest}`)
  if (access !== undefined) {
    const until = new Date(Math.min(access.expiresAt.getTime(), now.getTime() + COOKIE_LIFETIME_MS))
    reply.header('set-cookie', cookie(door, id, token, until, now))
  }
  return reply.send('')
}

function cookie(door: AccessDoor, id: string, token: string, until: Date, now: Date): string {
  const seconds = Math.floor((until.getTime() - now.getTime()) / 1_000)
  const secure = door.setup.addresses.publicUrl.startsWith('https:') ? '; Secure' : ''
  const value = door.cookies.seal(id, token, until)
  return `${COOKIE_NAME}=${value}; Path=${door.cookiePath}${id}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The access that a request brings: a token as Bearer, or in a cookie of ours. */
export async function accessOf(
  door: AccessDoor,
  request: FastifyRequest,
  { id, now }: Wish,
  row: PassportRow,
): Promise<Access | undefined> {
  const { authorization, cookie: cookies } = request.raw.headers
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const token = bearer ?? (cookies === undefined ? undefined : door.cookies.findToken(cookies, id, now))
  return token === undefined ? undefined : findAccess(door.setup.sql, token, row, now)
}
