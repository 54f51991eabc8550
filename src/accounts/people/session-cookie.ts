/** The name of the session cookie, and the token in it. */

/** RFC 6265bis §4.1.3.2: a `__Host-` cookie needs https, Path=/ and no Domain. */
export const getSessionCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-carnet' : 'carnet'

export function findSessionToken(publicUrl: string, header: string | undefined): string | undefined {
  const name = getSessionCookieName(publicUrl)
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return undefined
}
