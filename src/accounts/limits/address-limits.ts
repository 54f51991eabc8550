/** How many requests a minute come from an address without a key: open calls and keys that are none. */
import { createNetworkMap } from './network-map.ts'
import type { Permit } from './rate-share.ts'
import { createRateWindow } from './rate-window.ts'

const MAX_REQUESTS_PER_ADDRESS = 300
/** Steps this long bound an address to 61 of them: 4 kB, 40 MB for as many addresses as are remembered. */
const STEP_MS = 1_000
export const MAX_ADDRESSES = 10_000

type AddressLimits = {
  /** One request from an address, counted if there is room. */
  take: (address: string, now: number) => Permit
  /** How many addresses are remembered. */
  size: () => number
}

export function createAddressLimits(): AddressLimits {
  const windows = createNetworkMap(() => createRateWindow(STEP_MS), { max: MAX_ADDRESSES, ipv6Bits: 64 })
  return {
    take(address, now) {
      const uses = windows.get(address)
      const isGranted = uses.count(now) < MAX_REQUESTS_PER_ADDRESS
      if (isGranted) uses.add(now)
      const remaining = MAX_REQUESTS_PER_ADDRESS - uses.count(now)
      return { isGranted, limit: MAX_REQUESTS_PER_ADDRESS, remaining, nextOver: uses.nextExpiry() ?? now }
    },
    size: windows.size,
  }
}
