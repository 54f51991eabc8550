/** The addresses of the console's pages, and the check of where a sign-in may redirect to. */

export const HOME = '/console'
export const SIGN_IN = '/console/sign-in'
export const FORGOTTEN = '/console/forgotten-password'
export const PRODUCTS = '/console/products'
export const SCANS = '/console/scans'
export const IMPORT = '/console/import'
export const EXPORT = '/console/export'
export const DEVELOPER = '/console/developer'
export const KEYS = '/console/keys'
export const WEBHOOKS = '/console/webhooks'
export const DOCS = '/docs'
export const SETTINGS = '/console/settings'
export const BRAND = `${SETTINGS}/brand`
export const ALL_DATA = `${SETTINGS}/data`

const ANYWHERE = 'http://carnet.invalid'
const LONGEST = 500

/** The path of `next` if it is a page of the console, else its home: no open redirect (CWE-601). */
export function ownPath(next: string | null): string {
  if (next === null || next.length > LONGEST || !next.startsWith('/') || /[\\\p{Cc}]/u.test(next)) return HOME
  if (!URL.canParse(next, ANYWHERE)) return HOME
  const { origin, pathname, search } = new URL(next, ANYWHERE)
  const isOurs = origin === ANYWHERE && (pathname === HOME || pathname.startsWith(`${HOME}/`))
  return isOurs ? pathname + search : HOME
}

export const signInFor = (path: string) =>
  path === HOME ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next: path })}`
