/** One value for each network, in memory, keyed by a hash whose salt only this process knows. */
import { randomBytes } from 'node:crypto'
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { getNetwork, type Ipv6Bits } from '../../kernel/http/network.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

/** Forgets the network not seen for longest if there are more than `max`. */
export function createNetworkMap<T>(make: () => T, { max, ipv6Bits }: { max: number; ipv6Bits: Ipv6Bits }) {
  const salt = randomBytes(16).toString('hex')
  const values = new BoundedMap<string, T>(max)
  return {
    /** `of`: keeps values of the network apart. */
    get(address: string, of = ''): T {
      const key = sha256Hex(`${salt}${of} ${getNetwork(address, ipv6Bits)}`)
      const value = values.get(key) ?? make()
      values.set(key, value)
      return value
    },
    size: () => values.size,
  }
}
