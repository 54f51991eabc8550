/**
 * Migrates a database to the version of this code: numbered SQL files, forward only, each in one transaction,
 * and then the functions. A file whose first line is `-- shard` runs for every shard and then for `public`,
 * each in one transaction. A file that was rewritten after it had been applied has a line `-- formerly` with
 * its checksum of then.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { unavailable } from '../errors/errors.ts'
import { distributeNewObjects, PROPAGATE_SETTINGS } from './citus.ts'
import { lockSchemas } from './create-shard.ts'
import { isDisconnection, isLockTimeout, isTransient } from './database.ts'
import {
  createMissingFunctions,
  type FunctionFile,
  listChangedFunctions,
  replaceChangedFunctions,
} from './functions.ts'
import { getSearchPath, getShardSchema, readShards } from './shards.ts'
import { splitStatements } from './split-statements.ts'

type Sql = postgres.Sql | postgres.TransactionSql
type Migration = SqlFile & { number: number; formerly: readonly string[]; isForShards: boolean }
type SqlFile = { name: string; text: string; checksum: string }
type Files = { migrations: Migration[]; functions: FunctionFile[] }
export type AppliedMigration = { number: number; name: string; checksum: string }

/**
 * While a migration waits for a table, all other statements that need the table wait behind it. After this
 * time the migration lets them through for a while and retries the whole file. By then PostgreSQL has stopped
 * its autovacuum and checked for deadlocks.
 */
const LOCK_TIMEOUT_MS = 1_500
const PAUSE_MS = 2_500
const MAX_WAIT_MS = 300_000

/**
 * Applies missing files in the order of numbers, up to `last`, and after the last of all the functions; of
 * several processes, one applies each file. Returns the names applied by this call and the highest number in
 * the database. Throws `unavailable` if the database is newer than the files, an applied file was changed, or
 * a file fails; the files before it stay applied.
 */
export async function migrate(
  sql: postgres.Sql,
  dir: string,
  now: Date,
  last = Number.POSITIVE_INFINITY,
): Promise<{ applied: string[]; version: number }> {
  const { migrations: files, functions } = await readFiles(dir)
  const applied: string[] = []
  const pending = findPending(files, await readAppliedMigrations(sql))
  if (pending.length > 0) await createMissingFunctions(sql, functions)
  for (const file of pending) {
    if (file.number > last) break
    let step: Step
    do step = await retryWhileLocked(file, () => applyStep(sql, files, file, now))
    while (step === 'shard')
    if (step === 'public') applied.push(file.name)
  }
  if (last >= (files.at(-1)?.number ?? 0)) applied.push(...(await replaceChangedFunctions(sql, functions)))
  return { applied, version: files.findLast(file => file.number <= last)?.number ?? 0 }
}

/** Throws like `migrate` for a database with these migrations. */
export async function requireKnownMigrations(
  dir: string,
  applied: readonly AppliedMigration[],
): Promise<void> {
  findPending((await readFiles(dir)).migrations, applied)
}

/**
 * The names of missing migrations and, for a database with some, of changed functions. Throws like `migrate`.
 */
export async function listPendingMigrations(sql: postgres.Sql, dir: string): Promise<string[]> {
  const { migrations, functions } = await readFiles(dir)
  const applied = await readAppliedMigrations(sql)
  const pending = findPending(migrations, applied).map(file => file.name)
  return applied.length === 0 ? pending : [...pending, ...(await listChangedFunctions(sql, functions))]
}

async function readFiles(dir: string): Promise<Files> {
  const names = (await readdir(dir, { recursive: true })).filter(name => name.endsWith('.sql')).sort()
  const files: Files = { migrations: [], functions: [] }
  for (const name of names) {
    // A checkout may have changed the line ends.
    const text = (await readFile(join(dir, name), 'utf8')).replaceAll('\r\n', '\n')
    const file = { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    if (name.startsWith('functions')) files.functions.push(file)
    else files.migrations.push(toMigration(file, files.migrations.at(-1)))
  }
  return files
}

function toMigration(file: SqlFile, before: Migration | undefined): Migration {
  const { name, text } = file
  const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
  if (Number.isNaN(number))
    throw new Error(`${name} is not a valid name of a migration, such as 0007_what_it_adds.sql`)
  if (before?.number === number) throw new Error(`another migration has the same number as ${name}`)
  const formerly = Array.from(
    text.matchAll(/^-- formerly ([0-9a-f]{64})$/gm),
    ([, checksum]) => checksum ?? '',
  )
  return { ...file, number, formerly, isForShards: text.startsWith('-- shard\n') }
}

/** By number; empty for a database without our tables. */
export async function readAppliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<{ made: boolean }[]>`select to_regclass('schema_migration') is not null as made`
  if (!table?.made) return []
  return sql<AppliedMigration[]>`select number, name, checksum from schema_migration order by number`
}

/** A text that changes when one of these shards, or `public`, is migrated. */
export async function readShardMigrations(sql: Sql, shards: readonly number[]): Promise<string> {
  const [row] = await sql<{ numbers: string }[]>`
    select concat_ws(' ', (select max(number) from public.schema_migration), (
      select string_agg(number::text, ' ' order by shard) from public.shard_migration
      where shard = any(${[...shards]}::int[]))) as numbers`
  return row?.numbers ?? ''
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
    if (![file.checksum, ...file.formerly].includes(migration.checksum)) {
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
 * The part that a transaction has migrated: one shard, or finally `public`; `none` if another process was
 * first.
 */
type Step = 'none' | 'shard' | 'public'

/** The lock belongs to the transaction, so it works behind a pooler, too. */
function applyStep(
  sql: postgres.Sql,
  files: readonly Migration[],
  file: Migration,
  now: Date,
): Promise<Step> {
  return sql.begin('isolation level read committed', async tx => {
    await tx.unsafe(PROPAGATE_SETTINGS)
    await tx`set local statement_timeout = 0`
    await lockSchemas(tx)
    await tx`
      create table if not exists schema_migration (
        number     integer primary key,
        name       text not null,
        checksum   text not null,
        applied_at timestamptz not null
      )`
    if (!findPending(files, await readAppliedMigrations(tx)).includes(file)) return 'none'
    const shards = await readShards(tx)
    const shard = file.isForShards ? await findShardBehind(tx, shards, file.number) : undefined
    await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await runStatements(tx, file, { shard, hasShards: shards.length > 0 })
    if (shard !== undefined) {
      await recordShards(tx, [shard], file.number)
      return 'shard'
    }
    if (shards.length > 0) {
      await distributeNewObjects(tx)
      await recordShards(tx, shards, file.number)
    }
    await tx`
      insert into schema_migration (number, name, checksum, applied_at)
      values (${file.number}, ${file.name}, ${file.checksum}, ${now})`
    return 'public'
  })
}

/** The first shard that lacks the migration; undefined if `public` is next. */
async function findShardBehind(
  tx: postgres.TransactionSql,
  shards: readonly number[],
  number: number,
): Promise<number | undefined> {
  if (shards.length === 0) return undefined
  const rows = await tx<{ shard: number }[]>`select shard from shard_migration where number >= ${number}`
  const done = new Set(rows.map(row => row.shard))
  return shards.find(shard => !done.has(shard))
}

async function recordShards(
  tx: postgres.TransactionSql,
  shards: readonly number[],
  number: number,
): Promise<void> {
  for (const shard of shards) {
    await tx`
      insert into shard_migration (shard, number) values (${shard}, ${number})
      on conflict (shard) do update set number = excluded.number`
  }
}

/** One by one: Citus cannot distribute a text of several statements. */
async function runStatements(
  tx: postgres.TransactionSql,
  file: Migration,
  { shard, hasShards }: { shard: number | undefined; hasShards: boolean },
): Promise<void> {
  if (shard !== undefined) await tx`select set_config('search_path', ${getSearchPath(shard)}, true)`
  for (const { text, start } of splitStatements(file.text)) {
    try {
      for (const part of hasShards ? separateConstraint(text) : [text]) await tx.unsafe(part)
    } catch (error) {
      throw isLockConflict(error) ? error : explainFailure(file, error, start, shard)
    }
  }
}

const LAST_CONSTRAINT = /^(alter table \S+)([\s\S]*),\s*(add (?:check|constraint)\b[\s\S]*)$/i

/** Citus adds a constraint to a distributed table only by a statement of its own. */
function separateConstraint(statement: string): string[] {
  const [, table, others, constraint] = LAST_CONSTRAINT.exec(statement) ?? []
  return constraint === undefined ? [statement] : [`${table}${others}`, `${table} ${constraint}`]
}

function explainFailure(file: Migration, error: unknown, start?: number, shard?: number): unknown {
  if (!(error instanceof Error && 'severity' in error) || isDisconnection(error)) return error
  const position = 'position' in error ? Number(error.position) : 1
  const end = start === undefined ? undefined : start + position - 1
  const line = end === undefined ? '' : `, line ${file.text.slice(0, end).split('\n').length}`
  const applied =
    shard === undefined
      ? ', and nothing of it was applied'
      : ` for ${getShardSchema(shard)}, which is as before`
  return unavailable(`The migration ${file.name}${line} failed${applied}: ${error.message}.`)
}
