/**
 * Records in the database which backup was loaded into it, so that a repeated restore does what an
 * interrupted one left. The record is a comment on a table: databases of older versions can have it, and the
 * transaction that loads the backup writes it.
 */
import type { Sql } from '../../kernel/db/database.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'

export type LoadedCounts = {
  passports: number
  versions: number
  tables: number
  files: number
  broken: string[]
}

export type RestoreRecord = {
  /** The digest of the backup. */
  sha256: string
  loadedAt: string
  counts: LoadedCounts
  /** Shards that the accounts of a backup without shards get. */
  shards: readonly number[]
  /** `loaded`: accounts are to be spread onto `shards`. `placed`: migrations and checks are left. */
  stage: 'loaded' | 'placed' | 'finished'
}

/** `sql` may be in a transaction, and is in the schema that has the table of migrations. */
export async function writeRestoreRecord(sql: Sql, record: RestoreRecord): Promise<void> {
  const text = JSON.stringify({ carnetRestore: record })
  // PostgreSQL takes no parameter here.
  const [row] = await sql<{ statement: string }[]>`
    select format('comment on table schema_migration is %L', ${text}::text) as statement`
  if (row !== undefined) await sql.unsafe(row.statement)
}

/** Undefined if no backup with this checksum was loaded here. */
export async function findRestoreRecord(sql: Sql, sha256: string): Promise<RestoreRecord | undefined> {
  const [row] = await sql<{ text: string | null }[]>`
    select obj_description(to_regclass('schema_migration'), 'pg_class') as text`
  const found: { carnetRestore?: RestoreRecord } | undefined = tryParseJson(row?.text ?? '')
  return found?.carnetRestore?.sha256 === sha256 ? found.carnetRestore : undefined
}
