/**
 * One embedded PostgreSQL shared by the server and any number of commands: whoever comes first starts it, whoever
 * leaves last stops it, and a server at work starts it again when it was killed. Being there is a shared advisory
 * lock; who gets it alone is the last. A server's seat is a second lock, held alone.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../kernel/config.ts'
import { type DatabaseTarget, openPool, sqlState } from '../kernel/db.ts'
import { startEmbeddedPostgres } from '../kernel/embedded-postgres.ts'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { Refusal } from './command.ts'

export type EmbeddedStore = {
  target: DatabaseTarget
  /** Leaves, and stops PostgreSQL when nobody else is there. */
  leave: () => Promise<void>
  /** Tells PostgreSQL to stop and waits for nothing. */
  abandon: () => void
}

/** A server is at work in this data directory. */
export class SeatTaken extends Refusal {
  override name = 'SeatTaken'
}

type Wish = { config: Config; log: Log; name: string; serves?: boolean }
type Postgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>
type Presence = { postgres: Postgres; sql: ReturnType<typeof openPool>; line: Line }
type Line = Awaited<ReturnType<ReturnType<typeof openPool>['reserve']>>

/** Numbers of the two advisory locks; nothing else in the database uses any with this class. */
const LOCK_CLASS = 0x43_41_52_4e
const BEING_THERE = 1
const SEAT = 2

/** Another one may be stopping what we are about to use: it is tried again for this long. */
const ENTER_WITHIN_MS = 15_000
const ENTER_PAUSE_MS = 100
const SEAT_WITHIN_MS = 1_500
const WATCH_EVERY_MS = 200
/** Pauses between starts of a PostgreSQL that keeps ending: doubled up to the longest. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

export async function openEmbeddedStore(wish: Wish): Promise<EmbeddedStore> {
  let presence = await enter(wish)
  let leaving = false
  const watch = async () => {
    while (!leaving) {
      await untilLost(presence.line, () => leaving)
      if (leaving) return
      wish.log.warn('the embedded PostgreSQL has ended; it is started again')
      presence = await enterAgain(wish, presence, () => leaving)
    }
  }
  const watching = wish.serves ? watch() : Promise.resolve()
  return {
    target: presence.postgres,
    async leave() {
      leaving = true
      await watching
      await leave(presence)
    },
    abandon() {
      leaving = true
      // Its signal is sent before the first wait, so this works in the last line of a process too.
      presence.postgres.stop().catch(() => undefined)
    },
  }
}

/** Starts PostgreSQL or joins the one that runs. Throws SeatTaken, or what starting throws. */
async function enter(wish: Wish): Promise<Presence> {
  const until = performance.now() + ENTER_WITHIN_MS
  for (;;) {
    try {
      return await tryToEnter(wish)
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
      await pause(ENTER_PAUSE_MS)
    }
  }
}

async function tryToEnter({ config, log, name, serves }: Wish): Promise<Presence> {
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    ...(config.pgBinDir === undefined ? {} : { binDir: config.pgBinDir }),
    log: line => log.debug(line),
  })
  const sql = openPool(postgres, { max: 1, name: `${name}, presence` })
  try {
    const line = await sql.reserve()
    await line`set statement_timeout = 0`
    await line`select pg_advisory_lock_shared(${LOCK_CLASS}::int, ${BEING_THERE}::int)`
    if (serves) await takeSeat(line, config.dataDir)
    return { postgres, sql, line }
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}

/** The line of a server that was killed may last a moment longer than the server. */
async function takeSeat(line: Line, dataDir: string): Promise<void> {
  const until = performance.now() + SEAT_WITHIN_MS
  while (performance.now() < until) {
    const [row] = await line<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${LOCK_CLASS}::int, ${SEAT}::int) as taken`
    if (row?.taken) return
    await pause(ENTER_PAUSE_MS)
  }
  throw new SeatTaken(
    `Carnet is running already on the data in ${dataDir}. Stop that one first, or set DATA_DIR to another folder.`,
  )
}

/** The database is being stopped or started by another one at this moment, or was just killed. */
function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return /is still in use/.test(error.message)
  return /^(57P0[123]|CONNECTION_|CONNECT_|ECONN|ENOENT|EPIPE)/.test(sqlState(error) ?? '')
}

/** Resolves when the line to the database is cut, or `stopped` says so. */
async function untilLost(line: Line, stopped: () => boolean): Promise<void> {
  try {
    while (!stopped()) {
      await line`select 1`
      await pause(WATCH_EVERY_MS, undefined, { ref: false })
    }
  } catch {
    // Cut: that is what was waited for.
  }
}

async function enterAgain(wish: Wish, lost: Presence, stopped: () => boolean): Promise<Presence> {
  await lost.sql.end({ timeout: 0 })
  let wait = SHORTEST_PAUSE_MS
  while (!stopped()) {
    try {
      const presence = await enter(wish)
      wish.log.warn('the embedded PostgreSQL is up again')
      return presence
    } catch (error) {
      wish.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'it did not start')
      await pause(wait)
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS)
    }
  }
  return lost
}

/** The lock that others hold too is not to be had alone: then they go on, and the last of them stops PostgreSQL. */
async function leave({ postgres, sql, line }: Presence): Promise<void> {
  let isLast = true
  try {
    await line`select pg_advisory_unlock_all()`
    const [row] = await line<{ last: boolean }[]>`
      select pg_try_advisory_lock(${LOCK_CLASS}::int, ${BEING_THERE}::int) as last`
    isLast = row?.last === true
  } catch {
    // It is gone already: stopping it again is harmless.
  }
  if (isLast) await postgres.stop()
  await sql.end({ timeout: 0 })
}
