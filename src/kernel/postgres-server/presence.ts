/** Every process that uses the embedded server holds one connection to it, so that the last to leave knows it is. */
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { hasRoles } from './server-access.ts'
import { getSocketPath, SOCKET_PORT } from './socket-directory.ts'

export type Presence = {
  /** As in `18.4`. */
  version: string
  /** Whether the roles of the owner and the traffic are there. */
  hasRoles: boolean
  /** How many other processes are there. Rejects when the server does not answer. */
  countOthers: () => Promise<number>
  end: () => Promise<void>
}

const KIND = 'carnet here'
const CONNECT_TIMEOUT_SECONDS = 5

/** Connects, and makes `database` when it is missing. Only under the process lock. */
export async function announcePresence(server: {
  socketDir: string
  user: string
  password: string
  database: string
}): Promise<Presence> {
  let line: Socket | undefined
  const sql = open(server, async path => {
    line = await connectTo(path)
    return line
  })
  try {
    const [row] = await sql<{ version: string; made: boolean }[]>`
      select current_setting('server_version') as version,
             exists (select from pg_database where datname = ${server.database}) as made`
    const isPrepared = await hasRoles(sql)
    if (!row?.made) await sql.unsafe(`create database "${server.database}"`)
    // "I am here" must not be what keeps a process alive.
    line?.unref()
    return {
      version: row?.version.split(' ')[0] ?? '',
      hasRoles: isPrepared,
      async countOthers() {
        line?.ref()
        const [found] = await sql<{ n: number }[]>`
          select count(*)::int as n from pg_stat_activity
          where application_name like ${`${KIND} %`} and application_name <> ${nameOf(process.pid)}`
        return found?.n ?? 0
      },
      end: () => sql.end({ timeout: 0 }),
    }
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}

const nameOf = (pid: number) => `${KIND} ${pid}`

function open(
  { socketDir, user, password }: { socketDir: string; user: string; password: string },
  dial: (path: string) => Promise<Socket>,
) {
  const path = getSocketPath(socketDir)
  const settings = {
    host: socketDir,
    path,
    port: SOCKET_PORT,
    user,
    password,
    // Not the database itself: this connection would keep it from being renamed, dropped or taken as a template.
    database: 'postgres',
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    connection: { application_name: nameOf(process.pid), statement_timeout: CONNECT_TIMEOUT_SECONDS * 1000 },
    socket: () => dial(path),
  }
  return postgres(settings)
}

function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
