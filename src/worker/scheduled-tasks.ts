/** Scheduled tasks. Several processes may run them, and resume the jobs that a stopped process left. */
import { deleteExpiredKeys } from '../accounts/idempotency/idempotency.ts'
import { deleteExpiredShares } from '../accounts/limits/stored-shares.ts'
import { idFromUuid } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { Log } from '../kernel/errors/log.ts'
import type { Clock } from '../kernel/values/clock.ts'
import { deleteOldDrafts } from '../passports/drafts/store-drafts.ts'
import { createFactsTask } from '../passports/readiness/facts.ts'
import type { RegistrySetup } from '../passports/registry/check-entries.ts'
import { createRegistryTask } from '../passports/registry/registry-task.ts'
import { createDueRoots, stampRoots, type TimeStamping } from '../passports/signed/daily-roots.ts'
import { resumeRefreshes, stopRefreshes, takeRefreshFailures } from '../passports/units/refresh-job.ts'
import { deleteOldScans } from '../scans/delete-old-scans.ts'
import { type BackupSchedule, createBackupWhenDue } from '../transfer/backup/scheduled-backups.ts'
import { resumeImports, stopImports, takeImportFailures } from '../transfer/spreadsheets/import/run-import.ts'
import { deleteOldImports } from '../transfer/spreadsheets/import/spreadsheet-import.ts'
import { deleteExpiredWebhookRows } from '../webhooks/retention.ts'
import { unstickDeliveries } from '../webhooks/unstick.ts'
import type { MediaFetcherSetup } from './media-fetcher.ts'
import { startMediaTasks } from './media-tasks.ts'
import { repeat } from './repeat.ts'
import { createThrottledLogger } from './throttled-logger.ts'

const RESUME_INTERVAL_MS = 5_000
const RETENTION_INTERVAL_MS = 300_000
/** How often a process checks whether old scans are due for deletion; they are due every ten minutes. */
const SCAN_CHECK_INTERVAL_MS = 60_000
const BACKUP_CHECK_INTERVAL_MS = 20_000
/** How often a process looks for accounts whose passports have changed. */
const FACTS_INTERVAL_MS = 15_000
/** How often a process looks for daily roots that are due, or have no time stamp. */
const ROOTS_INTERVAL_MS = 600_000
/** How often a process looks for passports whose lines for the EU registry must be compared with them. */
const REGISTRY_INTERVAL_MS = 5_000
/** Calls of `deleteExpiredWebhookRows` in one run. The rest waits for the next run. */
const MAX_DELETE_CALLS = 200

type ScheduledTasksSetup = {
  sql: Sql
  /** A separate connection pool, so that deliveries and requests do not wait for each other. */
  deliverySql: Sql
  clock: Clock
  log: Log
  /** The setup for the lines for the EU registry. */
  registry: RegistrySetup
  timeStamping?: TimeStamping
  /** `outbound` only fetches files. */
  media: Pick<MediaFetcherSetup, 'mediaStore' | 'preparer' | 'outbound' | 'slots'>
  /** Undefined if the operator wants no backups. */
  backups?: BackupSchedule | undefined
}

/** Runs each task at once and then at its interval. `stop` waits for the current steps to end. */
export function startScheduledTasks(setup: ScheduledTasksSetup) {
  const { sql, deliverySql, clock, log, registry, backups } = setup
  const stopping = new AbortController()
  const { signal } = stopping
  const ignoreIfStopping = (error: unknown): undefined => {
    if (!signal.aborted) throw error
  }
  const makeBackup = async () => {
    const backup = backups && (await createBackupWhenDue(backups, signal).catch(ignoreIfStopping))
    if (!backup) return
    const { path, bytes, passports, files, missing_files, seconds, notDeleted } = backup
    log.info({ file: path, bytes, passports, files, missing_files, seconds }, 'backup made')
    if (notDeleted.length > 0)
      log.error({ file: path, notDeleted }, 'the backup was made, but older ones could not be deleted')
  }
  const resumeStoppedRefreshes = async () => {
    const resumed = await resumeRefreshes(sql, clock)
    if (resumed > 0) log.info({ jobs: resumed }, 'refreshes resumed')
    for (const { id, error } of takeRefreshFailures(sql))
      log.error({ job: idFromUuid(id), err: error }, 'a refresh failed; it is resumed')
  }
  const resumeStoppedImports = async () => {
    const rules = { publicUrl: registry.addresses.publicUrl, policy: setup.media.outbound.policy }
    const resumed = await resumeImports(sql, clock, rules)
    if (resumed > 0) log.info({ imports: resumed }, 'spreadsheet imports resumed')
    for (const { id, error } of takeImportFailures(sql))
      log.error({ import: idFromUuid(id), err: error }, 'a spreadsheet import failed; it is resumed')
  }
  const deleteOldDeliveries = async () => {
    for (let call = 0; call < MAX_DELETE_CALLS && !signal.aborted; call++) {
      const deleted = await deleteExpiredWebhookRows({ sql: deliverySql, clock })
      if (Object.values(deleted).every(count => count === 0)) return
    }
  }
  const freeStuckDeliveries = async () => {
    const freed = await unstickDeliveries({ sql: deliverySql, clock })
    if (Object.values(freed).some(count => count > 0))
      log.warn(freed, 'deliveries scheduled by a clock that was ahead are due now')
  }
  const writeFacts = createFactsTask(sql, () => signal.aborted)
  const checkRegistryEntries = createRegistryTask({ ...registry, sql }, () => signal.aborted)
  const createRoots = createRootsTask(setup, () => !signal.aborted)
  const deleteScans = async () => void (await deleteOldScans({ sql, clock }, () => signal.aborted))
  const failureLogger = (work: string) =>
    createThrottledLogger(log, 'warn', { work }, 'a scheduled task failed')
  const tasks: { stop: () => Promise<void> }[] = [
    startMediaTasks({ ...setup.media, sql, clock, log }),
    repeat(resumeStoppedRefreshes, RESUME_INTERVAL_MS, failureLogger('refreshes')),
    repeat(resumeStoppedImports, RESUME_INTERVAL_MS, failureLogger('spreadsheets')),
    repeat(() => deleteExpiredRows(setup), RESUME_INTERVAL_MS, failureLogger('expired rows')),
    repeat(writeFacts, FACTS_INTERVAL_MS, failureLogger('facts for readiness')),
    repeat(checkRegistryEntries, REGISTRY_INTERVAL_MS, failureLogger('lines for the registry')),
    repeat(createRoots, ROOTS_INTERVAL_MS, failureLogger('daily roots')),
    repeat(deleteScans, SCAN_CHECK_INTERVAL_MS, failureLogger('old scans')),
    repeat(deleteOldDeliveries, RETENTION_INTERVAL_MS, failureLogger('old deliveries')),
    repeat(freeStuckDeliveries, RETENTION_INTERVAL_MS, failureLogger('webhooks scheduled by a wrong clock')),
  ]
  if (backups !== undefined) {
    const message = `no backup can be made in ${backups.dir} (BACKUP_DIR)`
    const logger = createThrottledLogger(log, 'error', { work: 'backups' }, message)
    tasks.push(repeat(makeBackup, BACKUP_CHECK_INTERVAL_MS, logger))
  }
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...tasks.map(task => task.stop()), stopRefreshes(sql), stopImports(sql)])
    },
  }
}

async function deleteExpiredRows({ sql, clock }: ScheduledTasksSetup): Promise<void> {
  await deleteExpiredKeys(sql, clock.now())
  await deleteExpiredShares(sql, clock.now())
  await deleteOldImports(sql, clock.now())
  await deleteOldDrafts(sql, clock.now())
}

const createRootsTask =
  ({ sql, clock, log, registry, timeStamping }: ScheduledTasksSetup, goesOn: () => boolean) =>
  async () => {
    const made = await createDueRoots({ sql, clock, secretCipher: registry.secretCipher }, goesOn)
    if (made > 0) log.info({ roots: made }, 'daily roots made')
    const stamped = timeStamping && (await stampRoots({ sql }, timeStamping, goesOn))
    if (stamped) log.info({ roots: stamped }, 'time stamps made')
  }
