/** The embedded PostgreSQL as a command or the server holds it: a server has the one seat, and starts it again when it was killed. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../kernel/config/config.ts'
import { type DatabaseTarget, openPool, type Sql } from '../../kernel/db/database.ts'
import type { Log } from '../../kernel/log.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../kernel/postgres-server/embedded-postgres.ts'
import { findPostmaster } from '../../kernel/postgres-server/postmaster.ts'
import { acquireServerLock, type ServerLock } from '../../kernel/postgres-server/server-seat.ts'
import { sendSignal } from '../../kernel/process/processes.ts'
import { Refusal } from '../command-line/command.ts'
import { maxConnections } from './connection-budget.ts'

export type EmbeddedStore = {
  /** For everything but migrations and restores. */
  target: DatabaseTarget
  owner: DatabaseTarget
  /** Leaves; PostgreSQL stops when nobody else is there. */
  leave: () => Promise<void>
  /** Tells PostgreSQL to stop and waits for nothing. */
  abandon: () => void
}

/** A server is at work in this data directory. */
export class SeatTaken extends Refusal {
  override name = 'SeatTaken'
}

type Wish = { config: Config; log: Log; serves?: boolean; seat?: boolean }
type Held = { postgres: EmbeddedPostgres; seat?: ServerLock }

/** The seat of a server that was killed is held for a moment longer than the server lives. */
const SEAT_WITHIN_MS = 1_500
const SEAT_PAUSE_MS = 100
const WATCH_EVERY_MS = 200
/** Pauses between starts of a PostgreSQL that keeps ending: doubled up to the longest. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Starts PostgreSQL or joins the one that runs. Throws SeatTaken, or `unavailable` with a sentence. */
export async function openEmbeddedStore(wish: Wish): Promise<EmbeddedStore> {
  let held = await hold(wish)
  const leaving = new AbortController()
  const watch = async () => {
    while (await isLost(held.postgres, leaving.signal)) {
      wish.log.warn('the embedded PostgreSQL has ended; it is started again')
      held = await holdAgain(wish, held, leaving.signal)
    }
  }
  const watching = wish.serves ? watch() : Promise.resolve()
  return {
    target: targetOf(held.postgres, 'traffic'),
    owner: targetOf(held.postgres, 'owner'),
    async leave() {
      leaving.abort()
      await watching
      await held.seat?.release()
      await held.postgres.stop()
    },
    abandon() {
      const postmaster = findPostmaster(join(realpathSync(wish.config.dataDir), 'pg'))
      if (postmaster !== undefined) sendSignal(postmaster.pid, 'SIGINT')
    },
  }
}

const targetOf = (postgres: EmbeddedPostgres, role: 'traffic' | 'owner'): DatabaseTarget => {
  const { socketDir, port, database } = postgres
  return { socketDir, port, database, ...postgres[role] }
}

async function hold({ config, log, serves, seat = true }: Wish): Promise<Held> {
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    ...(config.pgBinDir === undefined ? {} : { binDir: config.pgBinDir }),
    log: line => log.debug(line),
    settings: { max_connections: String(maxConnections(config)) },
  })
  if (!serves || !seat) return { postgres }
  try {
    return { postgres, seat: await takeSeat(postgres, config.dataDir) }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function takeSeat(postgres: EmbeddedPostgres, dataDir: string): Promise<ServerLock> {
  const until = performance.now() + SEAT_WITHIN_MS
  while (performance.now() < until) {
    const seat = await acquireServerLock(postgres)
    if (seat !== undefined) return seat
    await pause(SEAT_PAUSE_MS)
  }
  throw new SeatTaken(
    `Carnet is running already on the data in ${dataDir}. Stop that one first, or set DATA_DIR to another folder.`,
  )
}

/** Resolves with true when the database was gone, if only for a moment; with false when we are leaving. */
async function isLost(postgres: EmbeddedPostgres, leaving: AbortSignal): Promise<boolean> {
  const sql = openPool(targetOf(postgres, 'traffic'), { max: 1, name: 'carnet watch' })
  try {
    const first = await backendOf(sql)
    while (!leaving.aborted) {
      await pause(WATCH_EVERY_MS, undefined, { signal: leaving })
      if ((await backendOf(sql)) !== first) return true
    }
    return false
  } catch {
    return !leaving.aborted
  } finally {
    await sql.end({ timeout: 0 })
  }
}

/** A pool connects again by itself, but to another process of PostgreSQL's. */
async function backendOf(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid
}

async function holdAgain(wish: Wish, lost: Held, leaving: AbortSignal): Promise<Held> {
  await lost.seat?.release()
  for (let wait = SHORTEST_PAUSE_MS; !leaving.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      const held = await hold(wish)
      wish.log.warn('the embedded PostgreSQL is up again')
      return held
    } catch (error) {
      wish.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'it did not start')
      await pause(wait)
    }
  }
  return lost
}
