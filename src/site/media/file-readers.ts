/** Who asks for a document that not everyone may have: a link, a key, or a session of the account. */
import type { FastifyRequest } from 'fastify'
import { toHome } from '../../accounts/account/account-shard.ts'
import { authenticate } from '../../accounts/keys/authenticate.ts'
import type { Asker } from '../../accounts/limits/turns.ts'
import { findSessionToken } from '../../accounts/people/session-cookie.ts'
import { findSession, toAccountContext } from '../../accounts/people/sessions.ts'
import type { PublicMedia } from '../../media/files/public-media.ts'
import { findValidLink, isAccessToken } from '../../passports/access/access-links.ts'
import { findFileForLink, findOwnFile } from '../../passports/access/find-file.ts'
import type { SiteContext } from '../http/setup.ts'
import { COOKIE_NAME, createAccessCookies } from '../passport/access-cookie.ts'

/** Returns true if the request says anything about its reader. */
export function mayAuthorize({ query, raw: { headers } }: FastifyRequest): boolean {
  const { cookie, authorization } = headers
  return authorization !== undefined || cookie !== undefined || Object.hasOwn(Object(query), 'access')
}

/** The file, if this reader may have it. The first that is said about the reader decides. */
export async function authorizeReader(
  setup: SiteContext,
  { query, raw: { headers } }: FastifyRequest,
  id: string,
): Promise<PublicMedia | undefined> {
  const { access } = Object(query)
  if (access !== undefined) return typeof access === 'string' ? findByToken(setup, access, id) : undefined
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined)
    return isAccessToken(bearer) ? findByToken(setup, bearer, id) : findByKey(setup, bearer, id)
  const { cookie = '' } = headers
  return (await findByCookies(setup, cookie, id)) ?? findBySession(setup, cookie, id)
}

/** Whose turn it is. Only tokens in cookies were verified before: the cookies are encrypted. */
export function describeReader(
  { clock, addresses, secretKey }: SiteContext,
  { raw: { headers } }: FastifyRequest,
): Pick<Asker, 'verifiedToken'> {
  const { cookie = '' } = headers
  if (!cookie.includes(COOKIE_NAME)) return {}
  const cookies = createAccessCookies(secretKey, addresses.publicUrl)
  return { verifiedToken: cookies.listFileTokens(cookie, clock.now())[0]?.token }
}

async function findByToken({ sql, clock }: SiteContext, token: string, id: string) {
  const link = await findValidLink(sql, token, clock.now())
  return link && findFileForLink(sql, link, id)
}

/** The cookies of passports that a link has opened within the last hour: each opens the files of its own. */
async function findByCookies(setup: SiteContext, header: string, id: string) {
  if (!header.includes(COOKIE_NAME)) return undefined
  const { sql, clock, addresses, secretKey } = setup
  const now = clock.now()
  for (const { token, passportUuid } of createAccessCookies(secretKey, addresses.publicUrl).listFileTokens(
    header,
    now,
  )) {
    const link = await findValidLink(sql, token, now)
    const file = link && (await findFileForLink(sql, { ...link, passportUuid }, id))
    if (file !== undefined) return file
  }
  return undefined
}

async function findByKey({ sql, clock }: SiteContext, key: string, id: string) {
  const found = await authenticate(sql, key, clock.now())
  if (found === undefined) return undefined
  const { accountId, actorId } = found
  return findOwnFile({ ...toHome(sql, found), clock, accountId, actorId }, id)
}

async function findBySession(setup: SiteContext, cookie: string, id: string) {
  const token = findSessionToken(setup.addresses.publicUrl, cookie)
  const session = token === undefined ? undefined : await findSession(setup, token)
  return session && findOwnFile(toAccountContext(setup, session), id)
}
