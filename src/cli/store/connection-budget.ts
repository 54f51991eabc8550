/** How many database connections the processes of one machine may use together. */
import type { Config } from '../../kernel/config/config.ts'
import { POOL_SIZE, type Sql } from '../../kernel/db/database.ts'

type Processes = Pick<Config, 'workers' | 'role'>

/** The pool of the process, and a connection for an export. */
const CONNECTIONS_PER_PROCESS = POOL_SIZE + 1
/** For the supervisor, the worker process with its queue pool, and a successor during a replacement. */
const OTHER_PROCESSES = 30
/** On the embedded database each process registers itself and watches the database. */
const EMBEDDED_EXTRA_PER_PROCESS = 2
/** For commands, another ROLE=worker and the operator's own sessions. */
const RESERVE = 40
const MIN_CONNECTIONS = 100

const countProcesses = ({ workers, role }: Processes) => (role === 'worker' ? 1 : workers)

const countNeededConnections = (processes: Processes): number =>
  countProcesses(processes) * CONNECTIONS_PER_PROCESS + OTHER_PROCESSES

export const calculateMaxConnections = (processes: Processes): number =>
  Math.max(
    MIN_CONNECTIONS,
    countNeededConnections(processes) + countProcesses(processes) * EMBEDDED_EXTRA_PER_PROCESS + RESERVE,
  )

/** Compares `max_connections` with what WORKERS may need. */
export async function checkConnections(sql: Sql, processes: Processes) {
  const [row] = await sql<{ available: number }[]>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as available`
  const available = row?.available ?? 0
  const needed = countNeededConnections(processes)
  const detail = `the database allows ${available} (max_connections), and WORKERS=${processes.workers} may need ${needed}`
  return { enough: available >= needed, detail }
}
