/** Writes a backup of a database with shards: a folder with a file for each part, each of one moment. */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { findUnfinishedMoves } from '../../accounts/placement/move-account.ts'
import { listSpreadAccounts } from '../../accounts/placement/restored-shards.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { readAppliedMigrations } from '../../kernel/db/migrate.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { writeNewFolder } from '../new-file.ts'
import { enterSchema, withPool, withSnapshot } from '../snapshot.ts'
import { listBackupTables } from '../tables.ts'
import { type BackupPart, getPartFile, listParts, SHARED_PART, selectTables } from './backup-parts.ts'
import type { BackupOptions, BackupSetup } from './backup-setup.ts'
import { type WrittenFile, writeTables } from './write-tables.ts'

/** `shared` has a snapshot, in which what the shards share is read. */
export async function createBackupSet(
  shared: Sql,
  setup: BackupSetup,
  options: BackupOptions,
  shards: readonly number[],
): Promise<WrittenFile> {
  const [unfinished] = await findUnfinishedMoves(shared)
  // The rows of this account may be on two shards.
  if (unfinished !== undefined) throw unavailable(`There is no backup now: ${unfinished}`)
  const id = randomUUID()
  const migrations = await readAppliedMigrations(shared)
  const spread = (await listSpreadAccounts(shared)).flatMap(({ id: account, shards: own }) =>
    own.length > 1 ? [{ account, shards: own }] : [],
  )
  return writeNewFolder(options.path, async folder => {
    const write = async (sql: Sql, part: BackupPart) => {
      await enterSchema(sql, part.shard)
      const path = join(folder, getPartFile(part))
      // PostgreSQL does not tell the size of tables on other nodes, so the share is not known.
      const progress = (table: string, bytes: number) =>
        options.progress?.(part.shard === null ? table : `${part.name}.${table}`, bytes)
      const tables = selectTables(part, await listBackupTables(sql))
      const set = { id, part: part.name, shards, spread }
      return {
        part,
        ...(await writeTables(
          sql,
          setup,
          { ...options, path, packsBeside: options.path, progress },
          tables,
          set,
        )),
      }
    }
    const written = [await write(shared, SHARED_PART)]
    for (const part of listParts(shards).slice(1))
      written.push(await withSnapshot(setup.openPool, sql => write(sql, part)))
    const now = await withPool(setup.openPool, readAppliedMigrations)
    if (now.length !== migrations.length)
      throw unavailable('The database was migrated while it was backed up. Make the backup again.')
    return sumUp(written)
  })
}

function sumUp(files: readonly (WrittenFile & { part: BackupPart })[]): WrittenFile {
  const sum = (key: 'bytes' | 'passports' | 'versions' | 'tables' | 'files' | 'missing_files') =>
    files.reduce((total, file) => total + file[key], 0)
  return {
    bytes: sum('bytes'),
    sha256: hashParts(files),
    passports: sum('passports'),
    versions: sum('versions'),
    tables: sum('tables'),
    files: sum('files'),
    missing_files: sum('missing_files'),
    created_at: files[0]?.created_at ?? '',
  }
}

/** A hash over the hashes of all files, in their order. */
export function hashParts(files: readonly { sha256: string; part: BackupPart }[]): string {
  const digest = createHash('sha256')
  for (const { sha256, part } of files) digest.update(`${sha256}  ${getPartFile(part)}\n`)
  return digest.digest('hex')
}
