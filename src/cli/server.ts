/** The running server: the app on its port over the store, and an orderly end within five seconds. */
import type { FastifyInstance } from 'fastify'
import { flushKeyUse } from '../accounts/key-use.ts'
import { keyLimitsOf } from '../accounts/rate-limit.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Config, Environment } from '../kernel/config.ts'
import { isReachable } from '../kernel/db.ts'
import type { Log } from '../kernel/log.ts'
import { openOutbound } from '../kernel/outbound-http.ts'
import { flushAccessUses } from '../passports/access-use.ts'
import { stopRefreshes } from '../passports/refresh-job.ts'
import { createScanRecorder, type ScanRecorder } from '../scans/recorder.ts'
import { startWorker } from '../worker/worker.ts'
import { Refusal } from './command.ts'
import { secretKey } from './secret-key.ts'
import { openStore, type Store } from './store.ts'
import { liveUntilStopped, watchLife } from './until-stopped.ts'
import { VERSION } from './version.ts'
import { webhookSetup } from './webhook-setup.ts'

const FINISH_WITHIN_MS = 3_000
const FLUSH_WITHIN_MS = 500
const LAST_SCANS_WITHIN_MS = 1_500
const FLUSH_EVERY_MS = 20_000

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
  const startedByNpm = env.npm_lifecycle_event !== undefined
  const life = watchLife({ log, startedByNpm, abandon: () => store?.abandon() })
  await liveUntilStopped(life, async () => {
    // Loading the app takes as long as starting the database: they go side by side.
    const isWeb = config.role !== 'worker'
    const app = isWeb ? import('../app.ts') : undefined
    app?.catch(() => undefined)
    store = await openStore(config, log, { name: 'carnet', serves: true, seat: isWeb })
    try {
      return await startServer({ config, log, store, createApp: (await app)?.createApp }, up)
    } catch (error) {
      await store.stop()
      throw error
    }
  })
}

type Parts = { config: Config; log: Log; store: Store; createApp: CreateApp | undefined }
type CreateApp = typeof import('../app.ts').createApp

async function startServer(
  { config, log, store, createApp }: Parts,
  up: (store: Store, address: string | undefined) => Promise<void>,
): Promise<Running> {
  const { sql } = store
  const scans = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: config.geoMmdbPath })
  const app = createApp === undefined ? undefined : appOn({ config, log, store, createApp, scans })
  const address = app === undefined ? undefined : await listen(app, config)
  if (app !== undefined) scans.start()
  const flush = async () => {
    try {
      await Promise.all([flushKeyUse(store.sql), flushAccessUses(store.sql)])
    } catch (error) {
      log.warn({ reason: String(error) }, 'the use of keys or access links was not written')
    }
  }
  const leave = async () => {
    try {
      await keyLimitsOf(store.sql, systemClock).leave()
    } catch (error) {
      log.warn({ reason: String(error) }, 'what is left of the rate limits was not given back')
    }
  }
  const worker = config.role === 'web' ? undefined : workerOn(config, log, store)
  const timer = setInterval(flush, FLUSH_EVERY_MS)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await Promise.all([
      app === undefined ? undefined : close(app),
      within(FINISH_WITHIN_MS, worker?.stop() ?? stopRefreshes(store.sql)),
    ])
    await Promise.all([
      within(FLUSH_WITHIN_MS, Promise.all([flush(), leave()])),
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

type AppParts = Parts & { createApp: CreateApp; scans: ScanRecorder }

const appOn = ({ config, log, store, createApp, scans }: AppParts): FastifyInstance =>
  createApp({
    sql: store.sql,
    clock: systemClock,
    log,
    addresses: store.addresses,
    nsUrl: config.nsUrl,
    secretKey: secretKey(config),
    allowQueryApiKey: config.allowQueryApiKey,
    trustedProxies: config.trustedProxies,
    countryHeader: config.countryHeader,
    scans,
    version: VERSION,
    isReady: () => isReachable(store.sql),
  })

function workerOn(config: Config, log: Log, store: Store): Running {
  const { sealer, policy } = webhookSetup(config)
  return startWorker({
    sql: store.sql,
    queue: store.openQueuePool(),
    clock: systemClock,
    log,
    sealer,
    outbound: openOutbound(policy),
  })
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw refusalToListen(error, host, port)
  }
}

const REASONS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is taken by another program. Stop that one, or set PORT to a free port.`,
  EACCES: (_host, port) => `This user may not listen on port ${port}. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: host => `HOST is ${host}, which is no address of this machine.`,
  ENOTFOUND: host => `HOST is ${host}, a name that leads to no address.`,
  EAI_AGAIN: host => `HOST is ${host}, a name that leads to no address.`,
}

function refusalToListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = REASONS[code]
  return reason === undefined ? error : new Refusal(reason(host, port))
}

/** Idle connections end at once, busy ones after their answer or when the time is over. */
async function close(app: FastifyInstance): Promise<void> {
  const closed = app.close()
  const timer = setTimeout(() => app.server.closeAllConnections(), FINISH_WITHIN_MS)
  try {
    await closed
  } finally {
    clearTimeout(timer)
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
