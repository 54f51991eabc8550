/** The setup for the faults: the real server, a webhook receiver, and clients. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../../src/cli/server/ports.ts'
import { carnetJson, type Served, type Settings, serve } from '../cli/processes.ts'
import { Clients } from './clients.ts'
import { Receiver } from './receiver.ts'

export type Stand = {
  settings: Settings
  server: () => Served
  restart: () => Promise<void>
  /** Resolves when the server is ready; throws after two minutes. */
  untilReady: () => Promise<void>
  /**
   * Sets the offset of all server processes' clocks, in milliseconds. The database's clock is not changed.
   */
  moveClock: (ms: number) => void
  clients: Clients
  receiver: Receiver
  /** The id of the only webhook endpoint. */
  webhook: string
  close: () => Promise<void>
}

/**
 * Below the ports of outgoing connections: otherwise a retrying client could connect to its own port. Processes
 * that look at the same time find different ports.
 */
const FIRST_PORT = 23_100 + 20 * (process.pid % 200)
const READY_TRIES = 1_200

export const freePort = async () => (await findFreePort('127.0.0.1', FIRST_PORT)) ?? FIRST_PORT

/** Several processes on an embedded database in this folder, which is kept. */
export async function openStand(folder: string): Promise<Stand> {
  const clock = join(folder, 'clock')
  const env = {
    DATA_DIR: folder,
    WORKERS: '2',
    CLOCK_FILE: clock,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'moved-clock.ts')}`,
  }
  return standOn(folder, env)
}

/** Starts a server with an account, clients and webhooks. `main`: the entry file of another source tree. */
export async function standOn(cwd: string, env: Record<string, string>, main?: string): Promise<Stand> {
  const receiver = new Receiver()
  const url = await receiver.open()
  const port = String(await freePort())
  const settings: Settings = { cwd, env: { PORT: port, ...SETTINGS, ...env }, ...(main && { main }) }
  let server = await serve(settings).catch(error => {
    receiver.close()
    throw error
  })
  const { key, webhook } = await makeAccount(settings, url, receiver)
  const clients = new Clients(() => server.url, key)
  return {
    settings,
    server: () => server,
    async restart() {
      server = await serve(settings)
    },
    untilReady: () => untilReady(server),
    clients,
    receiver,
    webhook,
    moveClock: ms => writeFileSync(env.CLOCK_FILE ?? join(cwd, 'clock'), String(ms)),
    async close() {
      await server.stop('SIGTERM')
      receiver.close()
    },
  }
}

export const SETTINGS = { LOG_LEVEL: 'info', ALLOW_INSECURE_WEBHOOKS: 'true', SLOW_QUERY_MS: '0' }

async function makeAccount(settings: Settings, url: string, receiver: Receiver) {
  const json = (...words: string[]) => carnetJson<Record<string, string>>(words, settings)
  const { id = '' } = await json('accounts', 'create', '--name', 'Faults', '--plan', 'enterprise')
  await json('accounts', 'set-plan', id, '--plan', 'enterprise', '--requests-per-minute', '9000000')
  const { key = '' } = await json('keys', 'create', '--account', id, '--scope', 'full')
  const events = ['--events', 'product.created']
  const made = await json('webhooks', 'add', '--account', id, '--url', url, ...events)
  receiver.expect(made.secret ?? '')
  return { key, webhook: made.id ?? '' }
}

export async function untilReady({ url, said }: Served): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries++) {
    try {
      if ((await fetch(`${url}/readyz`)).ok) return
    } catch {
      // No server listens yet.
    }
    await pause(100)
  }
  throw new Error(`it does not come back:\n${said.stderr.slice(-2_000)}`)
}
