/** Runs the server as several processes: this one holds the store and supervises the others. */

import type { Config } from '../../kernel/config/config.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { CommandError } from '../command-line/command.ts'
import { getOrCreateSecretKey } from '../store/secret-key.ts'
import { openStore, type Store } from '../store/store.ts'
import { createStartupServer } from './listen.ts'
import { probePort } from './ports.ts'
import type { OnReady, RunSettings } from './run-server.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { type ProcessSpec, Supervisor } from './supervisor.ts'

/**
 * Runs WORKERS processes that answer requests and, with ROLE=all, one for background work. SIGHUP replaces
 * them one by one; on a terminal it means that the terminal is closed, and stops the server.
 */
export async function runSupervisor({ config, log, env }: RunSettings, onReady: OnReady): Promise<void> {
  let store: Store | undefined
  let supervisor: Supervisor | undefined
  const stop = async () => {
    await supervisor?.stop()
    await store?.stop()
  }
  const options = {
    log,
    startedByNpm: env.npm_lifecycle_event !== undefined,
    abandon: () => store?.abandon(),
    ...(process.stdin.isTTY ? {} : { onHangUp: () => void supervisor?.replaceAll() }),
  }
  await runUntilStopped(options, async signal => {
    const { host, port, workers, metricsToken } = config
    if ((await probePort(host, port)) === undefined) {
      throw new CommandError(
        `Port ${port} on ${host} is used by another program, or this user may not use it. Set PORT and HOST to a free one.`,
      )
    }
    const startupServer = createStartupServer(config, { ...config, clock: systemClock, log })
    store = await openStore(config, log, {
      name: 'carnet supervisor',
      isServer: true,
      maxConnections: 2,
      waitsForDatabase: true,
      checksConnections: true,
      signal,
      onWaiting: startupServer.open,
    }).finally(startupServer.close)
    try {
      // Created here, before several processes look for it.
      getOrCreateSecretKey(config)
      const settings = { PORT: String(port), WORKERS: String(workers) }
      const aggregate = metricsToken === undefined ? undefined : await import('./aggregate-metrics.ts')
      const metrics = aggregate?.createMetricsTotals()
      supervisor = new Supervisor({ log, specs: listProcesses(config), settings, metrics })
      await supervisor.start()
      log.info({ processes: supervisor.pids() }, 'all processes are up')
      await onReady(store, `http://${host.includes(':') ? `[${host}]` : host}:${port}`, signal)
    } catch (error) {
      await stop()
      throw error
    }
    return { stop }
  })
}

function listProcesses({ workers, role }: Config): ProcessSpec[] {
  const web = Array.from({ length: workers }, (_, i): ProcessSpec => ({ name: `web ${i + 1}`, role: 'web' }))
  return role === 'all' ? [...web, { name: 'worker', role: 'worker' }] : web
}
