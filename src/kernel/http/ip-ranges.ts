/** Decides which addresses we may connect to for others: public ones, in any notation. */
import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose registries. Each name continues "it is". */
const FORBIDDEN = {
  'an address of this machine': ['0.0.0.0/8', '127.0.0.0/8', '::/127'],
  'a private address': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  'an address inside a provider’s network': ['100.64.0.0/10'],
  'a cloud’s metadata address': ['168.63.129.16/32'],
  'a link-local or metadata address': ['169.254.0.0/16'],
  'a link-local address': ['fe80::/10'],
  'a reserved address': ['192.0.0.0/24', '192.88.99.0/24', '240.0.0.0/4', '2001::/23', '2002::/16'],
  'an address for documentation': [
    '192.0.2.0/24',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '2001:db8::/32',
    '3fff::/20',
  ],
  'an address for measurements': ['198.18.0.0/15'],
  'a multicast address': ['224.0.0.0/4', 'ff00::/8'],
}
const FORBIDDEN_LISTS = Object.entries(FORBIDDEN).map(([what, ranges]) => ({
  what,
  list: createAddressList(ranges),
}))

/** The only public part of IPv6. */
const PUBLIC_6 = createAddressList(['2000::/3'])

/** Prefixes whose last 32 bits are an IPv4 address: mapped (RFC 4291) and NAT64's own (RFC 6052). */
const IPV4_IN_IPV6 = createAddressList(['::ffff:0:0/96', '64:ff9b::/96'])

/** The last 32 bits of an IPv6 address, in any spelling that `isIP` takes, as an IPv4 address. */
function readLastIpv4(address: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(address)
  if (dotted !== null) return dotted[0]
  const [head = '', tail] = address.split('::')
  const groups = (tail === undefined ? head : `0:0:${tail}`).split(':').slice(-2)
  return groups.flatMap(group => [Number(`0x${group || 0}`) >> 8, Number(`0x${group || 0}`) & 255]).join('.')
}

/** A set of IP addresses: Node's name is misleading, it blocks nothing. */
export type AddressList = BlockList

/** `ranges` are addresses and CIDR ranges. */
export function createAddressList(ranges: readonly string[]): AddressList {
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
 * Describes a forbidden address ("a private address"); undefined if we may connect. `allowed` takes
 * precedence. Throws if the text is no IP address.
 */
export function explainForbiddenAddress(address: string, allowed: AddressList): string | undefined {
  const family = isIP(address)
  if (family === 0) throw new Error(`"${address}" is not an IP address`)
  if (family === 4) return allowed.check(address, 'ipv4') ? undefined : findForbidden(address, 'ipv4')
  const [bare = ''] = address.split('%')
  if (allowed.check(bare, 'ipv6')) return undefined
  if (IPV4_IN_IPV6.check(bare, 'ipv6')) return explainForbiddenAddress(readLastIpv4(bare), allowed)
  return findForbidden(bare, 'ipv6') ?? (PUBLIC_6.check(bare, 'ipv6') ? undefined : 'a reserved address')
}

const findForbidden = (address: string, family: 'ipv4' | 'ipv6') =>
  FORBIDDEN_LISTS.find(({ list }) => list.check(address, family))?.what
