/**
 * How many uncached public pages a network may request: a token bucket. It is large, because a phone company
 * has thousands of readers behind one address. It refills slowly, so that capacity is left for other
 * networks. The networks of an IPv6 site, and those of a provider, share larger buckets.
 */
import type { Ipv6Bits } from '../../kernel/http/network.ts'
import { createNetworkMap } from './network-map.ts'

export const MAX_PAGES_AT_ONCE = 120
export const PAGES_PER_SECOND = 20
/** Some 200 bytes each. A network that was forgotten starts with a full bucket. */
const MAX_NETWORKS = 20_000

/**
 * A household or server has at most a /56. Anybody may get a /48 or /32 though, with 256 or 16 million of
 * them: `times` is how many full buckets their networks have together.
 */
const LEVELS: readonly { ipv6Bits: Ipv6Bits; times: number }[] = [
  { ipv6Bits: 56, times: 1 },
  { ipv6Bits: 48, times: 4 },
  { ipv6Bits: 32, times: 12 },
]

/** `isOwn`: the network itself requested too much. Otherwise networks near it did. */
export type PageRefusal = { seconds: number; isOwn: boolean }

type Bucket = { left: number; at: number }

export function createPageLimit() {
  const levels = LEVELS.map(level => ({ ...level, buckets: createBuckets(level) }))
  const findBuckets = (address: string) =>
    levels
      // The larger prefixes of an IPv4 address are the address itself.
      .filter(({ times }) => times === 1 || address.includes(':'))
      .map(({ times, buckets }) => ({ times, bucket: buckets.get(address) }))
  return {
    /** Takes a page for an address. Undefined if one was left, else how long to wait. */
    take(address: string, now: number): PageRefusal | undefined {
      const found = findBuckets(address)
      for (const { bucket, times } of found) refill(bucket, times, now)
      const empty = found.find(({ bucket }) => bucket.left < 1)
      if (empty !== undefined) {
        const seconds = Math.ceil((1 - empty.bucket.left) / (PAGES_PER_SECOND * empty.times))
        return { seconds, isOwn: empty.times === 1 }
      }
      for (const { bucket } of found) bucket.left--
      return undefined
    },
    /** Gives back a page that was taken but not used. */
    giveBack(address: string): void {
      for (const { bucket } of findBuckets(address)) bucket.left++
    },
    size: () => levels[0]?.buckets.size() ?? 0,
  }
}

const createBuckets = ({ ipv6Bits, times }: (typeof LEVELS)[number]) =>
  createNetworkMap<Bucket>(() => ({ left: MAX_PAGES_AT_ONCE * times, at: Number.NEGATIVE_INFINITY }), {
    max: MAX_NETWORKS,
    ipv6Bits,
  })

function refill(bucket: Bucket, times: number, now: number): void {
  // A clock that was set back adds nothing.
  const seconds = Math.max(0, now - bucket.at) / 1000
  bucket.left = Math.min(MAX_PAGES_AT_ONCE * times, bucket.left + seconds * PAGES_PER_SECOND * times)
  bucket.at = now
}
