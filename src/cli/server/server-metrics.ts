/** The metrics of a server: its requests and statements, its machine, and the installation. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../../kernel/config/config.ts'
import { getPoolUsage } from '../../kernel/db/connection-pool.ts'
import type { FinishedStatement } from '../../kernel/db/connections.ts'
import { type DatabaseState, findDatabaseState, isDatabaseDiskFull } from '../../kernel/db/database.ts'
import type { Log } from '../../kernel/errors/log.ts'
import type { Metrics } from '../../kernel/monitoring/metrics.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { countMedia } from '../../media/upkeep/count-media.ts'
import { countOpenJobs } from '../../passports/units/refresh-job.ts'
import { findLastBackup } from '../../transfer/backup/scheduled-backups.ts'
import { listMirrorLags, type MirrorLag } from '../../transfer/mirror/mirror-runs.ts'
import { getQueueSize } from '../../webhooks/queue-size.ts'
import type { Store } from '../store/store.ts'
import type { ParentProcess } from './parent-process.ts'

export type ServerMetrics = NonNullable<Awaited<ReturnType<typeof createServerMetrics>>>

/** Undefined without METRICS_TOKEN: nothing is counted then. */
export async function createServerMetrics(config: Config, parent: ParentProcess | undefined) {
  const { metricsToken: token } = config
  if (token === undefined) return undefined
  const { createMetrics } = await import('../../kernel/monitoring/metrics.ts')
  const metrics = createMetrics()
  const { registry } = metrics
  parent?.on('get metrics', async () => {
    parent.send({ type: 'metrics', metrics: await registry.getMetricsAsJSON().catch(() => []) })
  })
  let getInstallation = async () => formatGauges(describeDatabase('unreachable'))
  const getMachine = cached(() => formatMachineMetrics(config))
  return {
    metrics,
    watchStore(store: Store) {
      metrics.watchPool('requests', () => getPoolUsage(store.sql))
      getInstallation = cached(() => formatInstallation(store))
    },
    door: {
      token,
      countRequest: metrics.countRequest,
      countError: metrics.countError,
      watchConnections: metrics.watchConnections,
      async text() {
        const [all, installation, machine] = await Promise.all([
          parent === undefined ? registry.metrics() : parent.getTotalMetrics(),
          getInstallation(),
          getMachine(),
        ])
        return `${all ?? (await registry.metrics())}\n${installation}${machine}`
      },
    },
  }
}

const CACHE_MS = 5_000

/** Counting a queue of a million takes some tenths of a second. */
function cached(read: () => Promise<string>): () => Promise<string> {
  let last: { at: number; text: Promise<string> } | undefined
  return () => {
    const now = performance.now()
    if (last === undefined || now - last.at > CACHE_MS) last = { at: now, text: read() }
    return last.text
  }
}

/** Formats the metrics that are equal on all machines; without the database, only a comment that says so. */
async function formatInstallation({ sql }: Store): Promise<string> {
  try {
    const state = await findDatabaseState(sql)
    const ctx = { sql, clock: systemClock }
    const [queue, jobs, mirrors, media] = await Promise.all([
      getQueueSize(ctx),
      countOpenJobs(sql),
      listMirrorLags(ctx),
      countMedia(sql),
    ])
    const { due, waiting, oldestDueSeconds } = queue
    const isWritable = state !== 'read-only' && !(await isDatabaseDiskFull(sql))
    return formatGauges([
      ...describeDatabase(isWritable ? 'writable' : 'read-only'),
      ['carnet_webhooks_due', 'Deliveries that are due, in the whole installation.', due],
      ['carnet_webhooks_waiting', 'Deliveries that wait for a later attempt.', waiting],
      ['carnet_webhooks_oldest_due_seconds', 'Age of the oldest due delivery.', oldestDueSeconds],
      ['carnet_refresh_jobs_open', 'Refreshes that run in the background and are not done yet.', jobs],
      ['carnet_media_files', 'Pictures and documents that are stored.', media.files],
      ['carnet_media_bytes', 'Their bytes, as they were sent.', media.bytes],
      ['carnet_media_fetches_open', 'Files that are still fetched from an address.', media.waiting],
      ...describeMirrors(mirrors),
    ])
  } catch {
    return formatGauges(describeDatabase('unreachable'))
  }
}

/** Measures the account whose mirror lacks most, and of the one whose run is longest ago. */
const describeMirrors = (mirrors: readonly MirrorLag[]): GaugeRow[] =>
  mirrors.length === 0
    ? []
    : [
        [
          'carnet_mirror_lag_seconds',
          'Age of the oldest change that is not in a mirror yet.',
          Math.max(...mirrors.map(({ seconds }) => seconds)),
        ],
        [
          'carnet_mirror_last_success_timestamp_seconds',
          'Unix time of the last complete run of `carnet mirror`; with several accounts, of the oldest.',
          Math.min(...mirrors.map(({ finishedAt }) => finishedAt.getTime())) / 1000,
        ],
      ]

type GaugeRow = [name: string, help: string, value: number]

/** Present from the start, also without a database, so that an alert on 0 works. */
const describeDatabase = (state: DatabaseState): GaugeRow[] => [
  ['carnet_database_up', 'Whether the database answers.', state === 'unreachable' ? 0 : 1],
  ['carnet_database_writable', 'Whether the database can be written to.', state === 'writable' ? 1 : 0],
]

/** The last backup if BACKUP_DIR is set, and the free disk space of DATA_DIR if DATABASE_URL is not set. */
export async function formatMachineMetrics({
  backups,
  dataDir,
  databaseUrl,
}: Pick<Config, 'backups' | 'dataDir' | 'databaseUrl'>): Promise<string> {
  const rows: GaugeRow[] = []
  const addFreeBytes = async (name: string, help: string, folder: string) => {
    const found = await statfs(folder).catch(() => undefined)
    if (found !== undefined) rows.push([name, help, found.bavail * found.bsize])
  }
  if (backups !== undefined) {
    const last = await findLastBackup(backups.dir).catch(() => undefined)
    const lastSeconds = (last?.at.getTime() ?? 0) / 1000
    const help = 'Unix time of the newest backup in BACKUP_DIR; 0 without a backup.'
    rows.push(
      ['carnet_backup_last_success_timestamp_seconds', help, lastSeconds],
      ['carnet_backup_last_size_bytes', 'Size of the newest backup.', last?.bytes ?? 0],
      [
        'carnet_backup_interval_seconds',
        'Configured time between backups (BACKUP_EVERY).',
        backups.everyMs / 1000,
      ],
    )
    await addFreeBytes('carnet_backup_dir_free_bytes', 'Free disk space of BACKUP_DIR.', backups.dir)
  }
  if (databaseUrl === undefined)
    await addFreeBytes('carnet_data_dir_free_bytes', 'Free disk space of DATA_DIR.', dataDir)
  return formatGauges(rows)
}

/** In Prometheus' format. */
const formatGauges = (rows: readonly GaugeRow[]): string =>
  rows
    .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`)
    .join('')

const MAX_STATEMENT_LENGTH = 2_000

/** Counts statements and logs slow ones without parameters. Undefined when neither is configured. */
export function createStatementWatcher(
  { slowQueryMs }: Config,
  log: Log,
  metrics: Metrics | undefined,
): ((statement: FinishedStatement) => void) | undefined {
  if (slowQueryMs === 0) return metrics?.statementEnded
  return statement => {
    metrics?.statementEnded(statement)
    if (statement.ms < slowQueryMs) return
    const text = statement.text.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH)
    log.warn({ ms: Math.round(statement.ms), statement: text, failed: statement.failed }, 'slow statement')
  }
}
