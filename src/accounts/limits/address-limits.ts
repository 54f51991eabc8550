/** Limits the requests per minute of an IP address without a valid key. */
import { createNetworkMap } from './network-map.ts'
import type { RateDecision } from './rate-share.ts'
import { createRateWindow } from './rate-window.ts'

const MAX_REQUESTS_PER_ADDRESS = 300
/** At most 61 steps, together 4 kB, for an address; 40 MB for all addresses. */
const STEP_MS = 1_000
export const MAX_ADDRESSES = 10_000

export function createAddressLimits() {
  const windows = createNetworkMap(() => createRateWindow(STEP_MS), { max: MAX_ADDRESSES, ipv6Bits: 64 })
  return {
    take(address: string, now: number): RateDecision {
      const uses = windows.get(address)
      const isAllowed = uses.count(now) < MAX_REQUESTS_PER_ADDRESS
      if (isAllowed) uses.add(now)
      const remaining = MAX_REQUESTS_PER_ADDRESS - uses.count(now)
      return { isAllowed, limit: MAX_REQUESTS_PER_ADDRESS, remaining, nextFreeAt: uses.nextExpiry() ?? now }
    },
    size: windows.size,
  }
}
