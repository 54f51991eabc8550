/** Checks the URLs that users enter for webhooks: https, no credentials, and a host in the usual notation. */
import { isIP } from 'node:net'
import { type AddressList, explainForbiddenAddress } from '../http/ip-ranges.ts'
import { HIDDEN_CHARACTERS } from '../http/public-link.ts'

export type OutboundPolicy = {
  /** `http` to `127.0.0.1`, `[::1]` and `localhost`, for tests. */
  allowInsecureLoopback: boolean
  /** Networks that are allowed although they are not public. */
  allowed: AddressList
}

const MAX_URL_LENGTH = 2_048
const LOOPBACK_NAMES = ['127.0.0.1', '::1', 'localhost']

/** `host` as in `URL.hostname`, or without the brackets of an IPv6 address. */
export const isLoopbackName = (host: string): boolean => LOOPBACK_NAMES.includes(host.replace(/^\[|\]$/g, ''))

/** `name` is for callers with their own messages; `host` is the forbidden host. */
type UrlError = {
  name:
    | 'length'
    | 'scheme'
    | 'characters'
    | 'credentials'
    | 'invalid'
    | 'fragment'
    | 'spelling'
    | 'this_machine'
    | 'forbidden'
  host?: string
  sentence: string
}

/**
 * Returns the problem of a URL, or undefined. The addresses of a host name are checked later, at its look-up.
 */
export const explainUrlError = (text: string, policy: OutboundPolicy): string | undefined =>
  findUrlError(text, policy)?.sentence

export function findUrlError(text: string, policy: OutboundPolicy): UrlError | undefined {
  if (text.length > MAX_URL_LENGTH)
    return urlError('length', `The address is longer than ${MAX_URL_LENGTH} characters.`)
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority === undefined) return urlError('scheme', 'The address must begin with https://.')
  if (HIDDEN_CHARACTERS.test(text) || !text.isWellFormed()) {
    return urlError('characters', 'The address contains spaces, backslashes or invisible characters.')
  }
  if (authority.includes('@')) return credentialsError()
  if (!URL.canParse(text)) return urlError('invalid', 'The address is not a valid URL.')
  const url = new URL(text)
  // The parser ignores additional slashes (https:////host), so the host may be behind them.
  if (url.username !== '' || url.password !== '') return credentialsError()
  if (authority === '') return urlError('invalid', 'The address is not a valid URL.')
  if (url.hash !== '' || text.includes('#')) {
    return urlError('fragment', 'The address must not have a fragment (the part after #).')
  }
  return findHostError(url, authority.replace(/:\d*$/, ''), policy)
}

const credentialsError = () =>
  urlError('credentials', 'The address must not contain a user name or password.')

const urlError = (name: UrlError['name'], sentence: string): UrlError => ({ name, sentence })

function findHostError(url: URL, written: string, policy: OutboundPolicy): UrlError | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (written.includes('%') || (isIP(host) === 4 && written !== host)) {
    return urlError('spelling', 'The host must be a name, or an IP address in the usual notation.')
  }
  if (url.protocol === 'http:') {
    if (policy.allowInsecureLoopback && isLoopbackName(host) && written.toLowerCase() === url.hostname)
      return undefined
    return urlError('scheme', 'The address must begin with https://.')
  }
  const name = host.replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) {
    const isAllowed = policy.allowed.check('127.0.0.1') || policy.allowed.check('::1', 'ipv6')
    if (isAllowed) return undefined
    return {
      ...urlError('this_machine', `${host} is this machine itself. Carnet does not connect to it.`),
      host,
    }
  }
  const what = isIP(host) === 0 ? undefined : explainForbiddenAddress(host, policy.allowed)
  if (what === undefined) return undefined
  return { ...urlError('forbidden', `${host} is ${what}. Carnet does not connect to it.`), host }
}
