/** The server as several processes: this one holds the store and looks after the others, which answer and work. */
import { systemClock } from '../../kernel/clock.ts'
import type { Config, Environment } from '../../kernel/config/config.ts'
import type { Log } from '../../kernel/log.ts'
import { Refusal } from '../command-line/command.ts'
import { secretKey } from '../store/secret-key.ts'
import { openStore, type Store } from '../store/store.ts'
import { waitingRoom } from './listen.ts'
import { tryPort } from './ports.ts'
import { Crew, type NumbersOfAll, type Post } from './supervisor.ts'
import { liveUntilStopped, watchLife } from './until-stopped.ts'

type Settings = { config: Config; log: Log; env: Environment }

const NO_NUMBERS: NumbersOfAll = { note: () => {}, retire: () => {}, text: async () => '' }

/**
 * Runs WORKERS processes that answer requests, and with ROLE=all one more for the work that nobody waits for, until it
 * is told to stop. SIGHUP replaces them one by one; on a terminal it still means that the terminal is gone.
 */
export async function superviseUntilStopped(
  { config, log, env }: Settings,
  up: (store: Store, address: string | undefined) => Promise<void>,
): Promise<void> {
  let store: Store | undefined
  let crew: Crew | undefined
  const life = watchLife({
    log,
    startedByNpm: env.npm_lifecycle_event !== undefined,
    abandon: () => store?.abandon(),
    ...(process.stdin.isTTY ? {} : { hangUp: () => void crew?.roll() }),
  })
  await liveUntilStopped(life, async () => {
    const { host, port } = config
    if ((await tryPort(host, port)) === undefined) {
      throw new Refusal(
        `Port ${port} of ${host} is taken by another program, or may not be used. Set PORT and HOST to what is free.`,
      )
    }
    const room = waitingRoom(config, { ...config, clock: systemClock, log })
    store = await openStore(config, log, {
      name: 'carnet supervisor',
      serves: true,
      max: 2,
      patient: true,
      checksConnections: true,
      stopping: life.stopping,
      awaited: room.open,
    }).finally(room.close)
    try {
      // Made once, before several look for it.
      secretKey(config)
      const settings = { PORT: String(port), WORKERS: String(config.workers) }
      crew = new Crew({ log, posts: postsOf(config), settings, numbers: await numbersOf(config) })
      const running = crew
      const opened = store
      const stop = async () => {
        await running.stop()
        await opened.stop()
      }
      try {
        await crew.start()
        log.info({ processes: crew.pids() }, 'all processes are up')
        await up(store, `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
      } catch (error) {
        await crew.stop()
        throw error
      }
      return { stop }
    } catch (error) {
      await store.stop()
      throw error
    }
  })
}

function postsOf({ workers, role }: Config): Post[] {
  const web = Array.from({ length: workers }, (_, i): Post => ({ name: `web ${i + 1}`, role: 'web' }))
  return role === 'all' ? [...web, { name: 'worker', role: 'worker' }] : web
}

async function numbersOf({ metricsToken }: Config): Promise<NumbersOfAll> {
  if (metricsToken === undefined) return NO_NUMBERS
  const { numbersOfAll } = await import('./aggregate-metrics.ts')
  return numbersOfAll()
}
