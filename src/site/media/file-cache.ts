/** Responses of small public files, sent from memory. A file of an address never changes. */
import type { PreparedResponse } from '../http/prepared-response.ts'

export type FileCache = {
  /** `now`: milliseconds. */
  find(path: string, now: number): PreparedResponse | undefined
  /** Also one that should be read again, for when that fails: up to twice as old. */
  findStale(path: string, now: number): PreparedResponse | undefined
  put(path: string, response: PreparedResponse, now: number): void
}

/** A larger one is read again for each reader. A picture of 1280 pixels has 100 to 300 kB. */
const MAX_FILE_BYTES = 512 * 1024
/** Besides its body. */
const OVERHEAD_BYTES = 2_048
/** Then it is read again: its account may have been deleted. */
const LIFETIME_MS = 600_000

type Entry = { response: PreparedResponse; at: number; bytes: number }

/** Drops what was stored longest ago first. */
export function createFileCache(maxBytes: number): FileCache {
  const entries = new Map<string, Entry>()
  let usedBytes = 0
  const drop = (path: string, entry: Entry) => {
    entries.delete(path)
    usedBytes -= entry.bytes
  }
  const findUntil = (path: string, now: number, maxAgeMs: number) => {
    const entry = entries.get(path)
    if (entry === undefined) return undefined
    const ageMs = Math.abs(now - entry.at)
    if (ageMs >= 2 * LIFETIME_MS) drop(path, entry)
    return ageMs < maxAgeMs ? entry.response : undefined
  }
  return {
    find: (path, now) => findUntil(path, now, LIFETIME_MS),
    findStale: (path, now) => findUntil(path, now, 2 * LIFETIME_MS),
    put(path, response, now) {
      const { length } = response.identity.body
      if (length > MAX_FILE_BYTES) return
      const earlier = entries.get(path)
      if (earlier !== undefined) drop(path, earlier)
      const bytes = length + OVERHEAD_BYTES
      entries.set(path, { response, at: now, bytes })
      usedBytes += bytes
      for (const [oldest, entry] of entries) {
        if (usedBytes <= maxBytes) break
        drop(oldest, entry)
      }
    },
  }
}
