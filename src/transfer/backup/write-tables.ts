/** Reads tables and writes them into a backup file. */
import type { Sql } from '../../kernel/db/database.ts'
import { readAppliedMigrations } from '../../kernel/db/migrate.ts'
import { countHistories } from '../../passports/copies/verify.ts'
import { readChunks } from '../copy-rows.ts'
import type { BackupTable } from '../tables.ts'
import { packFiles } from './backup-files.ts'
import type { BackupSet } from './backup-parts.ts'
import type { BackupOptions, BackupSetup } from './backup-setup.ts'
import { type BackupEnd, type BackupFrame, writeBackupFile } from './write-backup-file.ts'

export type WrittenFile = {
  bytes: number
  /** The hash of the file; with shards, of the lines of hashes of its files. */
  sha256: string
  passports: number
  versions: number
  tables: number
  /** Pictures and documents in the backup. */
  files: number
  /** Those that were not in the store: deleted meanwhile, or lost. */
  missing_files: number
  created_at: string
}

/** Writes these tables into a file. `set` tells to which backup of several files it belongs. */
export async function writeTables(
  sql: Sql,
  setup: BackupSetup,
  options: BackupOptions,
  tables: readonly BackupTable[],
  set?: BackupSet,
): Promise<WrittenFile> {
  const { path, signal } = options
  const end: BackupEnd & { rows: Record<string, number> } = { rows: {}, ...(await countHistories(sql)) }
  const created_at = setup.clock.now().toISOString()
  const migrations = await readAppliedMigrations(sql)
  const header = {
    created_at,
    carnet: setup.version,
    secret_key_fingerprint: setup.key.fingerprint,
    migrations: migrations.map(({ number, name, checksum }) => ({ number, name, checksum })),
    ...(set && { set }),
  }
  const target = { path, key: setup.key, signal }
  const counts = { files: 0, missing_files: 0 }
  const frames = async function* (): AsyncGenerator<BackupFrame> {
    if (tables.some(({ name }) => name === 'media')) yield* readFiles(sql, setup, options, counts)
    yield* readTables(sql, tables, end, options)
  }
  const { sha256, bytes } = await writeBackupFile(target, header, frames())
  const { passports, versions, rows } = end
  return { bytes, sha256, passports, versions, tables: Object.keys(rows).length, ...counts, created_at }
}

/** First, so that a restore has written the files when it writes the rows. */
async function* readFiles(
  sql: Sql,
  setup: BackupSetup,
  options: BackupOptions,
  counts: { files: number; missing_files: number },
): AsyncGenerator<BackupFrame> {
  for await (const files of packFiles(sql, setup, options)) {
    for (const { pack } of files) counts[pack === null ? 'missing_files' : 'files']++
    yield { type: 'files', files }
  }
}

async function* readTables(
  sql: Sql,
  tables: readonly BackupTable[],
  end: BackupEnd & { rows: Record<string, number> },
  { progress }: BackupOptions,
): AsyncGenerator<BackupFrame> {
  const sizes = progress === undefined ? new Map() : await readSizes(sql, tables)
  const total = sum([...sizes.values()])
  let done = 0
  for (const table of tables) {
    const size = sizes.get(table.name) ?? 0
    yield { type: 'table', table }
    let rows = 0
    let bytes = 0
    const copy = sql`copy (select ${sql(table.columns)} from ${sql(table.name)}) to stdout`
    for await (const data of readChunks(await copy.readable())) {
      for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) rows++
      bytes += data.length
      // A row is of another size on the disk than in the file.
      progress?.(table.name, bytes, total === 0 ? undefined : (done + Math.min(bytes, size)) / total)
      yield { type: 'data', data }
    }
    done += size
    end.rows[table.name] = rows
  }
  yield { type: 'end', end }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

async function readSizes(sql: Sql, tables: readonly BackupTable[]): Promise<Map<string, number>> {
  const names = tables.map(({ name }) => name)
  const rows = await sql<{ name: string; bytes: number }[]>`
    select name, pg_table_size(quote_ident(name)::regclass)::bigint as bytes from unnest(${names}::text[]) name`
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}
