/** Where a sign-in leads to: only ever a page of this console, whatever the address asked for (CWE-601). */

export const HOME = '/console'
export const SIGN_IN = '/console/sign-in'
export const FORGOTTEN = '/console/forgotten-password'

const ANYWHERE = 'http://carnet.invalid'
const LONGEST = 500

/** The path of `next` when it is one of ours, else the console's home. */
export function ownPath(next: string | null): string {
  if (next === null || next.length > LONGEST || !next.startsWith('/') || /[\\\p{Cc}]/u.test(next)) return HOME
  if (!URL.canParse(next, ANYWHERE)) return HOME
  const { origin, pathname, search } = new URL(next, ANYWHERE)
  const isOurs = origin === ANYWHERE && (pathname === HOME || pathname.startsWith(`${HOME}/`))
  return isOurs ? pathname + search : HOME
}

/** The sign-in page that comes back to a path. */
export const signInFor = (path: string) =>
  path === HOME ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next: path })}`
