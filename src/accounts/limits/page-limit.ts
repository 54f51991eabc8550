/**
 * How many public answers that are not ready a network may have made. A token bucket: many at once, since a phone
 * company has thousands of readers behind one address, and then as many a second as leave time for everybody else.
 */
import { createNetworkMap } from './network-map.ts'

export const MAX_PAGES_AT_ONCE = 120
export const PAGES_PER_SECOND = 20
/** Some 200 bytes each. A network that is forgotten starts with a full bucket. */
const MAX_NETWORKS = 20_000

type PageLimit = {
  /** Takes a page for an address. Returns 0, or how many seconds to wait when none is left. */
  take: (address: string, now: number) => number
  /** Returns one that was taken and not used. */
  giveBack: (address: string) => void
  size: () => number
}

/** A provider gives a household or a server a /56 of IPv6 addresses or less; 256 phones that share one have enough. */
export function createPageLimit(): PageLimit {
  const buckets = createNetworkMap(() => ({ left: MAX_PAGES_AT_ONCE, at: Number.NEGATIVE_INFINITY }), {
    max: MAX_NETWORKS,
    ipv6Bits: 56,
  })
  return {
    take(address, now) {
      const bucket = buckets.get(address)
      // A clock that was put back adds nothing.
      const seconds = Math.max(0, now - bucket.at) / 1000
      bucket.left = Math.min(MAX_PAGES_AT_ONCE, bucket.left + seconds * PAGES_PER_SECOND)
      bucket.at = now
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) / PAGES_PER_SECOND)
      bucket.left--
      return 0
    },
    giveBack(address) {
      buckets.get(address).left++
    },
    size: buckets.size,
  }
}
