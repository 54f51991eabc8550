/** Caches prepared responses up to a total size. A passport's formats and languages are dropped together. */
import type { TranslationLanguages } from '../../categories/pick-text.ts'
import type { PreparedResponse } from '../http/prepared-response.ts'

export type CachedPassport = {
  /** Version, status and everything else that changes the page. Responses of an earlier state are dropped. */
  readonly state: string
  /** The passport's primary language, needed to choose among the responses. */
  readonly primaryLanguage: string
  /**
   * The languages of its texts; null if pages exist in all of them: then the language of the page selects
   * texts.
   */
  readonly textLanguages: TranslationLanguages | null
  /** For which there are offers; undefined for none. Pages differ only for these. */
  readonly countries?: ReadonlySet<string> | undefined
  readonly responses: Map<string, PreparedResponse>
  bytes: number
}

export type PageCache = {
  /** The passport if it was cached in this state. */
  find(id: string, state: string): CachedPassport | undefined
  /** The passport, even if it was cached in another state. */
  findAny(id: string): CachedPassport | undefined
  put(
    id: string,
    passport: Pick<CachedPassport, 'state' | 'primaryLanguage' | 'textLanguages' | 'countries'>,
    key: string,
    response: PreparedResponse,
  ): void
  bytes(): number
}

/** The cost of an entry besides its body: header lists, keys, objects. */
const OVERHEAD_BYTES = 4_096
/** For one passport. Clients could request its texts in ever new combinations of languages. */
const MAX_RESPONSES = 64

/** The two compressed bodies together are smaller than the plain one. */
const estimateBytes = (response: PreparedResponse) => 2 * response.identity.body.length + OVERHEAD_BYTES

/** Drops the least recently requested passport first. */
export function createPageCache(maxBytes: number): PageCache {
  const entries = new Map<string, CachedPassport>()
  let usedBytes = 0

  const drop = (id: string, entry: CachedPassport) => {
    entries.delete(id)
    usedBytes -= entry.bytes
  }

  return {
    find(id, state) {
      const entry = entries.get(id)
      if (entry === undefined || entry.state !== state) return undefined
      // A Map keeps the order of insertion: the last entry is the newest. The order does not matter while
      // half of the cache is free.
      if (usedBytes > maxBytes / 2) {
        entries.delete(id)
        entries.set(id, entry)
      }
      return entry
    },
    findAny: id => entries.get(id),
    put(id, passport, key, response) {
      let entry = entries.get(id)
      if (entry !== undefined && entry.state !== passport.state) {
        drop(id, entry)
        entry = undefined
      }
      entry ??= { ...passport, responses: new Map(), bytes: 0 }
      const growth = estimateBytes(response) - replaceResponse(entry, key, response)
      entry.bytes += growth
      usedBytes += growth
      entries.delete(id)
      entries.set(id, entry)
      for (const [oldest, old] of entries) {
        if (usedBytes <= maxBytes) break
        drop(oldest, old)
      }
    },
    bytes: () => usedBytes,
  }
}

/** Returns the size of the replaced response: the one with this key, or the oldest if there are too many. */
function replaceResponse({ responses }: CachedPassport, key: string, response: PreparedResponse): number {
  const [oldest = key] = responses.keys()
  const replaced = responses.has(key) || responses.size < MAX_RESPONSES ? key : oldest
  const previous = responses.get(replaced)
  responses.delete(replaced)
  responses.set(key, response)
  return previous === undefined ? 0 : estimateBytes(previous)
}
