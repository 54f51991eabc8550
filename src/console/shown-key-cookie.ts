/** A new API key on its way to the one page that shows it. */
import { shownOnce } from './shown-once.ts'

export const SHOWN_KEY = '/console/keys/shown'

const cookie = shownOnce({
  name: 'carnet-key',
  path: SHOWN_KEY,
  pattern: '([0-9a-z]{26})\\.(dpp_live_[0-9A-Za-z]{42})',
})

/** The `Set-Cookie` line for a new key and its id; null takes it away. */
export const shownKeyCookie = (publicUrl: string, shown: { id: string; key: string } | null): string =>
  cookie.line(publicUrl, shown === null ? null : { id: shown.id, secret: shown.key })

/** The key in a `Cookie` header, if it holds one. */
export function findShownKey(header: string | undefined): { id: string; key: string } | undefined {
  const found = cookie.find(header)
  return found === undefined ? undefined : { id: found.id, key: found.secret }
}
