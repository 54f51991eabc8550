/** A restore: a backup that is whole, of this key and of no newer version, into a store that is empty. */

import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import { AppError, assert } from '../kernel/errors.ts'
import { migrate, requireKnown } from '../kernel/migrate.ts'
import { countHistories, findBrokenChains } from '../passports/verify.ts'
import { type BackupEnd, type BackupFile, openBackupFile } from './backup-file.ts'
import { requireEmpty, sweepOut } from './empty-store.ts'
import type { Table } from './tables.ts'

export type RestoreSetup = {
  /** Opens a pool of one connection, which the restore ends. */
  openPool: () => Sql
  clock: Clock
  fingerprint: string
  /** The folder of the migrations. */
  migrations: string
}

export type RestoreResult = {
  passports: number
  versions: number
  tables: number
  sha256: string
  created_at: string
  /** Names of the migrations that brought an older backup to this version. */
  migrated: string[]
  /** Sentences about histories whose hashes are not right: they were so when the backup was made. */
  broken: string[]
}

type Progress = (table: string, bytes: number) => void

/**
 * Restores a backup. Nothing is written before its checksum, its key, its version and the emptiness of the store are
 * known; what goes wrong later leaves the store empty. Throws `validation` with a sentence.
 */
export async function restoreBackup(
  setup: RestoreSetup,
  wish: { path: string; progress?: Progress },
): Promise<RestoreResult> {
  const file = await openBackupFile(wish.path)
  await requireFitting(setup, file)
  const pool = setup.openPool()
  try {
    await requireEmpty(pool)
    await sweepOut(pool)
    const now = setup.clock.now()
    await migrate(pool, setup.migrations, now, file.header.migrations.at(-1)?.number ?? 0)
    const end = await load(pool, file, wish.progress)
    const { applied } = await migrate(pool, setup.migrations, now)
    const broken = await settle(pool)
    const { passports, versions, rows } = end
    const tables = Object.keys(rows).length
    const { sha256, header } = file
    return { passports, versions, tables, sha256, created_at: header.created_at, migrated: applied, broken }
  } finally {
    await pool.end({ timeout: 0 })
  }
}

async function requireFitting(
  { fingerprint, migrations }: RestoreSetup,
  { header }: BackupFile,
): Promise<void> {
  if (header.secret_key_fingerprint !== fingerprint) {
    throw new AppError(
      'validation',
      `The backup belongs to another SECRET_KEY (its fingerprint is ${header.secret_key_fingerprint}, that of the key here is ${fingerprint}). ` +
        'Set SECRET_KEY to the one it was made with, or put the file secret-key of then into DATA_DIR: without it, webhook secrets and cookies are lost.',
    )
  }
  try {
    await requireKnown(migrations, header.migrations)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(
      'validation',
      `The backup was made by Carnet ${header.carnet}, which is newer than this one or another: restore it with that one. (${error.message})`,
    )
  }
}

/** All tables in one transaction: they are there together, or the store is as empty as before. */
async function load(pool: Sql, file: BackupFile, progress: Progress | undefined): Promise<BackupEnd> {
  const one = (await pool.reserve()) as unknown as Sql & { release: () => void }
  await one`begin`
  await one`set local statement_timeout = 0`
  await one`set local idle_in_transaction_session_timeout = 0`
  await quieten(one, 'disable')
  const end = await loadTables(one, file, progress)
  await requireAll(one, end)
  await quieten(one, 'enable')
  await one`commit`
  one.release()
  return end
}

async function loadTables(sql: Sql, file: BackupFile, progress: Progress | undefined): Promise<BackupEnd> {
  let table: Table | undefined
  let sink: Sink | undefined
  let bytes = 0
  let end: BackupEnd | undefined
  for await (const frame of file.frames()) {
    if (frame.type === 'data') {
      assert(sink && table, 'data follows the table it is of')
      await sink.write(frame.data)
      bytes += frame.data.length
      progress?.(table.name, bytes)
      continue
    }
    await sink?.close()
    sink = undefined
    bytes = 0
    if (frame.type === 'end') end = frame.end
    else {
      table = { name: frame.table.name, columns: [...frame.table.columns] }
      await sql`delete from ${sql(table.name)}`
      sink = await copyIn(sql, table)
    }
  }
  assert(end, 'a backup with the right checksum has an end')
  return end
}

type Sink = { write: (data: Buffer) => Promise<void>; close: () => Promise<void> }

async function copyIn(sql: Sql, { name, columns }: Table): Promise<Sink> {
  const stream: Writable = await sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
  const ended = finished(stream)
  ended.catch(() => undefined)
  return {
    async write(data) {
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

async function requireAll(sql: Sql, end: BackupEnd): Promise<void> {
  for (const [name, expected] of Object.entries(end.rows)) {
    const [row] = await sql<{ n: number }[]>`select count(*)::bigint as n from ${sql(name)}`
    assert(row?.n === expected, `${name} has the ${expected} rows of the backup`)
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
