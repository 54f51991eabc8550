/** Limits how often each key may do something: a burst, then `perMinute` times a minute. */
import { BoundedMap } from '../values/bounded-map.ts'

const MINUTE_MS = 60_000
/** About 150 bytes each. The key unused for longest is dropped, and would start with a full bucket. */
const MAX_KEYS = 20_000

/** `now` in `take` comes from a clock that is never set back. */
export function createTokenBuckets({ perMinute }: { perMinute: number }) {
  const buckets = new BoundedMap<string, { left: number; at: number }>(MAX_KEYS)
  return {
    /** Returns 0, or how many seconds to wait if no token is left. */
    take(key: string, now: number) {
      const bucket = buckets.get(key) ?? { left: perMinute, at: now }
      buckets.set(key, bucket)
      bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) / MINUTE_MS) * perMinute)
      bucket.at = now
      if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / perMinute) * (MINUTE_MS / 1000))
      bucket.left--
      return 0
    },
  }
}
