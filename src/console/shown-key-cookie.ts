/**
 * A new key on its way to the one page that shows it: in a cookie for that page alone, which takes it away again. So
 * reloading shows nothing twice and makes nothing twice, and no server remembers a key.
 */

export const SHOWN_KEY = '/console/keys/shown'

/** The `Set-Cookie` line for a new key and its id; null takes it away. Without Max-Age: a browser keeps it in memory. */
export function shownKeyCookie(publicUrl: string, shown: { id: string; key: string } | null): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const value = shown === null ? '' : `${shown.id}.${shown.key}`
  const end = shown === null ? '; Max-Age=0' : ''
  return `carnet-key=${value}; Path=${SHOWN_KEY}; HttpOnly; SameSite=Strict${end}${secure}`
}

/** The key in a `Cookie` header, if it holds one. */
export function findShownKey(header: string | undefined): { id: string; key: string } | undefined {
  const [, id, key] =
    /(?:^|;)\s*carnet-key=([0-9a-z]{26})\.(dpp_live_[0-9A-Za-z]{42})\s*(?:;|$)/.exec(header ?? '') ?? []
  return id === undefined || key === undefined ? undefined : { id, key }
}
