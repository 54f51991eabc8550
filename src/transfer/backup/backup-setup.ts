/** The services and the place of a backup. */

import type { Sql } from '../../kernel/db/database.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import type { BackupKey } from './backup-key.ts'

export type BackupSetup = {
  /** Opens a pool of one connection, which the backup closes. */
  openPool: () => Sql
  clock: Clock
  key: BackupKey
  version: string
  /** Pictures and documents, which are copied beside the backup. */
  mediaStore: MediaStore
}

/**
 * `n`: bytes of a table, or a number of files. `share`: of all tables, from 0 to 1; undefined if it is not
 * known.
 */
export type TableProgress = (table: string, n: number, share?: number) => void

export type BackupOptions = {
  path: string
  /** The backup that files are put beside, if it is not `path`. */
  packsBeside?: string
  progress?: TableProgress
  signal?: AbortSignal
}
