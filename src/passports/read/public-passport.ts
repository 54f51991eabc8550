/**
 * Reads passports for the public site. The heads that decide about cached pages are cached for a second, so
 * that a popular passport costs one statement a second. A change in this process drops them at once.
 */
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { afterCommit } from '../../kernel/db/transaction.ts'
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import { findPublicPassport, type PublicPassportRow } from './find.ts'

/** A passport without its data: under 1 kB, and safe to show to everyone. */
export type PublicHead = Omit<PublicPassportRow, 'data' | 'unit_fields' | 'batch_fields'>

const FRESH_MS = 1_000
/** A page is served for ten minutes at most while the database is unavailable. */
const MAX_AGE_MS = 600_000
/** Some 5 MB. */
const MAX_HEADS = 10_000

type Entry = { head: PublicHead; at: number }
type HeadCache = { heads: Map<string, Entry>; inFlight: Map<string, Promise<PublicPassportRow | undefined>> }

const headCaches = perDatabase((): HeadCache => ({ heads: new Map(), inFlight: new Map() }))

/** The passport of a public id if it was read within the last second, or `withinMs`. Asks no database. */
export function findCachedHead(sql: Sql, id: string, now: Date, withinMs = FRESH_MS): PublicHead | undefined {
  const entry = headCaches(sql).heads.get(id)
  if (entry === undefined) return undefined
  const age = now.getTime() - entry.at
  return age >= 0 && age < withinMs ? entry.head : undefined
}

/** Milliseconds since the passport was last read; 0 if never. */
export function getHeadAge(sql: Sql, id: string, now: Date): number {
  return now.getTime() - (headCaches(sql).heads.get(id)?.at ?? now.getTime())
}

/** The passport of a public id; concurrent callers share one look-up. */
export function readPublicPassport(sql: Sql, id: string, now: Date): Promise<PublicPassportRow | undefined> {
  const cache = headCaches(sql)
  const shared = cache.inFlight.get(id)
  if (shared !== undefined) return shared
  const uuid = findUuid(id)
  if (uuid === undefined) return Promise.resolve(undefined)
  const reading = findPublicPassport(sql, uuid)
  cache.inFlight.set(id, reading)
  const isNewest = () => cache.inFlight.get(id) === reading
  reading.then(
    row => {
      if (row !== undefined && isNewest()) cacheHead(cache, row, now.getTime())
      if (isNewest()) cache.inFlight.delete(id)
    },
    () => {
      if (isNewest()) cache.inFlight.delete(id)
    },
  )
  return reading
}

/** The id is rebuilt: that of the request is a slice that keeps the whole address in memory. */
function cacheHead({ heads }: HeadCache, row: PublicPassportRow, at: number): void {
  const { data: _, unit_fields: __, batch_fields: ___, ...head } = row
  const id = idFromUuid(row.id)
  // Maps keep the order of insertion: the oldest entries come first.
  heads.delete(id)
  heads.set(id, { head, at })
  for (const [oldest, entry] of heads) {
    const isKept = heads.size <= MAX_HEADS && at - entry.at < MAX_AGE_MS
    if (isKept) break
    heads.delete(oldest)
  }
}

/** Call it after each change of a passport: the next reader sees it, also one whose look-up began before. */
export function dropCachedHead(sql: Sql, uuid: string): void {
  afterCommit(sql, pool => {
    const { heads, inFlight } = headCaches(pool)
    const id = idFromUuid(uuid)
    heads.delete(id)
    inFlight.delete(id)
  })
}
