/** The one cookie: a session's token that only our server reads, bound to our host where the address is https. */
import { getSessionCookieName } from '../../accounts/people/session-cookie.ts'
import { SESSION_LIFETIME_MS } from '../../accounts/people/sessions.ts'

/** The `Set-Cookie` line for a token; null takes the cookie away. */
export function sessionCookie(publicUrl: string, token: string | null): string {
  const name = getSessionCookieName(publicUrl)
  const age = token === null ? 0 : SESSION_LIFETIME_MS / 1000
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}
