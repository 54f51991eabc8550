/** Backups made by themselves into a folder, where the names say when: what is there tells when the next is due. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../../kernel/db/database.ts'
import { deletePartialFiles } from '../../kernel/process/private-file.ts'
import { type BackupResult, type BackupSetup, createBackup } from './create-backup.ts'

export type BackupSchedule = BackupSetup & { dir: string; everyMs: number; keep: number }

/** `left`: a sentence for each old one that should have gone and could not be deleted. */
export type ScheduledBackupResult = BackupResult & { notDeleted: string[] }

const NAME = /^carnet-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/

/** `CARN` as the class of all of our advisory locks, and the one of backups in it. */
const LOCK_CLASS = 0x43_41_52_4e
const BACKING_UP = 17

/**
 * Makes a backup when the newest in the folder is old enough, and removes the oldest beyond those to keep. Of several
 * processes one does it: whoever has the lock, which ends with its connection. Undefined when nothing was to be done.
 */
export async function createBackupWhenDue(
  wish: BackupSchedule,
  signal?: AbortSignal,
): Promise<ScheduledBackupResult | undefined> {
  await mkdir(wish.dir, { recursive: true })
  if (!(await isDue(wish))) return undefined
  const pool = wish.openPool()
  try {
    const one = (await pool.reserve()) as unknown as Sql
    await one`begin`
    await one`set local idle_in_transaction_session_timeout = 0`
    const [lock] = await one<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${LOCK_CLASS}::int, ${BACKING_UP}::int) as mine`
    // Whoever had the lock may have just been done.
    if (!lock?.mine || !(await isDue(wish))) return undefined
    // Whoever holds the lock is the only one who writes: what is unfinished was left by a process that was killed.
    await deletePartialFiles(wish.dir, NAME)
    const path = join(wish.dir, nameAt(wish.clock.now()))
    const made = await createBackup(wish, { path, ...(signal ? { signal } : {}) })
    return { ...made, notDeleted: await prune(wish) }
  } finally {
    await pool.end({ timeout: 0 })
  }
}

async function prune({ dir, keep }: BackupSchedule): Promise<string[]> {
  const left: string[] = []
  for (const name of (await backupsIn(dir)).slice(0, -keep)) {
    try {
      await rm(join(dir, name))
    } catch (error) {
      left.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return left
}

const nameAt = (time: Date) => `carnet-${time.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.backup`

/** Oldest first. */
const backupsIn = async (dir: string) => (await readdir(dir)).filter(name => NAME.test(name)).sort()

export type LastBackup = { path: string; at: Date; bytes: number }

/** The newest backup in a folder, by its name; undefined when there is none. */
export async function findLastBackup(dir: string): Promise<LastBackup | undefined> {
  const name = (await backupsIn(dir)).at(-1)
  if (name === undefined) return undefined
  const path = join(dir, name)
  return { path, at: timeIn(name), bytes: (await stat(path)).size }
}

const timeIn = (name: string) => new Date(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))

async function isDue({ dir, everyMs, clock }: BackupSchedule): Promise<boolean> {
  const newest = (await backupsIn(dir)).at(-1)
  if (newest === undefined) return true
  const age = clock.now().getTime() - timeIn(newest).getTime()
  // One from the future is of a clock that has been put right since.
  return age >= everyMs || age < -everyMs
}
