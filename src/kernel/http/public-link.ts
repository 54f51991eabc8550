/** The one rule for addresses of accounts: which of them readers get as a link. */
import { isIP } from 'node:net'
import { perObject } from '../values/memo.ts'
import { createAddressList, explainForbiddenAddress } from './ip-ranges.ts'

/**
 * `characters`: invisible ones, or those that change the direction of text, so that the address reads like
 * another one. `private`: only this machine or a private network can open it.
 */
export type LinkProblem = 'scheme' | 'characters' | 'credentials' | 'host' | 'private'

/** Spaces, backslashes, controls, direction marks, and everything else that nobody sees. */
export const HIDDEN_CHARACTERS = /[\s\\\p{Cc}\p{Cf}]/u

/** `ownHost`: host and port of this server, whose own addresses are links wherever it runs. */
export function findLinkProblem(text: string, ownHost?: string): LinkProblem | undefined {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority === undefined) return 'scheme'
  if (HIDDEN_CHARACTERS.test(text) || !text.isWellFormed()) return 'characters'
  if (authority.includes('@')) return 'credentials'
  // The parser ignores additional slashes (https:////host), so the host may be behind them.
  if (authority === '' || !URL.canParse(text)) return 'host'
  const { host, hostname } = new URL(text)
  return host !== ownHost && isPrivateHost(hostname) ? 'private' : undefined
}

/** Host and port of this server. */
export const getServerHost = perObject(({ publicUrl }: { publicUrl: string }) => new URL(publicUrl).host)

/** Returns true if readers get the value as a link, and programs as the type of one. */
export const isReaderLink = (value: unknown, ownHost: string): value is string =>
  typeof value === 'string' && findLinkProblem(value, ownHost) === undefined

/** For links that are refused if pages would not show them. `SAFE_LINK_RULE` follows the field's name. */
export const isSafeLink = (text: string): boolean =>
  /^https:/i.test(text) && findLinkProblem(text) === undefined

export const SAFE_LINK_RULE =
  'must begin with https:// and have a host that everybody can reach, and no user name or invisible characters.'

/** RFC 6761, RFC 6762, RFC 8375, and the name that ICANN has reserved for private use. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/

/** A name without a dot (`https://wiki/`) is one of a private network: no public name is. */
const isDotless = (name: string): boolean => !name.replace(/\.$/, '').includes('.')

const NO_EXCEPTIONS = createAddressList([])

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) return PRIVATE_NAMES.test(host) || isDotless(host)
  return explainForbiddenAddress(host, NO_EXCEPTIONS) !== undefined
}
