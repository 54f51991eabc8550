/** Writes all tables at one moment into a backup file, while the server keeps running. */
import type { Sql } from '../../kernel/db/database.ts'
import { holdPlacement } from '../../kernel/db/placement-lock.ts'
import { readShards } from '../../kernel/db/shards.ts'
import { requireNewPath } from '../new-file.ts'
import { withSnapshot } from '../snapshot.ts'
import { listBackupTables } from '../tables.ts'
import { packNewFiles } from './backup-files.ts'
import type { BackupOptions, BackupSetup } from './backup-setup.ts'
import { createBackupSet } from './create-backup-set.ts'
import { type WrittenFile, writeTables } from './write-tables.ts'

export type BackupResult = WrittenFile & { path: string; seconds: number }

/**
 * Writes a backup: a file from one snapshot or, with shards, a folder with a file for each. Waits while an
 * account is moved. Throws `validation` if it exists or the disk is full, and `unavailable` if a move was
 * interrupted.
 */
export async function createBackup(setup: BackupSetup, options: BackupOptions): Promise<BackupResult> {
  await requireNewPath(options.path, 'a backup')
  const started = performance.now()
  const write = async (sql: Sql) => {
    const shards = await readShards(sql)
    return shards.length > 0
      ? createBackupSet(sql, setup, options, shards)
      : writeTables(sql, setup, options, await listBackupTables(sql))
  }
  await packNewFiles(setup, options)
  const made = await withSnapshot(setup.openPool, write, holdPlacement)
  const seconds = Math.round(performance.now() - started) / 1000
  return { path: options.path, ...made, seconds }
}
