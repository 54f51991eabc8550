/** Which network addresses the world may ask us to connect to: public ones, whatever they are dressed up as. */
import { BlockList, isIP } from 'node:net'

/** What an address of IANA's special-purpose registries is, in words that follow "it is". */
const FORBIDDEN_4: readonly (readonly [string, number, string])[] = [
  ['0.0.0.0', 8, 'an address of this machine'],
  ['10.0.0.0', 8, 'a private address'],
  ['100.64.0.0', 10, 'an address inside a provider’s network'],
  ['127.0.0.0', 8, 'an address of this machine'],
  ['168.63.129.16', 32, 'a cloud’s metadata address'],
  ['169.254.0.0', 16, 'a link-local or metadata address'],
  ['172.16.0.0', 12, 'a private address'],
  ['192.0.0.0', 24, 'a reserved address'],
  ['192.0.2.0', 24, 'an address for documentation'],
  ['192.88.99.0', 24, 'a reserved address'],
  ['192.168.0.0', 16, 'a private address'],
  ['198.18.0.0', 15, 'an address for measurements'],
  ['198.51.100.0', 24, 'an address for documentation'],
  ['203.0.113.0', 24, 'an address for documentation'],
  ['224.0.0.0', 4, 'a multicast address'],
  ['240.0.0.0', 4, 'a reserved address'],
]

/** Inside 2000::/3, the only part of IPv6 that is public. */
const FORBIDDEN_6: readonly (readonly [string, number, string])[] = [
  ['2001::', 23, 'a reserved address'],
  ['2001:db8::', 32, 'an address for documentation'],
  ['2002::', 16, 'a reserved address'],
  ['3fff::', 20, 'an address for documentation'],
]

const OUTSIDE_6: readonly (readonly [string, number, string])[] = [
  ['::', 127, 'an address of this machine'],
  ['fc00::', 7, 'a private address'],
  ['fe80::', 10, 'a link-local address'],
  ['fec0::', 10, 'a private address'],
  ['ff00::', 8, 'a multicast address'],
]

/** Prefixes whose last 32 bits are an IPv4 address: mapped (RFC 4291) and NAT64's own (RFC 6052). */
const IPV4_IN_IPV6_RANGES: readonly (readonly [string, number, string])[] = [
  ['::ffff:0:0', 96, ''],
  ['64:ff9b::', 96, ''],
]

type Network = { list: BlockList; what: string }

const network = ([base, bits, what]: readonly [string, number, string]): Network => {
  const list = new BlockList()
  list.addSubnet(base, bits, isIP(base) === 6 ? 'ipv6' : 'ipv4')
  return { list, what }
}

const LISTS_4 = FORBIDDEN_4.map(network)
const LISTS_6 = [...OUTSIDE_6, ...FORBIDDEN_6].map(network)
const PUBLIC_6 = network(['2000::', 3, 'public'])
const IPV4_IN_IPV6 = IPV4_IN_IPV6_RANGES.map(network)

/** The last 32 bits of an IPv6 address, in any spelling that `isIP` takes, as an IPv4 address. */
function readLastIpv4(address: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(address)
  if (dotted !== null) return dotted[0]
  const [head = '', tail] = address.split('::')
  const groups = (tail === undefined ? head : `0:0:${tail}`).split(':').slice(-2)
  return groups.flatMap(group => [Number(`0x${group || 0}`) >> 8, Number(`0x${group || 0}`) & 255]).join('.')
}

/** Addresses and CIDR ranges as one list, such as a setting gives them. */
export function createAddressList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/**
 * Why an address must not be connected to ("a private address"), or undefined when it may be. `allowed` wins. Throws
 * when the text is no IP address.
 */
export function explainForbiddenAddress(address: string, allowed: BlockList): string | undefined {
  const family = isIP(address)
  if (family === 0) throw new Error(`"${address}" is no IP address`)
  if (family === 4) return allowed.check(address, 'ipv4') ? undefined : findIn(LISTS_4, address, 'ipv4')
  const [bare = ''] = address.split('%')
  if (allowed.check(bare, 'ipv6')) return undefined
  if (IPV4_IN_IPV6.some(one => one.list.check(bare, 'ipv6')))
    return explainForbiddenAddress(readLastIpv4(bare), allowed)
  const found = findIn(LISTS_6, bare, 'ipv6')
  if (found !== undefined) return found
  return PUBLIC_6.list.check(bare, 'ipv6') ? undefined : 'a reserved address'
}

const findIn = (lists: readonly Network[], address: string, family: 'ipv4' | 'ipv6') =>
  lists.find(one => one.list.check(address, family))?.what
