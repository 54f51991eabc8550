/** Each process holds a connection to the embedded server, so that the last one stops it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connectAs, hasRoles, type ServerLogin } from './server-access.ts'
import { getSocketPath } from './socket-directory.ts'

export type Presence = Awaited<ReturnType<typeof announcePresence>>

const KIND = 'carnet here'
const CONNECT_TIMEOUT_SECONDS = 5

/** Connects as the superuser, and creates the database if it is missing. Only under the process lock. */
export async function announcePresence(server: ServerLogin) {
  const { database } = server
  const name = `${KIND} ${process.pid}`
  let line: Socket | undefined
  // Not to Carnet's database: this connection would prevent renaming, dropping or copying it.
  const sql = connectAs({ ...server, database: 'postgres' }, name, {
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    prepare: false,
    connection: { statement_timeout: CONNECT_TIMEOUT_SECONDS * 1000 },
    async socket() {
      const socket = connect(getSocketPath(server.socketDir))
      await once(socket, 'connect')
      line = socket
      return socket
    },
  })
  try {
    const [row] = await sql<{ version: string; made: boolean }[]>`
      select current_setting('server_version') as version,
             exists (select from pg_database where datname = ${database}) as made`
    const isPrepared = await hasRoles(sql)
    if (!row?.made) await sql.unsafe(`create database "${database}"`)
    // This connection alone must not keep the process running.
    line?.unref()
    return {
      /** For example `18.4`. */
      version: row?.version.split(' ')[0] ?? '',
      hasRoles: isPrepared,
      /** How many other processes are connected. Rejects if the server does not respond. */
      async countOthers() {
        line?.ref()
        const [found] = await sql<{ n: number }[]>`
          select count(*)::int as n from pg_stat_activity
          where application_name like ${`${KIND} %`} and application_name <> ${name}`
        return found?.n ?? 0
      },
      end: () => sql.end({ timeout: 0 }),
    }
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}

export type ServerLock = { release: () => Promise<void> }

/** `CARN` is the class of all our advisory locks. */
const LOCK_CLASS = 0x43_41_52_4e
const SERVER_LOCK = 2

/**
 * Allows one server per data directory: takes a lock that lives as long as its connection, so a killed server
 * holds none. Undefined if another server has it.
 */
export async function acquireServerLock(server: ServerLogin): Promise<ServerLock | undefined> {
  const { socketDir, user, password, database } = server
  const sql = connectAs({ socketDir, user, password, database }, 'carnet server lock')
  const release = () => sql.end({ timeout: 0 })
  try {
    const [row] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${LOCK_CLASS}::int, ${SERVER_LOCK}::int) as taken`
    if (row?.taken) return { release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return undefined
}
