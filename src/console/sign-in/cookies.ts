/**
 * Cookies of signing in, which only our server reads; where our address is https, their names bind them to
 * it.
 */
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

/** A session's token; null takes the cookie away. */
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

/** The id of the browser's mark for the e-mail; undefined without one, or with a too old one. */
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
 * The token of a one-time link between the address it came with and the clean one, for that page alone, so
 * that it stays in no address bar and no history. `Lax`, because the click comes from a mail program's page.
 * Looking at the page uses nothing up: the link can be opened again, and mail scanners may follow it. Null
 * takes the cookie away.
 */
export function linkCookie({ setup }: AnyVisit, path: string, token: string | null): string {
  const { publicUrl } = setup.addresses
  const seconds = token === null ? 0 : LINK_LIFETIME_SECONDS
  return lineOf(publicUrl, { name: linkName(publicUrl), value: token ?? '', path, seconds, sameSite: 'Lax' })
}

/** From the address with a token to the clean one, when a browser shows it; a program has no address bar. */
export function wayToCleanAddress(visit: AnyVisit, path: string): Redirect | undefined {
  const token = visit.query.get('token') ?? ''
  if (!visit.wantsHtml || !isToken(token)) return undefined
  return { to: path, cookie: linkCookie(visit, path, token) }
}

/** The token that a request came with: in its address, or in the cookie. */
export const findLinkToken = ({ setup, query, cookies }: AnyVisit): string =>
  query.get('token') ?? find(cookies, linkName(setup.addresses.publicUrl), '[0-9A-Za-z]{43}') ?? ''
