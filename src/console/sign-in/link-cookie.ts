/**
 * The token of a one-time link between the address it came with and the clean one: in a cookie for that page alone, so
 * that it stays in no address bar and no history. `Lax`, because the click comes from a mail program's page. Looking at
 * the page uses nothing up: the link can be opened again, and mail scanners may follow it.
 */
import { isToken } from '../../accounts/people/one-time-links.ts'
import type { AnyVisit, Redirect } from '../page/route.ts'

const LIFETIME_SECONDS = 600

const nameFor = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Secure-carnet-link' : 'carnet-link'

/** The `Set-Cookie` line; null takes the cookie away. */
export function linkCookie({ setup }: AnyVisit, path: string, token: string | null): string {
  const { publicUrl } = setup.addresses
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = token === null ? 0 : LIFETIME_SECONDS
  return `${nameFor(publicUrl)}=${token ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

/** From the address with a token to the clean one, when a browser shows it; a program has no address bar. */
export function wayToCleanAddress(visit: AnyVisit, path: string): Redirect | undefined {
  const token = visit.query.get('token') ?? ''
  if (!visit.wantsHtml || !isToken(token)) return undefined
  return { to: path, cookie: linkCookie(visit, path, token) }
}

/** The token that a request came with: in its address, or in the cookie. */
export function findLinkToken({ setup, query, cookies }: AnyVisit): string {
  const name = nameFor(setup.addresses.publicUrl)
  const kept = new RegExp(`(?:^|;)\\s*${name}=([0-9A-Za-z]{43})\\s*(?:;|$)`).exec(cookies ?? '')?.[1]
  return query.get('token') ?? kept ?? ''
}
