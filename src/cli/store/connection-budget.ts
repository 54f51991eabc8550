/** How many connections of the database the processes of one machine may take together. */
import type { Config } from '../../kernel/config/config.ts'
import { POOL_SIZE, type Sql } from '../../kernel/db/database.ts'

type Processes = Pick<Config, 'workers' | 'role'>

/** Its pool, and an export. */
const CONNECTIONS_PER_PROCESS = POOL_SIZE + 1
/** The supervisor, the process that does the work nobody waits for with its queue, and the one that takes another's place. */
const OTHER_PROCESSES = 30
/** On the embedded one each says that it is here, and watches. */
const EMBEDDED_EXTRA_PER_PROCESS = 2
/** For commands, a further ROLE=worker and whoever looks into the database. */
const RESERVE = 40
const MIN_CONNECTIONS = 100

const countProcesses = ({ workers, role }: Processes) => (role === 'worker' ? 1 : workers)

export const countNeededConnections = (processes: Processes): number =>
  countProcesses(processes) * CONNECTIONS_PER_PROCESS + OTHER_PROCESSES

/** For an embedded PostgreSQL that is started. */
export const calculateMaxConnections = (processes: Processes): number =>
  Math.max(
    MIN_CONNECTIONS,
    countNeededConnections(processes) + countProcesses(processes) * EMBEDDED_EXTRA_PER_PROCESS + RESERVE,
  )

/** What there is, and a complaint when it is less than WORKERS may take. */
export async function checkConnections(
  sql: Sql,
  processes: Processes,
): Promise<{ enough: boolean; detail: string }> {
  const [row] = await sql<{ most: number }[]>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`
  const most = row?.most ?? 0
  const needed = countNeededConnections(processes)
  const detail = `the database takes ${most} (max_connections), and WORKERS=${processes.workers} may need ${needed}`
  return { enough: most >= needed, detail }
}
