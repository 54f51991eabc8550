/** Which addresses a person may give us to call: https, no credentials, and no host that is dressed up as another. */
import { type BlockList, isIP } from 'node:net'
import { findForbidden } from './addresses.ts'

export type OutboundPolicy = {
  /** `http` to this machine, for trying things out: to `127.0.0.1`, `[::1]` and `localhost`, nothing else. */
  allowInsecureLoopback: boolean
  /** Networks that are connected to although they are not public. */
  allowed: BlockList
}

const MOST_LENGTH = 2_048
const LOOPBACK_NAMES = ['127.0.0.1', '::1', 'localhost']

/** `host` as in `URL.hostname`, or without the brackets of an IPv6 address. */
export const isLoopbackName = (host: string): boolean => LOOPBACK_NAMES.includes(host.replace(/^\[|\]$/g, ''))

/** What is wrong with an address, as a sentence; undefined when it may be called as far as its text tells. */
export function findUrlFault(text: string, policy: OutboundPolicy): string | undefined {
  if (text.length > MOST_LENGTH) return `The address is longer than ${MOST_LENGTH} characters.`
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority === undefined) return 'The address must begin with https://.'
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text) || !text.isWellFormed()) {
    return 'The address has spaces, backslashes or invisible characters in it.'
  }
  if (authority.includes('@')) return 'The address must not have a user name or password in it.'
  if (!URL.canParse(text)) return 'The address is not a valid URL.'
  const url = new URL(text)
  if (url.hash !== '' || text.includes('#')) return 'The address must not have a fragment (what follows #).'
  return findHostFault(url, authority.replace(/:\d*$/, ''), policy)
}

function findHostFault(url: URL, written: string, policy: OutboundPolicy): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (written.includes('%') || (isIP(host) === 4 && written !== host)) {
    return 'The host must be a name, or an IP address in its usual spelling.'
  }
  if (url.protocol === 'http:') {
    if (policy.allowInsecureLoopback && isLoopbackName(host) && written.toLowerCase() === url.hostname)
      return undefined
    return 'The address must begin with https://.'
  }
  const name = host.replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) {
    const isAllowed = policy.allowed.check('127.0.0.1') || policy.allowed.check('::1', 'ipv6')
    return isAllowed ? undefined : `${host} is this machine itself: it is not connected to.`
  }
  const what = isIP(host) === 0 ? undefined : findForbidden(host, policy.allowed)
  return what === undefined ? undefined : `${host} is ${what}: it is not connected to.`
}
