/** The running server: the app on its port over the store, and an orderly end within five seconds. */
import type { FastifyInstance } from 'fastify'
import { flushKeyUse } from '../../accounts/keys/key-use.ts'
import { getKeyLimits } from '../../accounts/limits/key-limits.ts'
import type { AppSetup } from '../../app.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Config, Environment } from '../../kernel/config/config.ts'
import { findDatabaseState } from '../../kernel/db/database.ts'
import { type Outbound, openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { type Mailer, openMailer } from '../../kernel/http-out/smtp.ts'
import type { Log } from '../../kernel/log.ts'
import { createSecurityLog } from '../../kernel/monitoring/security-events.ts'
import { flushAccessUses } from '../../passports/access/count-uses.ts'
import { stopRefreshes } from '../../passports/units/refresh-job.ts'
import { createScanRecorder, type ScanRecorder } from '../../scans/recorder.ts'
import { deriveBackupKey } from '../../transfer/backup/backup-key.ts'
import { startWorker, type Worker } from '../../worker/worker.ts'
import { VERSION } from '../command-line/version.ts'
import { secretKey } from '../store/secret-key.ts'
import { openStore, type Store } from '../store/store.ts'
import { webhookSetup } from '../store/webhook-setup.ts'
import { drainable } from './drain.ts'
import { type WaitingRoom, waitingRoom } from './listen.ts'
import { isMember, supervisor } from './parent-process.ts'
import { openMetrics, type ServerMetrics, statementWatcher } from './server-metrics.ts'
import { liveUntilStopped, watchLife } from './until-stopped.ts'

const FINISH_WITHIN_MS = 3_200
const FLUSH_WITHIN_MS = 500
const LAST_SCANS_WITHIN_MS = 1_500
const FLUSH_EVERY_MS = 20_000

/** A process that makes room for another lets even the slowest statement end, which takes ten seconds at most. */
const LEAVE_WITHIN_MS = 13_000
const FINISH_WHEN_LEAVING_MS = 11_000

type Settings = { config: Config; log: Log; env: Environment }
type Running = { stop: () => Promise<void> }

/**
 * Runs the server until it is told to stop; `up` is called once it listens, with the address it listens on. As a worker
 * it listens nowhere and has none, and several may share an embedded database with a server.
 * Throws a Refusal when the store or the port cannot be had.
 */
export async function serveUntilStopped(
  { config, log, env }: Settings,
  up: (store: Store, address: string | undefined) => Promise<void>,
): Promise<void> {
  let store: Store | undefined
  const boss = isMember() ? supervisor() : undefined
  const startedByNpm = env.npm_lifecycle_event !== undefined && boss === undefined
  // An embedded database is the supervisor's to end.
  const abandon = () => (boss === undefined ? store?.abandon() : undefined)
  const life = watchLife({ log, startedByNpm, abandon })
  const ending = { finishMs: FINISH_WITHIN_MS, isStopping: false }
  boss?.onLeave(() => {
    ending.finishMs = FINISH_WHEN_LEAVING_MS
    life.stop('another process takes its place', LEAVE_WITHIN_MS)
  })
  void life.told.then(() => {
    ending.isStopping = true
  })
  await liveUntilStopped(life, async () => {
    // Loading the app takes as long as starting the database: they go side by side.
    const isWeb = config.role !== 'worker'
    const listens = isWeb || (boss === undefined && config.workerPort !== 0)
    const app = listens ? import('../../app.ts') : undefined
    app?.catch(() => undefined)
    const metrics = await openMetrics(config, boss)
    const room = waitingRoom(config, { ...config, clock: systemClock, log, metrics: metrics?.door })
    store = await openStore(config, log, {
      name: 'carnet',
      serves: true,
      seat: isWeb && boss === undefined,
      patient: true,
      checksConnections: boss === undefined,
      stopping: life.stopping,
      ...(listens && boss === undefined ? { awaited: room.open } : {}),
      onStatementEnd: statementWatcher(config, log, metrics?.metrics),
      migrating: migrations => {
        log.info({ migrations }, 'the database is brought to this version')
        boss?.tell({ carnet: 'migrating' })
      },
    }).catch(async error => {
      await room.close()
      throw error
    })
    try {
      const parts = { config, log, store, metrics, ending, room, app: await app }
      const running = await startServer(parts, up)
      boss?.tell({ carnet: 'up' })
      return running
    } catch (error) {
      await room.close()
      await store.stop()
      throw error
    }
  })
}

export type Parts = {
  config: Config
  log: Log
  store: Store
  metrics?: ServerMetrics | undefined
  /** How it is to end; known when it ends. */
  ending: Ending
  /** Who listens so far. */
  room: WaitingRoom
  /** What makes servers; undefined for a process that listens nowhere. */
  app: AppModule | undefined
}
type Ending = { finishMs: number; isStopping: boolean }
type AppModule = typeof import('../../app.ts')

async function startServer(
  parts: Parts,
  up: (store: Store, address: string | undefined) => Promise<void>,
): Promise<Running> {
  const { config, log, store, metrics, ending } = parts
  metrics?.watchStore(store)
  const { sql } = store
  const mail = openMailer(config.smtp, log)
  const outbound = openOutbound(webhookSetup(config).policy)
  const scans = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: config.geoMmdbPath })
  const isWeb = config.role !== 'worker'
  const create = parts.app?.[isWeb ? 'createApp' : 'createOperatorApp']
  const app = create && appOn({ ...parts, create, scans, mail, outbound })
  const way = app === undefined ? undefined : drainable(app)
  const address = app === undefined ? undefined : await parts.room.handOver(app)
  if (isWeb) scans.start()
  const flush = async () => {
    try {
      await Promise.all([flushKeyUse(store.sql), flushAccessUses(store.sql)])
    } catch (error) {
      log.warn({ reason: String(error) }, 'the use of keys or access links was not written')
    }
  }
  const leave = async () => {
    try {
      await getKeyLimits(store.sql, systemClock).releaseAll()
    } catch (error) {
      log.warn({ reason: String(error) }, 'what is left of the rate limits was not given back')
    }
  }
  const worker = config.role === 'web' ? undefined : workerOn(config, log, store)
  if (worker !== undefined) metrics?.metrics.watchDeliveries(() => worker.numbers())
  const timer = setInterval(flush, FLUSH_EVERY_MS)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await Promise.all([
      way?.drain(ending.finishMs),
      outbound.close(),
      within(ending.finishMs, worker?.stop() ?? stopRefreshes(store.sql)),
    ])
    mail.stop()
    await Promise.all([
      within(FLUSH_WITHIN_MS, Promise.all([flush(), leave(), mail.settled()])),
      within(LAST_SCANS_WITHIN_MS, scans.stop()),
    ])
  }
  try {
    await up(store, address)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    async stop() {
      await stop()
      await store.stop()
    },
  }
}

type AppParts = Omit<Parts, 'app' | 'room'> & {
  create: (setup: AppSetup) => FastifyInstance
  scans: ScanRecorder
  mail: Mailer
  outbound: Outbound
}

const READINESS = { writable: 'ready', 'read-only': 'read-only', away: 'not ready' } as const

/** The app as the server runs it, also for who only asks it for pages. */
export const appOn = ({
  config,
  log,
  store,
  metrics,
  ending,
  create,
  scans,
  mail,
  outbound,
}: AppParts): FastifyInstance =>
  create({
    sql: store.sql,
    openPoolOfOne: store.openPoolOfOne,
    clock: systemClock,
    log,
    addresses: store.addresses,
    nsUrl: config.nsUrl,
    secretKey: secretKey(config),
    security: createSecurityLog({ log, clock: systemClock, count: metrics?.metrics.securityEvent }),
    sealer: webhookSetup(config).sealer,
    outbound,
    allowQueryApiKey: config.allowQueryApiKey,
    trustedProxies: config.trustedProxies,
    countryHeader: config.countryHeader,
    scans,
    mail,
    version: VERSION,
    findReadiness: async () =>
      ending.isStopping ? 'not ready' : READINESS[await findDatabaseState(store.sql)],
    metrics: metrics?.door,
    watch: metrics?.metrics,
  })

function workerOn(config: Config, log: Log, store: Store): Worker {
  const { sealer, policy } = webhookSetup(config)
  return startWorker({
    sql: store.sql,
    queue: store.openQueuePool(),
    clock: systemClock,
    log,
    sealer,
    outbound: openOutbound(policy),
    backups: config.backups && {
      ...config.backups,
      openPool: store.openPoolOfOne,
      clock: systemClock,
      key: deriveBackupKey(secretKey(config)),
      version: VERSION,
    },
  })
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
