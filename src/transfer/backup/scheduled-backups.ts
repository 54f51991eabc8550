/** Scheduled backups into a folder. The time in the file names tells when the next is due. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { deletePartialFiles } from '../../kernel/process/private-file.ts'
import { withPool } from '../snapshot.ts'
import { isBackupFolder } from './backup-parts.ts'
import type { BackupSetup } from './backup-setup.ts'
import { type BackupResult, createBackup } from './create-backup.ts'
import { openFilePacks } from './file-packs.ts'

export type BackupSchedule = BackupSetup & { dir: string; everyMs: number; keep: number }

/** `notDeleted`: a message for each old backup that could not be deleted. */
type ScheduledBackupResult = BackupResult & { notDeleted: string[] }

const NAME = /^carnet-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/

/** `CARN` is the class of all our advisory locks. */
const LOCK_CLASS = 0x43_41_52_4e
const BACKUP_LOCK = 17

/**
 * Makes a backup if the newest is old enough, and deletes the oldest beyond `keep`. A lock that ends with its
 * connection admits only one of several processes. Returns undefined if nothing was due.
 */
export async function createBackupWhenDue(
  schedule: BackupSchedule,
  signal?: AbortSignal,
): Promise<ScheduledBackupResult | undefined> {
  await mkdir(schedule.dir, { recursive: true })
  if (!(await isDue(schedule))) return undefined
  return withPool(schedule.openPool, async pool => {
    const sql = await pool.reserve()
    await sql`begin`
    await sql`set local idle_in_transaction_session_timeout = 0`
    const [lock] = await sql<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${LOCK_CLASS}::int, ${BACKUP_LOCK}::int) as mine`
    // Another process may have just finished one.
    if (!lock?.mine || !(await isDue(schedule))) return undefined
    // Only the holder of the lock writes, so any partial file is from a killed process.
    await deletePartialFiles(schedule.dir, NAME, isBackupFolder)
    const path = join(schedule.dir, formatName(schedule.clock.now()))
    const made = await createBackup(schedule, { path, ...(signal ? { signal } : {}) })
    const notDeleted = await deleteOldest(schedule, path)
    if (notDeleted.length === 0) await deleteUnneededPacks(schedule)
    // The end of the connection releases the lock, too, but a moment after this returns.
    await sql`commit`
    return { ...made, notDeleted }
  })
}

/** The clocks of processes differ by less. */
const MARGIN_MS = 3_600_000

/** For files that no backup in the folder has: each backup marks those it needs with its time. */
async function deleteUnneededPacks({ dir }: BackupSchedule): Promise<void> {
  const [oldest] = await listBackups(dir)
  if (oldest === undefined) return
  await openFilePacks(join(dir, oldest)).deleteOlderThan(new Date(parseTime(oldest).getTime() - MARGIN_MS))
}

/** Never the one just made: after a clock was set back, its name may be the oldest. */
async function deleteOldest({ dir, keep }: BackupSchedule, made: string): Promise<string[]> {
  const failures: string[] = []
  const others = (await listBackups(dir)).filter(name => join(dir, name) !== made)
  for (const name of others.slice(0, Math.max(0, others.length - keep + 1))) {
    try {
      const path = join(dir, name)
      const files = await listFiles(path)
      await rm(path, { recursive: files !== undefined && isBackupFolder(files) })
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failures
}

const formatName = (time: Date) => `carnet-${time.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.backup`

/** Oldest first. */
const listBackups = async (dir: string) => (await readdir(dir)).filter(name => NAME.test(name)).sort()

export async function findLastBackup(dir: string) {
  const name = (await listBackups(dir)).at(-1)
  if (name === undefined) return undefined
  const path = join(dir, name)
  let bytes = 0
  for (const file of (await listFiles(path)) ?? ['']) bytes += (await stat(join(path, file))).size
  return { path, at: parseTime(name), bytes }
}

/** Undefined for a path that is no folder. */
const listFiles = async (path: string): Promise<string[] | undefined> =>
  (await stat(path)).isDirectory() ? readdir(path) : undefined

const parseTime = (name: string) => new Date(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))

async function isDue({ dir, everyMs, clock }: BackupSchedule): Promise<boolean> {
  const now = clock.now().getTime()
  // A backup from the future was made while the clock was wrong.
  return (await listBackups(dir)).every(name => Math.abs(now - parseTime(name).getTime()) >= everyMs)
}
