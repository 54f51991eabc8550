/**
 * Reads passports for the public site. The metadata that decides about cached pages is cached for a second,
 * so that a popular passport costs one statement per second.
 */
import { type SettingChanges, settingChanges } from '../../accounts/account/setting-changes.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { afterCommit } from '../../kernel/db/transaction.ts'
import { findPublicPassport, type PublicPassportRow } from './find.ts'

/** A passport without its data: under 1 kB, and safe to show to everyone. */
export type PublicMetadata = Omit<
  PublicPassportRow,
  'data' | 'unit_fields' | 'batch_fields' | 'recalls' | 'life'
>

const FRESH_MS = 1_000
/** How long pages are served from the cache while the database is unavailable. */
export const MAX_STALE_MS = 600_000
/** Some 5 MB. */
const MAX_ENTRIES = 10_000

type Entry = { metadata: PublicMetadata; at: number; change: number }
type MetadataCache = {
  entries: Map<string, Entry>
  inFlight: Map<string, { row: Promise<PublicPassportRow | undefined>; change: number }>
  changes: SettingChanges
}

const metadataCaches = perSharedDatabase(
  (sql: Sql): MetadataCache => ({ entries: new Map(), inFlight: new Map(), changes: settingChanges(sql) }),
)

/** The passport of a public id if it was read within the last second, or `withinMs`. Needs no database. */
export function findCachedMetadata(
  sql: Sql,
  id: string,
  now: Date,
  withinMs = FRESH_MS,
): PublicMetadata | undefined {
  const { entries, changes } = metadataCaches(sql)
  const entry = entries.get(id)
  // It has settings of the account in it.
  if (entry === undefined || !changes.hasNoneSince(entry.metadata.account_id, entry.change)) return undefined
  const age = now.getTime() - entry.at
  return age >= 0 && age < withinMs ? entry.metadata : undefined
}

/** Milliseconds since the passport was last read; 0 if never. */
export function getMetadataAge(sql: Sql, id: string, now: Date): number {
  return now.getTime() - (metadataCaches(sql).entries.get(id)?.at ?? now.getTime())
}

/** The passport of a public id; concurrent callers share one look-up. */
export function readPublicPassport(sql: Sql, id: string, now: Date): Promise<PublicPassportRow | undefined> {
  const cache = metadataCaches(sql)
  const change = cache.changes.now()
  const shared = cache.inFlight.get(id)
  if (shared?.change === change) return shared.row
  const uuid = parseId(id)
  if (uuid === undefined) return Promise.resolve(undefined)
  const query = { row: findPublicPassport(sql, uuid), change }
  cache.inFlight.set(id, query)
  const isNewest = () => cache.inFlight.get(id) === query
  query.row.then(
    row => {
      if (row !== undefined && isNewest()) cacheMetadata(cache, row, { at: now.getTime(), change })
      if (isNewest()) cache.inFlight.delete(id)
    },
    () => {
      if (isNewest()) cache.inFlight.delete(id)
    },
  )
  return query.row
}

/** The id is rebuilt, because the request's id is a slice that keeps the whole address in memory. */
function cacheMetadata(
  { entries }: MetadataCache,
  row: PublicPassportRow,
  { at, change }: Pick<Entry, 'at' | 'change'>,
): void {
  const { data: _, unit_fields: __, batch_fields: ___, recalls: ____, life: _____, ...metadata } = row
  const id = idFromUuid(row.id)
  // Maps keep the order of insertion: the oldest entries come first.
  entries.delete(id)
  entries.set(id, { metadata, at, change })
  for (const [oldest, entry] of entries) {
    const isKept = entries.size <= MAX_ENTRIES && at - entry.at < MAX_STALE_MS
    if (isKept) break
    entries.delete(oldest)
  }
}

/**
 * Call it after each change of a passport, so that the next reader in this process sees it, even if the
 * look-up began before.
 */
export function dropCachedMetadata(sql: Sql, uuid: string): void {
  afterCommit(sql, pool => {
    const { entries, inFlight } = metadataCaches(pool)
    const id = idFromUuid(uuid)
    entries.delete(id)
    inFlight.delete(id)
  })
}
