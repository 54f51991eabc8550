/** Writes all tables at one moment into a backup file, while the server keeps running. */
import type { Readable } from 'node:stream'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { readAppliedMigrations } from '../../kernel/db/migrate.ts'
import { countHistories } from '../../passports/copies/verify.ts'
import { requireNewPath } from '../new-file.ts'
import { withSnapshot } from '../snapshot.ts'
import type { BackupKey } from './backup-key.ts'
import { listBackupTables } from './tables.ts'
import { type BackupEnd, type BackupFrame, writeBackupFile } from './write-backup-file.ts'

export type BackupSetup = {
  /** Opens a pool of one connection, which the backup closes. */
  openPool: () => Sql
  clock: Clock
  key: BackupKey
  version: string
}

type BackupOptions = {
  path: string
  progress?: (table: string, bytes: number) => void
  signal?: AbortSignal
}

export type BackupResult = {
  path: string
  bytes: number
  sha256: string
  passports: number
  versions: number
  tables: number
  created_at: string
  seconds: number
}

/** Rows are collected into chunks of this size, because writing single rows is slow. */
const CHUNK_BYTES = 262_144

/** Writes a backup from one snapshot. Throws `validation` if the file exists or the disk is full. */
export async function createBackup(setup: BackupSetup, options: BackupOptions): Promise<BackupResult> {
  await requireNewPath(options.path, 'a backup')
  const started = performance.now()
  return withSnapshot(setup.openPool, async sql => {
    const end: BackupEnd & { rows: Record<string, number> } = { rows: {}, ...(await countHistories(sql)) }
    const created_at = setup.clock.now().toISOString()
    const migrations = await readAppliedMigrations(sql)
    const header = {
      created_at,
      carnet: setup.version,
      secret_key_fingerprint: setup.key.fingerprint,
      migrations: migrations.map(({ number, name, checksum }) => ({ number, name, checksum })),
    }
    const target = { path: options.path, key: setup.key, signal: options.signal }
    const { sha256, bytes } = await writeBackupFile(target, header, readTables(sql, end, options))
    const { passports, versions, rows } = end
    const tables = Object.keys(rows).length
    const seconds = Math.round(performance.now() - started) / 1000
    return { path: options.path, bytes, sha256, passports, versions, tables, created_at, seconds }
  })
}

async function* readTables(
  sql: Sql,
  end: BackupEnd & { rows: Record<string, number> },
  { progress }: BackupOptions,
): AsyncGenerator<BackupFrame> {
  for (const table of await listBackupTables(sql)) {
    yield { type: 'table', table }
    let rows = 0
    let bytes = 0
    const copy = sql`copy (select ${sql(table.columns)} from ${sql(table.name)}) to stdout`
    for await (const data of readChunks(await copy.readable())) {
      for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) rows++
      bytes += data.length
      progress?.(table.name, bytes)
      yield { type: 'data', data }
    }
    end.rows[table.name] = rows
  }
  yield { type: 'end', end }
}

/**
 * The driver pauses its socket when rows arrive too fast, and resumes when the stream requests more. A
 * finished stream requests nothing, so `_read` must be called once: otherwise the connection would hang at
 * the next statement.
 */
async function* readChunks(rows: Readable): AsyncGenerator<Buffer> {
  let rowBuffers: Buffer[] = []
  let length = 0
  for await (const row of rows) {
    rowBuffers.push(row)
    length += row.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(rowBuffers)
    rowBuffers = []
    length = 0
  }
  rows._read(0)
  if (length > 0) yield Buffer.concat(rowBuffers)
}
