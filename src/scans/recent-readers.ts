/** Recognises reloads: keeps who has read which passport within a minute, as hashes and in memory only. */
import { BoundedMap } from '../kernel/values/bounded-map.ts'

const RELOAD_WITHIN_MS = 60_000
/** About 3 MB. With more readers a minute, a reload may count as a further scan. */
const MAX_READERS = 20_000

export function createRecentReaders() {
  const seen = new BoundedMap<string, number>(MAX_READERS)
  return {
    /** Returns true if the reader asked within a minute before `at`, in milliseconds. Remembers this time. */
    see(readerHash: string, at: number): boolean {
      const before = seen.get(readerHash)
      seen.set(readerHash, at)
      return before !== undefined && at - before < RELOAD_WITHIN_MS
    },
  }
}

export type RecentReaders = ReturnType<typeof createRecentReaders>
