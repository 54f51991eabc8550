/** The running server: the app on its port over the store, and an orderly end within five seconds. */
import type { FastifyInstance } from 'fastify'
import { flushKeyUse } from '../accounts/key-use.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Config } from '../kernel/config.ts'
import { isReachable } from '../kernel/db.ts'
import type { Log } from '../kernel/log.ts'
import { Refusal } from './command.ts'
import type { Store } from './store.ts'
import { VERSION } from './version.ts'

export type Server = {
  /** Where it listens, by number. */
  address: string
  /** Finishes what is under way, for three seconds at most. */
  stop: () => Promise<void>
}

const FINISH_WITHIN_MS = 3_000
const FLUSH_WITHIN_MS = 500
const FLUSH_EVERY_MS = 20_000

/** Starts the app and listens. Throws a Refusal when the port cannot be had. */
export async function startServer(settings: {
  config: Config
  store: Store
  log: Log
  secretKey: string
}): Promise<Server> {
  const { config, store, log } = settings
  const { createApp } = await import('../app.ts')
  const app = createApp({
    sql: store.sql,
    clock: systemClock,
    log,
    addresses: store.addresses,
    nsUrl: config.nsUrl,
    secretKey: settings.secretKey,
    allowQueryApiKey: config.allowQueryApiKey,
    version: VERSION,
    isReady: () => isReachable(store.sql),
  })
  const address = await listen(app, config)
  const flush = () =>
    flushKeyUse(store.sql).catch(error => log.warn({ reason: String(error) }, 'key use was not written'))
  const timer = setInterval(flush, FLUSH_EVERY_MS)
  timer.unref()
  return {
    address,
    async stop() {
      clearInterval(timer)
      await close(app)
      await within(FLUSH_WITHIN_MS, flush())
    },
  }
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

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
