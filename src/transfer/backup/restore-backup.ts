/** Restores a backup into an empty store, if it is complete, has our key and is not from a newer version. */

import { ONE_CONNECTION_PER_NODE, replaceShards } from '../../kernel/db/citus.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { migrate, requireKnownMigrations } from '../../kernel/db/migrate.ts'
import { readShards } from '../../kernel/db/shards.ts'
import { AppError, assert, invalidInput } from '../../kernel/errors/errors.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import { discardMedia } from '../../media/upkeep/restored-media.ts'
import { findBrokenLogs } from '../../passports/copies/life-rows.ts'
import { countHistories, findBrokenChains } from '../../passports/copies/verify.ts'
import { copyIn, type Sink } from '../copy-rows.ts'
import { enterSchema, withPool } from '../snapshot.ts'
import { type BackupTable, EXCLUDED_TABLES, listBackupTables } from '../tables.ts'
import { alignParts } from './align-parts.ts'
import { createFileSink, type RestoringFiles } from './backup-files.ts'
import type { BackupKey } from './backup-key.ts'
import { type BackupPart, findTarget, requireSeparateShards } from './backup-parts.ts'
import { dropTables, requireEmptyStore } from './empty-store.ts'
import { type Backup, openBackup } from './open-backup.ts'
import type { BackupFile } from './read-backup-file.ts'
import {
  findRestoreRecord,
  type LoadedCounts,
  type RestoreRecord,
  writeRestoreRecord,
} from './restore-record.ts'
import { spreadAccounts } from './spread-accounts.ts'
import type { BackupEnd } from './write-backup-file.ts'

type RestoreSetup = {
  openPool: () => Sql
  clock: Clock
  /** From SECRET_KEY and, if set, OLD_SECRET_KEY. */
  keys: readonly BackupKey[]
  migrations: string
  mediaStore: MediaStore
}

export type RestoreResult = {
  passports: number
  versions: number
  tables: number
  /** Pictures and documents that were written to the store. */
  files: number
  bytes: number
  sha256: string
  created_at: string
  /** False for a backup of version 0.1: it is only as trustworthy as the place where it was stored. */
  sealed: boolean
  key: string
  /** When an earlier run that was interrupted loaded the data; null if this one did. */
  loaded_at: string | null
  migrated: string[]
  /** Messages about histories with wrong hashes: they were already wrong in the backup. */
  broken: string[]
}

/** `n` is undefined for the check at the end. */
type Progress = (step: string, n: number | undefined, share?: number) => void

type RestoreOptions = {
  path: string
  /** Also restores a backup of version 0.1, which has no seal. */
  acceptUnsealed?: boolean
  /** In a store without shards, creates those of a backup in which an account has several. */
  createsShards?: boolean
  /** Leaves the files alone: they are in the store already. */
  withoutFiles?: boolean
  progress?: Progress
}

/**
 * Restores into the schema of the store, or onto its shards, whatever the backup was made of. Checks
 * everything before writing; a later failure leaves the store empty, or loaded: then a repetition does what
 * is left. Throws `validation`.
 */
export async function restoreBackup(setup: RestoreSetup, options: RestoreOptions): Promise<RestoreResult> {
  const { path, acceptUnsealed = false, createsShards = false, withoutFiles, progress } = options
  const backup = await openBackup({ path, keys: setup.keys, acceptUnsealed })
  await requireKnownVersion(setup, backup)
  return withPool(setup.openPool, async pool => {
    const earlier = await findRestoreRecord(pool, backup.sha256)
    if (earlier?.stage === 'finished') throw alreadyRestored(earlier)
    const files = withoutFiles ? undefined : { mediaStore: setup.mediaStore, path }
    const record =
      earlier ?? (await loadIntoEmptyStore(pool, setup, { backup, createsShards, files, progress }))
    const { applied: migrated } = await migrate(pool, setup.migrations, setup.clock.now())
    if (record.stage === 'loaded')
      await spreadAccounts(pool, record.shards, sql =>
        writeRestoreRecord(sql, { ...record, stage: 'placed' }),
      )
    progress?.('checking all histories', undefined)
    const broken = [...record.counts.broken, ...(await analyzeAndVerify(pool, await readShards(pool)))]
    await writeRestoreRecord(pool, { ...record, stage: 'finished' })
    const { sha256, bytes, isSealed: sealed, header } = backup
    const { created_at, secret_key_fingerprint: key } = header
    const loaded_at = earlier?.loadedAt ?? null
    return { ...record.counts, bytes, sha256, created_at, sealed, key, loaded_at, migrated, broken }
  })
}

/** The store may have changed since then, so that the caller must not take it for the backup's state. */
const alreadyRestored = ({ loadedAt }: RestoreRecord) =>
  invalidInput(
    `This backup was already restored here, on ${loadedAt}. Nothing was changed now. To restore it once more, use a new DATA_DIR or a new database.`,
  )

type LoadOptions = {
  backup: Backup
  createsShards: boolean
  progress: Progress | undefined
  files: RestoringFiles | undefined
}

async function loadIntoEmptyStore(
  pool: Sql,
  { clock, migrations }: RestoreSetup,
  { backup, createsShards, files, progress }: LoadOptions,
): Promise<RestoreRecord> {
  const existing = await readShards(pool)
  const { set } = backup.header
  const isMissing = createsShards && existing.length === 0 && set !== undefined && set.spread.length > 0
  const shards = isMissing ? set.shards : existing
  if (set !== undefined) requireSeparateShards(set, shards)
  await requireEmptyStore(pool, existing)
  await dropTables(pool, existing)
  await migrate(pool, migrations, clock.now(), backup.header.migrations.at(-1)?.number ?? 0)
  if (backup.hasShards) await replaceShards(pool, shards)
  const isPlaced = backup.hasShards || shards.length === 0
  const target: LoadTarget = {
    shards: backup.hasShards ? shards : [],
    files,
    describe: counts => ({
      sha256: backup.sha256,
      loadedAt: clock.now().toISOString(),
      counts,
      shards,
      stage: isPlaced ? 'placed' : 'loaded',
    }),
  }
  return load(pool, backup, target, progress)
}

async function requireKnownVersion({ migrations }: RestoreSetup, { header }: Backup): Promise<void> {
  try {
    await requireKnownMigrations(migrations, header.migrations)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalidInput(
      `The backup was made by Carnet ${header.carnet}, which has migrations that this version does not know. Restore it with that version. (${error.message})`,
    )
  }
}

/** `files`: undefined if they are left alone. `describe`: what the database records about the restore. */
type LoadTarget = {
  shards: readonly number[]
  files: RestoringFiles | undefined
  describe: (counts: LoadedCounts) => RestoreRecord
}

/** Loads all tables in one transaction, so that a failure leaves the store empty. */
async function load(
  pool: Sql,
  backup: Backup,
  { shards, files, describe }: LoadTarget,
  progress: Progress | undefined,
): Promise<RestoreRecord> {
  const sql = await pool.reserve()
  await sql`begin`
  await sql`set local statement_timeout = 0`
  await sql`set local idle_in_transaction_session_timeout = 0`
  const schemas = [null, ...shards]
  if (shards.length > 0) await sql.unsafe(ONE_CONNECTION_PER_NODE)
  await switchTriggers(sql, schemas, 'disable')
  const expected = new Map<number | null, Record<string, number>>()
  const sum: LoadedCounts = { passports: 0, versions: 0, tables: 0, files: 0, broken: [] }
  let before = 0
  for (const { part, file } of backup.parts) {
    const schema = findTarget(part, shards)
    await enterSchema(sql, schema)
    const rows = expected.get(schema) ?? {}
    expected.set(schema, rows)
    const start = before
    const getShare = (bytes: number) => (start + bytes) / backup.bytes
    const end = await loadTables(sql, { part, file, rows, files, getShare }, progress)
    before += file.bytes
    sum.passports += end.passports
    sum.versions += end.versions
    sum.tables += Object.keys(end.rows).length
    sum.files += end.files
  }
  for (const [schema, rows] of expected) await requireComplete(sql, schema, rows)
  const { passports, versions } = await countAll(sql, [...expected.keys()])
  assert(passports === sum.passports && versions === sum.versions, 'as many versions as in the backup')
  await setSequences(sql)
  const parts = backup.parts.map(({ part }) => part)
  if (backup.hasShards)
    sum.broken = await alignParts(sql, { parts, shards, createdAt: backup.header.created_at })
  await switchTriggers(sql, schemas, 'enable')
  const record = describe(sum)
  await enterSchema(sql, null)
  await writeRestoreRecord(sql, record)
  await sql`commit`
  sql.release()
  return record
}

async function countAll(sql: Sql, schemas: readonly (number | null)[]) {
  const sum = { passports: 0, versions: 0 }
  for (const schema of schemas) {
    await enterSchema(sql, schema)
    const { passports, versions } = await countHistories(sql)
    sum.passports += passports
    sum.versions += versions
  }
  return sum
}

/** `rows`: how many each table must have, from this part and those loaded into the same schema before. */
type PartToLoad = {
  part: BackupPart
  file: BackupFile
  rows: Record<string, number>
  files: LoadTarget['files']
  /** How large a part of the backup is read after so many bytes of the file. */
  getShare: (bytes: number) => number
}

async function loadTables(
  sql: Sql,
  { part, file, rows, getShare, ...target }: PartToLoad,
  progress: Progress | undefined,
): Promise<BackupEnd & { files: number }> {
  const known = await listBackupTables(sql)
  let share = 0
  const onRead = (bytes: number) => {
    share = getShare(bytes)
  }
  const showProgress = (table: string, bytes: number) =>
    progress?.(part.shard === null ? table : `${part.name}.${table}`, bytes, share)
  const files = createFileSink(target.files)
  const before = { ...rows }
  const loaded: string[] = []
  let sink: Sink | undefined
  let end: BackupEnd | undefined
  for await (const frame of file.frames(onRead)) {
    if (frame.type === 'data') {
      await sink?.write(frame.data)
      continue
    }
    if (frame.type === 'files') {
      showProgress('files', await files.add(frame.files))
      continue
    }
    await sink?.close()
    sink = undefined
    if (frame.type === 'end') end = frame.end
    // An older version may have backed up tables that this one excludes.
    else if (!Object.hasOwn(EXCLUDED_TABLES, frame.table.name)) {
      const table = findTable(known, frame.table)
      const isFirst = before[table.name] === undefined
      // Rows of no account are the same on all shards.
      if (!isFirst && !table.columns.includes('account_id')) continue
      loaded.push(table.name)
      if (isFirst) await sql`delete from ${sql(table.name)}`
      sink = await copyIn(sql, table, showProgress)
    }
  }
  assert(end, 'a backup with the right checksum has an end')
  for (const name of loaded) rows[name] = (before[name] ?? 0) + (end.rows[name] ?? 0)
  await discardMedia(sql, files.missing)
  return { ...end, files: files.countRestored() }
}

/** Returns names from the database's catalogue, so that no text of the file gets into a statement. */
function findTable(
  known: readonly BackupTable[],
  { name, columns }: { name: string; columns: readonly string[] },
): BackupTable {
  const table = known.find(one => one.name === name)
  const own = columns.map(column => table?.columns.find(one => one === column))
  if (table === undefined || own.includes(undefined) || new Set(own).size !== own.length)
    throw invalidInput(
      'The backup has a table or a column that its version of Carnet did not have. Use another backup.',
    )
  return { name: table.name, columns: own.filter(column => column !== undefined) }
}

/** The triggers would deliver events again, and refuse or seal the restored rows. */
async function switchTriggers(
  sql: Sql,
  schemas: readonly (number | null)[],
  mode: 'disable' | 'enable',
): Promise<void> {
  for (const schema of schemas) {
    await enterSchema(sql, schema)
    const tables = await sql<{ name: string }[]>`
      select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and c.relkind in ('r', 'p')`
    for (const { name } of tables) {
      if (mode === 'disable') await sql`alter table ${sql(name)} disable trigger user`
      else await sql`alter table ${sql(name)} enable trigger user`
    }
  }
}

async function requireComplete(
  sql: Sql,
  schema: number | null,
  rows: Readonly<Record<string, number>>,
): Promise<void> {
  await enterSchema(sql, schema)
  for (const [name, expected] of Object.entries(rows)) {
    const [row] = await sql<{ n: number }[]>`select count(*)::bigint as n from ${sql(name)}`
    assert(row?.n === expected, `${name} has the ${expected} rows of the backup`)
  }
}

async function setSequences(sql: Sql): Promise<void> {
  await enterSchema(sql, null)
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

async function analyzeAndVerify(pool: Sql, shards: readonly number[]): Promise<string[]> {
  // A reserved connection, so that the timeout is off for these statements only.
  const sql = await pool.reserve()
  await sql`set statement_timeout = 0`
  await sql`analyze`
  const broken: string[] = []
  await sql`begin`
  for (const schema of [null, ...shards]) {
    await enterSchema(sql, schema)
    broken.push(...(await findBrokenChains(sql)), ...(await findBrokenLogs(sql)))
  }
  await sql`commit`
  sql.release()
  return broken
}
