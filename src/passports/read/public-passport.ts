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
type Reader = { heads: Map<string, Entry>; underWay: Map<string, Promise<PublicPassportRow | undefined>> }

const readers = perDatabase((): Reader => ({ heads: new Map(), underWay: new Map() }))

/** The passport of a public id if it was read within the last second, or `withinMs`. Asks no database. */
export function findCachedHead(sql: Sql, id: string, now: Date, withinMs = FRESH_MS): PublicHead | undefined {
  const entry = readers(sql).heads.get(id)
  if (entry === undefined) return undefined
  const age = now.getTime() - entry.at
  return age >= 0 && age < withinMs ? entry.head : undefined
}

/** Milliseconds since the passport was last read; 0 if never. */
export function getHeadAge(sql: Sql, id: string, now: Date): number {
  return now.getTime() - (readers(sql).heads.get(id)?.at ?? now.getTime())
}

/** The passport of a public id; concurrent callers share one look-up. */
export function readPublicPassport(sql: Sql, id: string, now: Date): Promise<PublicPassportRow | undefined> {
  const reader = readers(sql)
  const shared = reader.underWay.get(id)
  if (shared !== undefined) return shared
  const uuid = findUuid(id)
  if (uuid === undefined) return Promise.resolve(undefined)
  const reading = findPublicPassport(sql, uuid)
  reader.underWay.set(id, reading)
  const isNewest = () => reader.underWay.get(id) === reading
  reading.then(
    row => {
      if (row !== undefined && isNewest()) cacheHead(reader, row, now.getTime())
      if (isNewest()) reader.underWay.delete(id)
    },
    () => {
      if (isNewest()) reader.underWay.delete(id)
    },
  )
  return reading
}

/** The id is rebuilt: that of the request is a slice that keeps the whole address in memory. */
function cacheHead({ heads }: Reader, row: PublicPassportRow, at: number): void {
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
    const { heads, underWay } = readers(pool)
    const id = idFromUuid(uuid)
    heads.delete(id)
    underWay.delete(id)
  })
}
