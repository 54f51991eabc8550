/** One server to a data directory: a lock that lives as long as the connection that holds it, so a killed server holds none. */
import postgres from 'postgres'
import { getSocketPath } from './socket-directory.ts'

export type ServerLock = { release: () => Promise<void> }

/** Number of the lock; `CARN` as the class of all of ours. */
const LOCK_CLASS = 0x43_41_52_4e
const SEAT = 2

/** Takes the seat on a connection of its own; undefined when another server has it. */
export async function acquireServerLock(server: {
  socketDir: string
  port: number
  user: string
  password: string
  database: string
}): Promise<ServerLock | undefined> {
  const { socketDir, port, user, password, database } = server
  const sql = postgres({
    host: socketDir,
    path: getSocketPath(socketDir),
    port,
    user,
    password,
    database,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    // The driver would print them to standard output.
    onnotice: () => {},
    connection: { application_name: 'carnet seat' },
  })
  try {
    const [row] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${LOCK_CLASS}::int, ${SEAT}::int) as taken`
    if (row?.taken) return { release: () => sql.end({ timeout: 0 }) }
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
  await sql.end({ timeout: 0 })
  return undefined
}
