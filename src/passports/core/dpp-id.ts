/** Identifiers that passports had in other systems (`digitalProductPassportId`). */
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'

const MAX_LENGTH = 1_000
const SCHEMES: readonly string[] = ['http:', 'https:', 'urn:', 'did:']

/**
 * The normal form, in which equal identifiers are equal texts; undefined for a text that is no identifier: an
 * absolute URI of a known scheme without credentials.
 */
export function normalizeDppId(text: string): string | undefined {
  if (isLongerThan(text, MAX_LENGTH) || !isOneLine(text) || /[\s\\]/.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || !SCHEMES.includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined
  if (url.protocol === 'urn:') return normalizeUrn(url.pathname)
  const isWeb = url.hostname !== ''
  return isWeb || url.pathname.length > 1 ? url.href : undefined
}

/** RFC 8141, 2: a namespace of 2 to 32 letters, digits and inner hyphens, then its own text. */
const URN_PATH = /^([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):(.+)$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * RFC 8141, 3.1: the namespace and percent-encodings may have any case. The caller leaves out what follows
 * `?` and `#`, which does not belong to the name. A UUID may have any case, too (RFC 9562, 4).
 */
function normalizeUrn(path: string): string | undefined {
  const [, namespace = '', text = ''] = URN_PATH.exec(path) ?? []
  if (namespace === '') return undefined
  const id = namespace.toLowerCase()
  const isUuid = id === 'uuid' && UUID.test(text)
  const encoded = text.replace(/%[0-9a-f]{2}/gi, one => one.toUpperCase())
  return `urn:${id}:${isUuid ? text.toLowerCase() : encoded}`
}

/** True if an identifier is under an address of this server, so that no other system can have made it. */
export function isUnderAddress(dppId: string, address: string): boolean {
  const [url, own] = [URL.parse(dppId), URL.parse(address)]
  if (url === null || own === null) return false
  const path = own.pathname.replace(/\/$/, '')
  if (url.protocol === 'did:') {
    const host = url.pathname.split(':')[1] ?? ''
    return url.pathname.startsWith('web:') && decodeHost(host) === own.host
  }
  const isHost = getName(url) === getName(own) && getPort(url) === getPort(own)
  return isHost && `${url.pathname}/`.startsWith(`${path}/`)
}

const decodeHost = (text: string) => text.toLowerCase().replace('%3a', ':')

/** A dot at the end names the same host. */
const getName = ({ hostname }: URL) => hostname.replace(/\.$/, '')

/** The same for both schemes, because one usually redirects to the other. */
const getPort = ({ port }: URL) => (port === '80' || port === '443' ? '' : port)
