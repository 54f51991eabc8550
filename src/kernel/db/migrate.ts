/**
 * Migrates a database to the version of this code: numbered SQL files, forward only, each in one transaction.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { unavailable } from '../errors.ts'
import { isLockTimeout, isTransient } from './database.ts'

type Sql = postgres.Sql | postgres.TransactionSql
type Migration = { number: number; name: string; text: string; checksum: string }
export type AppliedMigration = { number: number; name: string; checksum: string }

/** The class of Carnet's advisory locks (`CARN` in ASCII), and the lock of migrations in it. */
const LOCK_CLASS = 0x43_41_52_4e
const MIGRATING = 3
/**
 * While a migration waits for a table, all other statements that need the table wait behind it. After this
 * time the migration lets them through for a while and retries the whole file. By then PostgreSQL has stopped
 * its autovacuum and checked for deadlocks.
 */
const LOCK_TIMEOUT_MS = 1_500
const PAUSE_MS = 2_500
const MAX_WAIT_MS = 300_000

/**
 * Applies missing files in the order of numbers, up to `last`; of several processes, one applies each file.
 * Returns the names applied by this call and the highest number in the database. Throws `unavailable` if the
 * database is newer than the files, an applied file was changed, or a file fails; the files before it stay
 * applied.
 */
export async function migrate(
  sql: postgres.Sql,
  dir: string,
  now: Date,
  last = Number.POSITIVE_INFINITY,
): Promise<{ applied: string[]; version: number }> {
  const files = await readMigrations(dir)
  const applied: string[] = []
  for (const file of findPending(files, await readAppliedMigrations(sql))) {
    if (file.number > last) break
    if (await retryWhileLocked(file, () => applyOne(sql, files, file, now))) applied.push(file.name)
  }
  return { applied, version: files.findLast(file => file.number <= last)?.number ?? 0 }
}

/** Throws like `migrate` for a database with these migrations. */
export async function requireKnownMigrations(
  dir: string,
  applied: readonly AppliedMigration[],
): Promise<void> {
  findPending(await readMigrations(dir), applied)
}

/** The names of missing files. Throws like `migrate`. */
export async function listPendingMigrations(sql: postgres.Sql, dir: string): Promise<string[]> {
  const files = await readMigrations(dir)
  return findPending(files, await readAppliedMigrations(sql)).map(file => file.name)
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter(name => name.endsWith('.sql')).sort()
  const files: Migration[] = []
  for (const name of names) {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
    if (Number.isNaN(number))
      throw new Error(`${name} is not a valid name of a migration, such as 0007_what_it_adds.sql`)
    if (files.at(-1)?.number === number) throw new Error(`another migration has the same number as ${name}`)
    // A checkout may have changed the line ends.
    const text = (await readFile(join(dir, name), 'utf8')).replaceAll('\r\n', '\n')
    files.push({ number, name, text, checksum: createHash('sha256').update(text).digest('hex') })
  }
  return files
}

/** By number; empty for a database without our tables. */
export async function readAppliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<{ made: boolean }[]>`select to_regclass('schema_migration') is not null as made`
  if (!table?.made) return []
  return sql<AppliedMigration[]>`select number, name, checksum from schema_migration order by number`
}

function findPending(files: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const byNumber = new Map(files.map(file => [file.number, file]))
  for (const migration of applied) {
    const file = byNumber.get(migration.number)
    if (file === undefined) {
      throw unavailable(
        `The database is newer than this Carnet: it has the migration ${migration.name}, which this version does not include. A database is never downgraded: start the newer Carnet, or restore an older backup.`,
      )
    }
    if (file.checksum !== migration.checksum) {
      throw unavailable(
        `The migration ${file.name} was changed after it had been applied (as ${migration.name}). Restore the old text, and put the change into a new migration.`,
      )
    }
  }
  const done = new Set(applied.map(({ number }) => number))
  const last = applied.at(-1)
  const pending = files.filter(file => !done.has(file.number))
  const late = pending.find(file => last !== undefined && file.number < last.number)
  if (late && last) {
    throw unavailable(
      `The migration ${late.name} was added after ${last.name} had been applied: give it a higher number.`,
    )
  }
  return pending
}

/** Requests read and write meanwhile, and may lock tables in a different order than the file. */
async function retryWhileLocked<T>(file: Migration, apply: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await apply()
    } catch (error) {
      if (!isLockConflict(error)) throw error
      if (performance.now() > until) throw explainFailure(file, error)
      await pause(PAUSE_MS)
    }
  }
}

const isLockConflict = (error: unknown) => isTransient(error) || isLockTimeout(error)

/**
 * Returns false if another process was first. The lock belongs to the transaction, so it works behind a
 * pooler, too.
 */
function applyOne(
  sql: postgres.Sql,
  files: readonly Migration[],
  file: Migration,
  now: Date,
): Promise<boolean> {
  return sql.begin('isolation level read committed', async tx => {
    await tx`set local statement_timeout = 0`
    await tx`select pg_advisory_xact_lock(${LOCK_CLASS}::int, ${MIGRATING}::int)`
    await tx`
      create table if not exists schema_migration (
        number     integer primary key,
        name       text not null,
        checksum   text not null,
        applied_at timestamptz not null
      )`
    if (!findPending(files, await readAppliedMigrations(tx)).includes(file)) return false
    await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`
    try {
      await tx.unsafe(file.text).simple()
    } catch (error) {
      throw isLockConflict(error) ? error : explainFailure(file, error)
    }
    await tx`
      insert into schema_migration (number, name, checksum, applied_at)
      values (${file.number}, ${file.name}, ${file.checksum}, ${now})`
    return true
  })
}

function explainFailure(file: Migration, error: unknown): unknown {
  if (!(error instanceof Error && 'severity' in error)) return error
  const position = 'position' in error ? Number(error.position) : Number.NaN
  const line = Number.isNaN(position) ? '' : `, line ${file.text.slice(0, position).split('\n').length}`
  return unavailable(
    `The migration ${file.name}${line} failed, and nothing of it was applied: ${error.message}.`,
  )
}
