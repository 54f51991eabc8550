/** A restore: a backup that is whole, of this key and of no newer version, into a store that is empty. */

import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { migrate, requireKnownMigrations } from '../../kernel/db/migrate.ts'
import { AppError, assert } from '../../kernel/errors.ts'
import { countHistories, findBrokenChains } from '../../passports/copies/verify.ts'
import type { BackupKey } from './backup-key.ts'
import { dropTables, requireEmptyStore } from './empty-store.ts'
import { type BackupFile, openBackupFile } from './read-backup-file.ts'
import { type BackupTable, EXCLUDED_TABLES, listBackupTables } from './tables.ts'
import type { BackupEnd } from './write-backup-file.ts'

export type RestoreSetup = {
  /** Opens a pool of one connection, which the restore ends. */
  openPool: () => Sql
  clock: Clock
  /** That of SECRET_KEY, and that of OLD_SECRET_KEY if there is one. */
  keys: readonly BackupKey[]
  /** The folder of the migrations. */
  migrations: string
}

export type RestoreResult = {
  passports: number
  versions: number
  tables: number
  bytes: number
  sha256: string
  created_at: string
  /** False for a backup of version 0.1: its contents are as trustworthy as the place where it lay. */
  sealed: boolean
  /** Fingerprint of the SECRET_KEY it was made with. */
  key: string
  /** Names of the migrations that brought an older backup to this version. */
  migrated: string[]
  /** Sentences about histories whose hashes are not right: they were so when the backup was made. */
  broken: string[]
}

type Progress = (table: string, bytes: number) => void

export type RestoreOptions = {
  path: string
  /** Also restores a backup of version 0.1, which has no seal. */
  acceptUnsealed?: boolean
  progress?: Progress
}

/**
 * Restores a backup. Nothing is written before its checksum, its seal, its version and the emptiness of the store are
 * known; what goes wrong later leaves the store empty. Throws `validation` with a sentence.
 */
export async function restoreBackup(setup: RestoreSetup, options: RestoreOptions): Promise<RestoreResult> {
  const { path, acceptUnsealed = false, progress } = options
  const file = await openBackupFile({ path, keys: setup.keys, acceptUnsealed })
  await requireKnownVersion(setup, file)
  const pool = setup.openPool()
  try {
    await requireEmptyStore(pool)
    await dropTables(pool)
    const now = setup.clock.now()
    await migrate(pool, setup.migrations, now, file.header.migrations.at(-1)?.number ?? 0)
    const counts = await load(pool, file, progress)
    const { applied } = await migrate(pool, setup.migrations, now)
    const broken = await settle(pool)
    const { sha256, bytes, isSealed: sealed, header } = file
    const { created_at, secret_key_fingerprint: key } = header
    return { ...counts, bytes, sha256, created_at, sealed, key, migrated: applied, broken }
  } finally {
    await pool.end({ timeout: 0 })
  }
}

async function requireKnownVersion({ migrations }: RestoreSetup, { header }: BackupFile): Promise<void> {
  try {
    await requireKnownMigrations(migrations, header.migrations)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(
      'validation',
      `The backup was made by Carnet ${header.carnet}, which is newer than this one or another: restore it with that one. (${error.message})`,
    )
  }
}

type Counts = { passports: number; versions: number; tables: number }

/** All tables in one transaction: they are there together, or the store is as empty as before. */
async function load(pool: Sql, file: BackupFile, progress: Progress | undefined): Promise<Counts> {
  const one = (await pool.reserve()) as unknown as Sql & { release: () => void }
  await one`begin`
  await one`set local statement_timeout = 0`
  await one`set local idle_in_transaction_session_timeout = 0`
  await quieten(one, 'disable')
  const { end, loaded } = await loadTables(one, file, progress)
  await requireAll(one, end, loaded)
  await quieten(one, 'enable')
  await one`commit`
  one.release()
  return { passports: end.passports, versions: end.versions, tables: loaded.length }
}

async function loadTables(
  sql: Sql,
  file: BackupFile,
  progress: Progress | undefined,
): Promise<{ end: BackupEnd; loaded: string[] }> {
  const known = await listBackupTables(sql)
  const loaded: string[] = []
  let sink: Sink | undefined
  let end: BackupEnd | undefined
  for await (const frame of file.frames()) {
    if (frame.type === 'data') {
      await sink?.write(frame.data)
      continue
    }
    await sink?.close()
    sink = undefined
    if (frame.type === 'end') end = frame.end
    // An older Carnet may have kept what this one leaves out.
    else if (!Object.hasOwn(EXCLUDED_TABLES, frame.table.name)) {
      const table = findTable(known, frame.table)
      loaded.push(table.name)
      await sql`delete from ${sql(table.name)}`
      sink = await copyIn(sql, table, progress)
    }
  }
  assert(end, 'a backup with the right checksum has an end')
  return { end, loaded }
}

/** By names of the database's own catalog: no text of the file becomes one of a statement. */
function findTable(
  known: readonly BackupTable[],
  { name, columns }: { name: string; columns: readonly string[] },
): BackupTable {
  const table = known.find(one => one.name === name)
  const own = columns.map(column => table?.columns.find(one => one === column))
  if (table === undefined || own.includes(undefined) || new Set(own).size !== own.length)
    throw new AppError(
      'validation',
      'The backup has a table or a column that its version of Carnet did not have.',
    )
  return { name: table.name, columns: own.filter(column => column !== undefined) }
}

type Sink = { write: (data: Buffer) => Promise<void>; close: () => Promise<void> }

async function copyIn(
  sql: Sql,
  { name, columns }: BackupTable,
  progress: Progress | undefined,
): Promise<Sink> {
  const stream: Writable = await sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
  const ended = finished(stream)
  ended.catch(() => undefined)
  let bytes = 0
  return {
    async write(data) {
      bytes += data.length
      progress?.(name, bytes)
      // A piece may be a part of a larger buffer that the socket still has to send.
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), ended])
    },
    async close() {
      stream.end()
      await ended
    },
  }
}

/** Triggers of ours would hand events out again, and refuse or seal what is only being put back. */
async function quieten(sql: Sql, how: 'disable' | 'enable'): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and c.relkind in ('r', 'p')`
  for (const { name } of tables) {
    if (how === 'disable') await sql`alter table ${sql(name)} disable trigger user`
    else await sql`alter table ${sql(name)} enable trigger user`
  }
}

async function requireAll(sql: Sql, end: BackupEnd, loaded: readonly string[]): Promise<void> {
  for (const name of loaded) {
    const [row] = await sql<{ n: number }[]>`select count(*)::bigint as n from ${sql(name)}`
    assert(row?.n === end.rows[name], `${name} has the ${end.rows[name]} rows of the backup`)
  }
  const { passports, versions } = await countHistories(sql)
  assert(passports === end.passports && versions === end.versions, 'as many versions as in the backup')
  const identities = await sql<{ table: string; column: string }[]>`
    select c.relname::text as "table", a.attname::text as "column"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and a.attidentity <> '' and not a.attisdropped`
  for (const { table, column } of identities) {
    await sql`
      select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}),
        (select coalesce(max(${sql(column)}), 0) + 1 from ${sql(table)}), false)`
  }
}

async function settle(pool: Sql): Promise<string[]> {
  // On a connection of its own no statement is too slow.
  const one = await pool.reserve()
  await one`set statement_timeout = 0`
  await one`analyze`
  const broken = await findBrokenChains(one)
  one.release()
  return broken
}
