/** Scheduled tasks. Any process may run them, and another one continues what a stopped process left undone. */
import { deleteExpiredKeys } from '../accounts/idempotency.ts'
import { deleteExpiredShares } from '../accounts/limits/rate-ledger.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db/database.ts'
import { idFromUuid } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { resumeRefreshes, stopRefreshes, takeRefreshFaults } from '../passports/units/refresh-job.ts'
import { deleteOldScans } from '../scans/delete-old-scans.ts'
import { type BackupSchedule, createBackupWhenDue } from '../transfer/backup/scheduled-backups.ts'
import { resumeImports, stopImports, takeImportErrors } from '../transfer/spreadsheets/run-import.ts'
import { deleteOldImports } from '../transfer/spreadsheets/spreadsheet-import.ts'
import { deleteExpired } from '../webhooks/retention.ts'
import { unstick } from '../webhooks/unstick.ts'
import { type ThrottledLogger, throttledLogger } from './throttled-logger.ts'

const RESUME_INTERVAL_MS = 5_000
const RETENTION_INTERVAL_MS = 300_000
/** How often a process checks whether old scans are due for deletion; they are due every ten minutes. */
const SCAN_CLEANING_INTERVAL_MS = 60_000
const BACKUP_CHECK_INTERVAL_MS = 20_000
/** Deletions in a row, of some thousand rows each. The rest waits for the next run. */
const MAX_STEPS = 200

export type ScheduledTasks = { stop: () => Promise<void> }

/** `queue`: a pool for queues, see `openPool`. */
export type ScheduledTasksSetup = {
  sql: Sql
  queue: Sql
  clock: Clock
  log: Log
  /** Undefined when the operator wants none. */
  backups?: BackupSchedule | undefined
}

/** Runs each task at once and then at its interval. `stop` waits for the current steps to end. */
export function startScheduledTasks({
  sql,
  queue,
  clock,
  log,
  backups,
}: ScheduledTasksSetup): ScheduledTasks {
  let isStopping = false
  const stopping = new AbortController()
  const passIfStopping = (error: unknown): undefined => {
    if (!isStopping) throw error
  }
  const keep = async () => {
    const made = backups && (await createBackupWhenDue(backups, stopping.signal).catch(passIfStopping))
    if (!made) return
    const { path, bytes, passports, seconds, notDeleted } = made
    log.info({ file: path, bytes, passports, seconds }, 'backup made')
    if (notDeleted.length > 0)
      log.error({ file: path, left: notDeleted }, 'the backup was made, and older ones could not be deleted')
  }
  const resume = async () => {
    const resumed = await resumeRefreshes(sql, clock)
    if (resumed > 0) log.info({ jobs: resumed }, 'refreshes resumed')
    for (const { id, error } of takeRefreshFaults(sql))
      log.error({ job: idFromUuid(id), err: error }, 'a refresh failed; it is resumed')
  }
  const resumeSheets = async () => {
    const resumed = await resumeImports(sql, clock)
    if (resumed > 0) log.info({ sheets: resumed }, 'spreadsheet imports resumed')
    for (const { id, error } of takeImportErrors(sql))
      log.error({ sheet: idFromUuid(id), err: error }, 'a spreadsheet import failed; it is resumed')
  }
  const forget = async () => {
    await deleteExpiredKeys(sql, clock.now())
    await deleteExpiredShares(sql, clock.now())
    await deleteOldImports(sql, clock.now())
  }
  const clear = async () => {
    for (let step = 0; step < MAX_STEPS && !isStopping; step++) {
      const removed = await deleteExpired({ sql: queue, clock })
      if (Object.values(removed).every(count => count === 0)) return
    }
  }
  const free = async () => {
    const freed = await unstick({ sql: queue, clock })
    if (Object.values(freed).some(count => count > 0))
      log.warn(freed, 'a clock was ahead: webhooks scheduled by it are due now')
  }
  const clean = async () => {
    await deleteOldScans({ sql, clock }, () => isStopping)
  }
  const unlooked = (work: string) => throttledLogger(log, 'warn', { work }, 'a scheduled task failed')
  const noBackup = (dir: string) =>
    throttledLogger(log, 'error', { work: 'backups' }, `no backup can be made in ${dir} (BACKUP_DIR)`)
  const chores = [
    repeat(resume, RESUME_INTERVAL_MS, unlooked('refreshes')),
    repeat(resumeSheets, RESUME_INTERVAL_MS, unlooked('sheets')),
    repeat(forget, RESUME_INTERVAL_MS, unlooked('expired rows')),
    repeat(clean, SCAN_CLEANING_INTERVAL_MS, unlooked('old scans')),
    repeat(clear, RETENTION_INTERVAL_MS, unlooked('old deliveries')),
    repeat(free, RETENTION_INTERVAL_MS, unlooked('webhooks scheduled by a wrong clock')),
    ...(backups === undefined ? [] : [repeat(keep, BACKUP_CHECK_INTERVAL_MS, noBackup(backups.dir))]),
  ]
  return {
    async stop() {
      isStopping = true
      stopping.abort()
      await Promise.all([...chores.map(chore => chore.stop()), stopRefreshes(sql), stopImports(sql)])
    },
  }
}

/** Runs `work` at once and then at an interval, never twice at a time. */
function repeat(work: () => Promise<void>, everyMs: number, complaint: ThrottledLogger): ScheduledTasks {
  let running: Promise<void> | undefined
  const once = async () => {
    try {
      await work()
      complaint.recovered()
    } catch (error) {
      complaint.failed(error)
    }
    running = undefined
  }
  const look = () => {
    running ??= once()
  }
  look()
  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
