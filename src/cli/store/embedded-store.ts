/**
 * The embedded PostgreSQL that commands and servers share. A server holds a lock, and restarts PostgreSQL
 * when it dies.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../kernel/config/config.ts'
import { openPool, type Sql } from '../../kernel/db/database.ts'
import { toError } from '../../kernel/errors/errors.ts'
import type { Log } from '../../kernel/errors/log.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../kernel/postgres-server/embedded-postgres.ts'
import { findPostmaster } from '../../kernel/postgres-server/postmaster.ts'
import { acquireServerLock, type ServerLock } from '../../kernel/postgres-server/presence.ts'
import { sendSignal } from '../../kernel/process/processes.ts'
import { CommandError } from '../command-line/command.ts'
import { calculateMaxConnections } from './connection-budget.ts'

/** Another server runs on this data directory. */
export class ServerAlreadyRunning extends CommandError {
  override name = 'ServerAlreadyRunning'
}

type EmbeddedStoreOptions = { config: Config; log: Log; isServer?: boolean; takesServerLock?: boolean }
type RunningPostgres = { postgres: EmbeddedPostgres; lock?: ServerLock }

/** The lock of a killed server outlives it for a moment. */
const LOCK_TIMEOUT_MS = 1_500
const LOCK_RETRY_MS = 100
const WATCH_INTERVAL_MS = 200
/** Pauses between restarts of a PostgreSQL that keeps dying, doubled each time. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/** Starts or joins PostgreSQL. Throws ServerAlreadyRunning, or `unavailable` with a reason. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions) {
  let running = await startPostgres(options)
  const leaving = new AbortController()
  const watch = async () => {
    while (await waitForLoss(running.postgres, leaving.signal)) {
      options.log.warn('the embedded PostgreSQL has died; restarting it')
      running = await restartPostgres(options, running, leaving.signal)
    }
  }
  const watching = options.isServer ? watch() : Promise.resolve()
  return {
    /** For everything but migrations and restores. */
    target: running.postgres.traffic,
    /** The same database, for the role that owns the tables. */
    owner: running.postgres.owner,
    /** PostgreSQL stops when nobody else uses it. */
    async leave() {
      leaving.abort()
      await watching
      await running.lock?.release()
      await running.postgres.stop()
    },
    /** Tells PostgreSQL to stop, without waiting. */
    abandon() {
      const postmaster = findPostmaster(join(realpathSync(options.config.dataDir), 'pg'))
      if (postmaster !== undefined) sendSignal(postmaster.pid, 'SIGINT')
    },
  }
}

async function startPostgres(options: EmbeddedStoreOptions): Promise<RunningPostgres> {
  const { config, log, isServer, takesServerLock = true } = options
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    binDir: config.pgBinDir,
    log: line => log.debug(line),
    settings: { max_connections: String(calculateMaxConnections(config)) },
  })
  if (!isServer || !takesServerLock) return { postgres }
  try {
    return { postgres, lock: await takeServerLock(postgres, config.dataDir) }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function takeServerLock(postgres: EmbeddedPostgres, dataDir: string): Promise<ServerLock> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  while (performance.now() < deadline) {
    const lock = await acquireServerLock(postgres)
    if (lock !== undefined) return lock
    await pause(LOCK_RETRY_MS)
  }
  throw new ServerAlreadyRunning(
    `Carnet is running already on the data in ${dataDir}. Stop that server first, or set DATA_DIR to another folder.`,
  )
}

/**
 * Resolves with true when the database was gone, if only for a moment, and with false when this process
 * leaves.
 */
async function waitForLoss(postgres: EmbeddedPostgres, leaving: AbortSignal): Promise<boolean> {
  const sql = openPool(postgres.traffic, { max: 1, name: 'carnet watch' })
  try {
    const first = await findBackendPid(sql)
    while (!leaving.aborted) {
      await pause(WATCH_INTERVAL_MS, undefined, { signal: leaving })
      if ((await findBackendPid(sql)) !== first) return true
    }
    return false
  } catch {
    return !leaving.aborted
  } finally {
    await sql.end({ timeout: 0 })
  }
}

/** The process id changes when the pool reconnects. */
async function findBackendPid(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid
}

async function restartPostgres(
  options: EmbeddedStoreOptions,
  lost: RunningPostgres,
  leaving: AbortSignal,
): Promise<RunningPostgres> {
  await lost.lock?.release()
  for (let wait = MIN_PAUSE_MS; !leaving.aborted; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
    try {
      const running = await startPostgres(options)
      options.log.warn('the embedded PostgreSQL is up again')
      return running
    } catch (error) {
      options.log.error({ reason: toError(error).message }, 'the embedded PostgreSQL did not start')
      await pause(wait)
    }
  }
  return lost
}
