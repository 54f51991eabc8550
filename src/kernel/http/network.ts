/** Groups addresses, to count or limit by household or server. */
import { isIPv6 } from 'node:net'

/** An IPv4 address, or the /64 (or /56) of an IPv6 address, which belongs to one household or server. */
export function getNetwork(address: string, ipv6Bits: 56 | 64 = 64): string {
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
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')
}
