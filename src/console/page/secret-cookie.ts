/**
 * A new secret on its way to the one page that shows it: in a cookie for that page alone, which takes it away
 * again. So reloading shows nothing twice and makes nothing twice, and no server remembers a secret. The
 * cookie is sealed for the session that made the secret: whoever copies it from the browser's storage has
 * nothing.
 */
import type { Addresses } from '../../passports/core/record.ts'
import type { Redirect, Visit } from './route.ts'

type ShownSecret = { id: string; secret: string }

type ShowingVisit = Pick<Visit, 'setup' | 'session' | 'cookies'>

/** `pattern` matches `id.secret`, each of them a group. */
export function shownOnce({ name, path, pattern }: { name: string; path: string; pattern: RegExp }) {
  const nameFor = (publicUrl: string) => (publicUrl.startsWith('https:') ? `__Secure-${name}` : name)
  const placeFor = ({ session }: ShowingVisit) => `${name} of session ${session.id}`
  /** Without Max-Age a browser keeps it in memory. */
  const line = ({ publicUrl }: Addresses, value: string, end = '') =>
    `${nameFor(publicUrl)}=${value}; Path=${path}; HttpOnly; SameSite=Strict${end}${publicUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    /** To the page that shows the secret. */
    redirect(visit: ShowingVisit, { id, secret }: ShownSecret): Redirect {
      const { addresses, sealer } = visit.setup
      const value = sealer.seal(`${id}.${secret}`, placeFor(visit)).toString('base64url')
      return { to: path, cookie: line(addresses, value) }
    },
    /** Headers of that page, which take the cookie away. */
    endHeaders: ({ setup }: ShowingVisit) => ({ 'set-cookie': line(setup.addresses, '', '; Max-Age=0') }),
    /** What the request's cookie holds of it. */
    find(visit: ShowingVisit): ShownSecret | undefined {
      const { addresses, sealer } = visit.setup
      const header = new RegExp(`(?:^|;)\\s*${nameFor(addresses.publicUrl)}=([\\w-]{1,400})\\s*(?:;|$)`)
      const value = header.exec(visit.cookies ?? '')?.[1]
      if (value === undefined) return undefined
      const text = sealer.open(Buffer.from(value, 'base64url'), placeFor(visit))
      const [, id, secret] = pattern.exec(text ?? '') ?? []
      return id === undefined || secret === undefined ? undefined : { id, secret }
    },
  }
}
