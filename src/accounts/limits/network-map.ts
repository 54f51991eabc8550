/** One value for each network that requests come from: in this process's memory alone, under a hash whose salt lives no longer than the process. */
import { randomBytes } from 'node:crypto'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import { getNetwork } from '../../kernel/http/network.ts'

type NetworkMap<T> = {
  /** The value of the network that an address is in. */
  get: (address: string) => T
  /** How many networks are remembered. */
  size: () => number
}

/** The network not seen for longest is forgotten when there are more than `max`. */
export function createNetworkMap<T>(
  make: () => T,
  { max, ipv6Bits }: { max: number; ipv6Bits: 56 | 64 },
): NetworkMap<T> {
  const salt = randomBytes(16).toString('hex')
  const values = new BoundedMap<string, T>(max)
  return {
    get(address) {
      const key = sha256Hex(salt + getNetwork(address, ipv6Bits))
      const value = values.get(key) ?? make()
      values.set(key, value)
      return value
    },
    size: () => values.size,
  }
}
