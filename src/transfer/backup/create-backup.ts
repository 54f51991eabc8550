/** A backup: every table as it stood at one moment, while the server goes on, into one file. */
import type { Readable } from 'node:stream'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { readAppliedMigrations } from '../../kernel/db/migrate.ts'
import { AppError } from '../../kernel/errors.ts'
import { pathExists } from '../../kernel/process/private-file.ts'
import { countHistories } from '../../passports/copies/verify.ts'
import type { BackupKey } from './backup-key.ts'
import { type BackupTable, listBackupTables } from './tables.ts'
import { type BackupEnd, type BackupFrame, writeBackupFile } from './write-backup-file.ts'

export type BackupSetup = {
  /** Opens a pool of one connection, which the backup ends, also in the middle of a table. */
  openPool: () => Sql
  clock: Clock
  key: BackupKey
  /** Version of this Carnet. */
  version: string
}

export type BackupOptions = {
  path: string
  /** Told of every piece: the table it is of, and the bytes of it so far. */
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

/** Rows are gathered to pieces of this size: one by one they cost more than they are worth. */
const CHUNK_BYTES = 262_144

/**
 * Writes a backup; reads in one snapshot, takes no lock that a writer would wait for. Throws `validation` when there is
 * a file of that name already, or the disk is full.
 */
export async function createBackup(setup: BackupSetup, wish: BackupOptions): Promise<BackupResult> {
  if (await pathExists(wish.path))
    throw new AppError('validation', `${wish.path} is there already, and a backup replaces nothing.`)
  const started = performance.now()
  const pool = setup.openPool()
  try {
    const one = (await pool.reserve()) as unknown as Sql
    await one`begin isolation level repeatable read read only`
    await one`set local statement_timeout = 0`
    await one`set local idle_in_transaction_session_timeout = 0`
    const end: BackupEnd & { rows: Record<string, number> } = { rows: {}, ...(await countHistories(one)) }
    const created_at = setup.clock.now().toISOString()
    const migrations = await readAppliedMigrations(one)
    const header = {
      created_at,
      carnet: setup.version,
      secret_key_fingerprint: setup.key.fingerprint,
      migrations: migrations.map(({ number, name, checksum }) => ({ number, name, checksum })),
    }
    const target = { path: wish.path, key: setup.key, signal: wish.signal }
    const { sha256, bytes } = await writeBackupFile(target, header, readTables(one, end, wish))
    const { passports, versions, rows } = end
    const tables = Object.keys(rows).length
    const seconds = Math.round(performance.now() - started) / 1000
    return { path: wish.path, bytes, sha256, passports, versions, tables, created_at, seconds }
  } finally {
    await pool.end({ timeout: 0 })
  }
}

async function* readTables(
  one: Sql,
  end: BackupEnd & { rows: Record<string, number> },
  { progress }: BackupOptions,
): AsyncGenerator<BackupFrame> {
  for (const table of await listBackupTables(one)) {
    yield { type: 'table', table }
    let rows = 0
    let bytes = 0
    for await (const data of readChunks(await copyOut(one, table))) {
      for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) rows++
      bytes += data.length
      progress?.(table.name, bytes)
      yield { type: 'data', data }
    }
    end.rows[table.name] = rows
  }
  yield { type: 'end', end }
}

const copyOut = (sql: Sql, { name, columns }: BackupTable): Promise<Readable> =>
  sql`copy (select ${sql(columns)} from ${sql(name)}) to stdout`.readable()

/**
 * The driver stops reading from its socket when rows come faster than they are taken, and goes on when the stream asks
 * for more; one that has got its end asks no more, and the connection would stand still for the next statement.
 */
async function* readChunks(rows: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let length = 0
  for await (const row of rows) {
    held.push(row)
    length += row.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(held)
    held = []
    length = 0
  }
  rows._read(0)
  if (length > 0) yield Buffer.concat(held)
}
