/** Runs the server in this process: the app and the worker, with a clean stop within five seconds. */
import { flushKeyUse } from '../../accounts/keys/key-use.ts'
import { getKeyLimits } from '../../accounts/limits/key-limits.ts'
import { preloadWebAuthn } from '../../accounts/people/passkey-challenges.ts'
import type { Config } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { openMailer } from '../../kernel/http-out/smtp.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { openMediaServices } from '../../media/upkeep/media-services.ts'
import { flushAccessUses } from '../../passports/access/count-uses.ts'
import { keepMetricSlots } from '../../passports/in-use/metric-slots.ts'
import { stopRefreshes } from '../../passports/units/refresh-job.ts'
import { getRules, useRuleFolder } from '../../readiness/rules.ts'
import { createScanRecorder } from '../../scans/recorder.ts'
import { openStore, type Store } from '../store/store.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { prepareDrain } from './drain.ts'
import { createStartupServer, type StartupServer } from './listen.ts'
import { connectToParent, isWorkerProcess } from './parent-process.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { createServerApp, type ServerAppParts } from './server-app.ts'
import { createServerMetrics, createStatementWatcher } from './server-metrics.ts'
import { startWorker, watchShards } from './start-worker.ts'

const FINISH_TIMEOUT_MS = 3_200
const FLUSH_TIMEOUT_MS = 500
const LAST_SCANS_TIMEOUT_MS = 1_500
const FLUSH_INTERVAL_MS = 20_000

/** A replaced process lets even the slowest statement end, which takes ten seconds at most. */
const LEAVE_TIMEOUT_MS = 13_000
const LEAVE_FINISH_TIMEOUT_MS = 11_000

export type RunSettings = { config: Config; log: Log; env: Environment }
/**
 * Called when the server listens. `address` is undefined for a worker without a port. `signal` is aborted
 * when the server stops. It must not throw because of the database: the server serves already.
 */
export type OnReady = (store: Store, address: string | undefined, signal: AbortSignal) => Promise<void>

/**
 * Runs the server until it stops. Several workers may share an embedded database with a server.
 * Throws CommandError when the store cannot be opened or the port is taken.
 */
export async function runServer({ config, log, env }: RunSettings, onReady: OnReady): Promise<void> {
  let store: Store | undefined
  let finishMs = FINISH_TIMEOUT_MS
  const parent = isWorkerProcess() ? connectToParent() : undefined
  const options = {
    log,
    startedByNpm: env.npm_lifecycle_event !== undefined && parent === undefined,
    // The supervisor stops an embedded database.
    abandon: () => (parent === undefined ? store?.abandon() : undefined),
  }
  await runUntilStopped(options, async (signal, requestStop) => {
    parent?.on('leave', () => {
      finishMs = LEAVE_FINISH_TIMEOUT_MS
      requestStop('another process takes its place', LEAVE_TIMEOUT_MS)
    })
    const isWeb = config.role !== 'worker'
    const listens = isWeb || (parent === undefined && config.workerPort !== 0)
    // Loading the app takes as long as starting the database, so both happen at the same time.
    const app = listens ? import('./app.ts') : undefined
    app?.catch(() => undefined)
    const metrics = await createServerMetrics(config, parent)
    const setup = { ...config, clock: systemClock, log, metrics: metrics?.door }
    useRuleFolder(config.rulesDir)
    // A rule file that cannot be used is reported now, not with the first report.
    getRules()
    const startupServer = createStartupServer(config, setup)
    try {
      store = await openStore(config, log, {
        name: 'carnet',
        isServer: true,
        takesServerLock: isWeb && parent === undefined,
        waitsForDatabase: true,
        checksConnections: parent === undefined,
        signal,
        ...(listens && parent === undefined ? { onWaiting: startupServer.open } : {}),
        onStatement: createStatementWatcher(config, log, metrics?.metrics),
        onMigrating: migrations => {
          log.info({ migrations }, 'migrating the database to this version')
          parent?.send({ type: 'migrating' })
        },
      })
      await keepMetricSlots(store.sql)
      const opened = store
      const isStopping = () => signal.aborted
      const parts = { config, log, store, metrics, startupServer, isStopping, app: await app }
      const running = await startServer({ ...parts, getFinishMs: () => finishMs }, address =>
        onReady(opened, address, signal),
      )
      parent?.send({ type: 'ready' })
      return running
    } catch (error) {
      await startupServer.close()
      await store?.stop()
      throw error
    }
  })
}

type ServerParts = Omit<ServerAppParts, 'create' | 'scans' | 'mail' | 'outbound' | 'media'> & {
  startupServer: StartupServer
  /** How long open requests and deliveries may take once the server stops. */
  getFinishMs: () => number
  /** Undefined for a process without a port. */
  app: typeof import('./app.ts') | undefined
}

async function startServer(
  parts: ServerParts,
  onListening: (address: string | undefined) => Promise<void>,
): Promise<{ stop: () => Promise<void> }> {
  const { config, log, store, metrics, getFinishMs } = parts
  metrics?.watchStore(store)
  const { sql } = store
  const mail = openMailer(config.smtp, log)
  const outbound = openOutbound(buildWebhookSetup(config).policy)
  const scans = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: config.geoMmdbPath })
  const media = openMediaServices(config.mediaPlace)
  const isWeb = config.role !== 'worker'
  const create = parts.app?.[isWeb ? 'createApp' : 'createOperatorApp']
  const app = create && createServerApp({ ...parts, create, scans, mail, outbound, media })
  if (isWeb)
    await preloadWebAuthn({ sql, clock: systemClock }).catch(
      warn(log, 'the library for passkeys was not loaded yet'),
    )
  const draining = app && prepareDrain(app)
  const address = app && (await parts.startupServer.handOver(app))
  if (isWeb) scans.start()
  const worker = config.role === 'web' ? undefined : startWorker({ config, log, store, metrics, media })
  const shardWatch = watchShards(log, store, worker)
  const flushUse = () =>
    Promise.all([flushKeyUse(sql), flushAccessUses(sql)]).catch(
      warn(log, 'the use of keys or access links was not saved'),
    )
  const timer = setInterval(flushUse, FLUSH_INTERVAL_MS)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await shardWatch.stop()
    await Promise.all([
      draining?.drain(getFinishMs()),
      outbound.close(),
      waitAtMost(getFinishMs(), worker?.stop() ?? stopRefreshes(sql)),
    ])
    mail.stop()
    media.preparer.stop()
    const returned = getKeyLimits(sql, systemClock).releaseAll()
    const flushed = Promise.all([
      flushUse(),
      returned.catch(warn(log, 'unused rate-limit permits could not be returned')),
      mail.settled(),
    ])
    await Promise.all([
      waitAtMost(FLUSH_TIMEOUT_MS, flushed),
      waitAtMost(LAST_SCANS_TIMEOUT_MS, scans.stop()),
    ])
  }
  try {
    await onListening(address)
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

const warn = (log: Log, message: string) => (error: unknown) => log.warn({ reason: String(error) }, message)

async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
