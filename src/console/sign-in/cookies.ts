/** Cookies for signing in, which only our server reads. Under https, their names bind them to our address. */
import { createKnownDevices, DEVICE_LIFETIME_MS } from '../../accounts/people/known-devices.ts'
import { isToken } from '../../accounts/people/one-time-links.ts'
import { getSessionCookieName } from '../../accounts/people/session-cookie.ts'
import { SESSION_LIFETIME_MS } from '../../accounts/people/sessions.ts'
import type { AnyVisit, ConsoleSetup, Redirect } from '../page/route.ts'

const LINK_LIFETIME_SECONDS = 600

type Cookie = { name: string; value: string; path?: string; seconds: number; sameSite: 'Lax' | 'Strict' }

function lineOf(publicUrl: string, { name, value, path = '/', seconds, sameSite }: Cookie): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`
}

const find = (header: string | undefined, name: string, value: string): string | undefined =>
  new RegExp(`(?:^|;)\\s*${name}=(${value})\\s*(?:;|$)`).exec(header ?? '')?.[1]

/** A session's token; null deletes the cookie. */
export const sessionCookie = (publicUrl: string, token: string | null): string =>
  lineOf(publicUrl, {
    name: getSessionCookieName(publicUrl),
    value: token ?? '',
    seconds: token === null ? 0 : SESSION_LIFETIME_MS / 1000,
    sameSite: 'Lax',
  })

type DeviceSetup = Pick<ConsoleSetup, 'secretKey' | 'clock' | 'addresses'>

const deviceName = ({ publicUrl }: DeviceSetup['addresses']) =>
  publicUrl.startsWith('https:') ? '__Host-carnet-device' : 'carnet-device'

const deviceIn = ({ addresses }: DeviceSetup, header: string | undefined) =>
  find(header, deviceName(addresses), '[\\w.~-]{1,400}')

/** The id of the browser's mark for the e-mail; undefined without a valid mark. */
export const findDevice = (setup: DeviceSetup, header: string | undefined, email: string) =>
  createKnownDevices(setup.secretKey).find(deviceIn(setup, header), email, setup.clock.now())

export function deviceCookie(setup: DeviceSetup, header: string | undefined, email: string): string {
  const value = createKnownDevices(setup.secretKey).add(deviceIn(setup, header), email, setup.clock.now())
  const seconds = DEVICE_LIFETIME_MS / 1000
  const { addresses } = setup
  return lineOf(addresses.publicUrl, { name: deviceName(addresses), value, seconds, sameSite: 'Strict' })
}

const linkName = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Secure-carnet-link' : 'carnet-link'

/**
 * Moves a one-time link's token from the address into a cookie for that page only, so that it is in no
 * address bar or history. `Lax`, because the click comes from a mail program's page. Opening the page does
 * not use up the link, because mail scanners follow links. Null deletes the cookie.
 */
export function linkCookie({ setup }: AnyVisit, path: string, token: string | null): string {
  const { publicUrl } = setup.addresses
  const seconds = token === null ? 0 : LINK_LIFETIME_SECONDS
  return lineOf(publicUrl, { name: linkName(publicUrl), value: token ?? '', path, seconds, sameSite: 'Lax' })
}

/** Redirects a browser from the address with a token to the one without; a program has no address bar. */
export function wayToCleanAddress(visit: AnyVisit, path: string): Redirect | undefined {
  const token = visit.query.get('token') ?? ''
  if (!visit.wantsHtml || !isToken(token)) return undefined
  return { to: path, cookie: linkCookie(visit, path, token) }
}

/** The token of a request: from its address or its cookie. */
export const findLinkToken = ({ setup, query, cookies }: AnyVisit): string =>
  query.get('token') ?? find(cookies, linkName(setup.addresses.publicUrl), '[0-9A-Za-z]{43}') ?? ''
