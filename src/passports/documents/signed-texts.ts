/**
 * Signed public documents as JSON. Reading an unchanged one again takes no statement, and nothing is built or
 * hashed.
 */
import { hash } from 'node:crypto'
import { listRevokedKeys, type SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { DocumentKind } from '../signed/signatures.ts'
import type { PlacedRow } from './setup.ts'

/** For all texts together, in each process: more than 10,000 documents of a kilobyte of data. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/** A longer document is built at each read. */
const MAX_TEXT_LENGTH = 65_536
/** About what an entry takes besides its text. */
const ENTRY_BYTES = 500

/** `source`: all that the text was made of. */
type Entry = { source: string; text: string; bytes: number }

const caches = perSharedDatabase(() => ({ entries: new Map<string, Entry>(), bytes: 0 }))
type Cache = ReturnType<typeof caches>

/**
 * The text that `build` makes for everybody of this row and issuer, and of nothing else that could change
 * while the process runs. `end`: when its signature expires.
 */
export async function getOrBuildText(
  sql: Sql,
  kind: DocumentKind,
  { row, issuer, end }: { row: PlacedRow; issuer: SecretIssuer; end: Date },
  build: () => Promise<string>,
): Promise<string> {
  const cache = caches(sql)
  const key = `${kind} ${row.id} ${row.version_no}`
  const source = describeRow(row) + describeIssuer(issuer) + end.toISOString()
  const known = cache.entries.get(key)
  if (known?.source === source) return known.text
  const text = await build()
  if (text.length <= MAX_TEXT_LENGTH) keep(cache, key, { source, text, bytes: measure(text) + ENTRY_BYTES })
  return text
}

/** All its members, so that none that a document comes to be built from can be forgotten. */
function describeRow({ data, ...others }: PlacedRow): string {
  return JSON.stringify(others) + hash('sha256', data, 'base64url')
}

/** Everything that documents can depend on. */
export const describeIssuer = perObject((issuer: SecretIssuer): string =>
  JSON.stringify([
    issuer.accountId,
    issuer.name,
    issuer.isSigning,
    issuer.signingKey?.number ?? null,
    listRevokedKeys(issuer),
    hash('sha256', issuer.commitKey ?? '', 'base64url'),
    issuer.identity,
  ]),
)

function keep(cache: Cache, key: string, entry: Entry): void {
  drop(cache, key)
  cache.entries.set(key, entry)
  cache.bytes += entry.bytes
  if (cache.bytes <= MAX_CACHED_BYTES) return
  // A share at a time, because the first key of a map is slow to find after deletions.
  for (const oldest of cache.entries.keys()) {
    if (cache.bytes <= MAX_CACHED_BYTES * 0.9) break
    drop(cache, oldest)
  }
}

function drop(cache: Cache, key: string): void {
  cache.bytes -= cache.entries.get(key)?.bytes ?? 0
  cache.entries.delete(key)
}

/** V8 stores texts outside of Latin-1 with two bytes a character. */
const measure = (text: string): number => text.length * (/[^\u0000-\u00ff]/.test(text) ? 2 : 1)
