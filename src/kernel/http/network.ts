/** Groups addresses, to count or limit by household, site or provider. */
import { isIPv6 } from 'node:net'

/**
 * An IPv6 prefix: /64 and /56 belong to one household or server, /48 to one site (RFC 6177), /32 to one
 * provider: it is the smallest that registries allocate.
 */
export type Ipv6Bits = 32 | 48 | 56 | 64

/** An IPv4 address, or the prefix of an IPv6 address. */
export function getNetwork(address: string, ipv6Bits: Ipv6Bits = 64): string {
  const plain = address.replace(/%.*$/, '').toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const missing = tail === undefined ? 0 : 8 - before.length - groups(tail).length
  const zeros = Array.from({ length: Math.max(0, missing) }, () => '0')
  const all = [...before, ...zeros, ...groups(tail ?? '')].map(group => Number.parseInt(group, 16))
  if (ipv6Bits === 56) all[3] = (all[3] ?? 0) & 0xff00
  return all
    .slice(0, Math.ceil(ipv6Bits / 16))
    .map(group => group.toString(16))
    .join(':')
}
