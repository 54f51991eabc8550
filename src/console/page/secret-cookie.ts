/**
 * Carries a new secret to the one page that shows it, in a cookie that this page deletes: reloading shows and
 * creates nothing twice. The cookie is encrypted for the session, so a copy is useless elsewhere.
 */
import type { Addresses } from '../../passports/core/record.ts'
import type { Redirect, Visit } from './route.ts'

type ShownSecret = { id: string; secret: string }

type ShowingVisit = Pick<Visit, 'setup' | 'session' | 'cookies'>

/** `pattern` matches `id.secret`, with a group for each. */
export function shownOnce({ name, path, pattern }: { name: string; path: string; pattern: RegExp }) {
  const nameFor = (publicUrl: string) => (publicUrl.startsWith('https:') ? `__Secure-${name}` : name)
  const placeFor = ({ session }: ShowingVisit) => `${name} of session ${session.id}`
  /** Without Max-Age, browsers keep the cookie only in memory. */
  const line = ({ publicUrl }: Addresses, value: string, end = '') =>
    `${nameFor(publicUrl)}=${value}; Path=${path}; HttpOnly; SameSite=Strict${end}${publicUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    /** Redirects to the page that shows the secret. */
    redirect(visit: ShowingVisit, { id, secret }: ShownSecret): Redirect {
      const { addresses, secretCipher } = visit.setup
      const value = secretCipher.encrypt(`${id}.${secret}`, placeFor(visit)).toString('base64url')
      return { to: path, cookie: line(addresses, value) }
    },
    /** Headers of that page, which delete the cookie. */
    endHeaders: ({ setup }: ShowingVisit) => ({ 'set-cookie': line(setup.addresses, '', '; Max-Age=0') }),
    /** The secret in the request's cookie. */
    find(visit: ShowingVisit): ShownSecret | undefined {
      const { addresses, secretCipher } = visit.setup
      const header = new RegExp(`(?:^|;)\\s*${nameFor(addresses.publicUrl)}=([\\w-]{1,400})\\s*(?:;|$)`)
      const value = header.exec(visit.cookies ?? '')?.[1]
      if (value === undefined) return undefined
      const text = secretCipher.decrypt(Buffer.from(value, 'base64url'), placeFor(visit))
      const [, id, secret] = pattern.exec(text ?? '') ?? []
      return id === undefined || secret === undefined ? undefined : { id, secret }
    },
  }
}
