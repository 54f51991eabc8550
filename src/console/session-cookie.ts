/** The one cookie: a session's token that only our server reads, bound to our host where the address is https. */
import { SESSION_LIFETIME_MS } from '../accounts/sessions.ts'

/** RFC 6265bis §4.1.3.2: browsers take a `__Host-` cookie only from https, with Path=/ and for no other host. */
const nameFor = (publicUrl: string) => (publicUrl.startsWith('https:') ? '__Host-carnet' : 'carnet')

/** The `Set-Cookie` line for a token; null takes the cookie away. */
export function sessionCookie(publicUrl: string, token: string | null): string {
  const name = nameFor(publicUrl)
  const age = token === null ? 0 : SESSION_LIFETIME_MS / 1000
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

/** The token in a `Cookie` header, if it holds one. */
export function findToken(publicUrl: string, header: string | undefined): string | undefined {
  const name = nameFor(publicUrl)
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return undefined
}
