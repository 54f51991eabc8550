/**
 * How many uncached public pages a network may request: a token bucket. It is large, because a phone company
 * has thousands of readers behind one address. It refills slowly, so that capacity is left for other
 * networks.
 */
import { createNetworkMap } from '../network-map.ts'

export const MAX_PAGES_AT_ONCE = 120
export const PAGES_PER_SECOND = 20
/** Some 200 bytes each. A network that was forgotten starts with a full bucket. */
const MAX_NETWORKS = 20_000

/** By /56, the largest IPv6 prefix that providers give one household or server. 256 phones may share one. */
export function createPageLimit() {
  const buckets = createNetworkMap(() => ({ left: MAX_PAGES_AT_ONCE, at: Number.NEGATIVE_INFINITY }), {
    max: MAX_NETWORKS,
    ipv6Bits: 56,
  })
  return {
    /** Takes a page for an address. Returns 0, or the seconds to wait if none is left. */
    take(address: string, now: number): number {
      const bucket = buckets.get(address)
      // A clock that was set back adds nothing.
      const seconds = Math.max(0, now - bucket.at) / 1000
      bucket.left = Math.min(MAX_PAGES_AT_ONCE, bucket.left + seconds * PAGES_PER_SECOND)
      bucket.at = now
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) / PAGES_PER_SECOND)
      bucket.left--
      return 0
    },
    /** Gives back a page that was taken but not used. */
    giveBack(address: string): void {
      buckets.get(address).left++
    },
    size: buckets.size,
  }
}
