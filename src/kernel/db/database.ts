/** Opens connection pools, and explains the database's error codes to callers. */
import postgres from 'postgres'
import { withTimeout } from '../concurrency/timeout.ts'
import { AppError, findErrorCode } from '../errors/errors.ts'
import { perObject } from '../values/memo.ts'
import { ARRAY_TYPES } from './array-types.ts'
import { createConnectionPool, getPoolUsage, redirectPool } from './connection-pool.ts'
import type { FinishedStatement, OpenDriver } from './connections.ts'
import { splitTls } from './database-tls.ts'
import { splitHosts } from './database-url.ts'
import { ENDED_BY_SERVER, LOST_BY_NETWORK } from './pool-queue.ts'

export type Sql = postgres.Sql
/** A statement, or a fragment of one, before it runs. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

export type DatabaseTarget =
  | { url: string }
  | { socketDir: string; port: number; user: string; password?: string; database: string }

const STATEMENT_TIMEOUT_MS = 10_000
/** A process that hangs in a transaction keeps its locks no longer than this. */
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000
/** A host that does not answer within this time is given up for the next one. */
const OTHER_HOST_TIMEOUT_S = 3
/**
 * For queue tables, which may be empty now and hold a million rows a minute later. A plan made for the empty
 * table would scan all rows, so only index scans are allowed. Work of the last half second before a power cut
 * is repeated.
 */
const QUEUE_SETTINGS = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_sort: 'off',
  synchronous_commit: 'off',
}
/** On a small machine, more connections only queue inside PostgreSQL; a cluster has several processes. */
export const POOL_SIZE = 10

type PoolOptions = {
  max?: number
  name?: string
  forQueue?: boolean
  /** The database is behind PgBouncer in transaction mode: no session settings, no prepared statements. */
  hasPooler?: boolean
  onStatementEnd?: (statement: FinishedStatement) => void
  /** The database distributes tables, for which some statements have no generic plan. */
  isDistributed?: boolean
  /** Schemas, separated by commas; the default is the database's. */
  searchPath?: string
}

/** Statements are prepared once per connection: planned at each call, a read ran at a third of the speed. */
export function openPool(target: DatabaseTarget, options: PoolOptions = {}): Sql {
  const max = options.max ?? POOL_SIZE
  const settings = {
    max: 1,
    idle_timeout: 0,
    connect_timeout: 10,
    max_lifetime: null,
    prepare: options.hasPooler !== true,
    onnotice: () => {},
    connection: {
      application_name: options.name ?? 'carnet',
      TimeZone: 'UTC',
      ...(options.searchPath === undefined ? {} : { search_path: options.searchPath }),
      ...(options.hasPooler ? {} : sessionSettings(options)),
    },
    fetch_types: false,
    types: { bigint: BIGINT_AS_NUMBER, ...ARRAY_TYPES },
  }
  const pool: Sql = createConnectionPool(createDrivers(target, settings), max, {
    onStatementEnd: options.onStatementEnd,
    onFailure(reason) {
      if (sqlState(reason) === READ_ONLY) dropReadOnlyConnections(pool, max)
    },
  })
  if (options.isDistributed) distributed.add(pool)
  directions.set(pool, to => redirectPool(pool, createDrivers(to, settings)))
  return pool
}

const distributed = new WeakSet<Sql>()

/** Returns true if the pool's database distributes tables. */
export const isDistributed = (pool: Sql): boolean => distributed.has(pool)

const directions = new WeakMap<Sql, (target: DatabaseTarget) => void>()

/** New connections of the pool lead to `target`. The present ones end when they are free. */
export const movePool = (pool: Sql, target: DatabaseTarget): void => directions.get(pool)?.(target)

const READ_ONLY = '25006'
const DISK_FULL = '53100'
const DROP_INTERVAL_MS = 2_000
const droppedAt = new WeakMap<Sql, number>()

/**
 * A session keeps the `default_transaction_read_only` that it began with, so a pooled connection could stay
 * read-only forever. So each connection checks its session, and ends it if it is read-only. Connections to a
 * replica stay, because new ones would be read-only too.
 */
function dropReadOnlyConnections(pool: Sql, size: number): void {
  const now = performance.now()
  if (now - (droppedAt.get(pool) ?? Number.NEGATIVE_INFINITY) < DROP_INTERVAL_MS) return
  droppedAt.set(pool, now)
  for (let i = 0; i < size; i++) {
    pool`select pg_terminate_backend(pg_backend_pid())
      where current_setting('transaction_read_only')::boolean and not pg_is_in_recovery()`.catch(
      () => undefined,
    )
  }
}

/**
 * Returns the statement unprepared. For statements with thousands of variants: each prepared variant uses
 * about 100 kB of the server's memory until the connection ends. Planning costs up to a millisecond.
 */
export function unprepared<T extends object>(statement: T): T {
  ;(statement as unknown as { options: { prepare?: boolean } }).options.prepare = false
  return statement
}

const sessionSettings = ({ forQueue, isDistributed }: PoolOptions) => ({
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  ...(isDistributed ? {} : { plan_cache_mode: 'force_generic_plan' }),
  // A plan prepared while a table was small would scan it for as long as the connection lasts. Where an
  // index serves the statement, it is used; other statements still scan.
  enable_seqscan: 'off',
  // The queue settings raise estimated costs so much that PostgreSQL 15 compiles plans: 289 of 403 ms.
  jit: 'off',
  // The trigger `event_fans_out` is for servers of the version before, whose sessions lack this.
  'carnet.announces_events': 'on',
  ...(forQueue ? QUEUE_SETTINGS : {}),
})

/** Returns true if PgBouncer refused our session settings. */
export const isPoolerRefusal = (error: unknown): boolean =>
  sqlState(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter')

/** A function for each host of the target, which opens a pool of the driver with one connection. */
function createDrivers(target: DatabaseTarget, settings: object): OpenDriver[] {
  if ('url' in target) {
    const hosts = splitHosts(target.url)
    const limits = hosts.length > 1 ? { connect_timeout: OTHER_HOST_TIMEOUT_S } : {}
    return hosts.map(host => {
      const { url, ssl } = splitTls(host)
      return onclose => postgres(url, { ...settings, ...limits, ssl, onclose } as object)
    })
  }
  const { socketDir, port, user, password, database } = target
  const options = {
    ...settings,
    host: socketDir,
    path: `${socketDir}/.s.PGSQL.${port}`,
    user,
    ...(password === undefined ? {} : { password }),
    database,
    port,
  }
  return [onclose => postgres({ ...options, onclose })]
}

/** Counters stay far below 2^53. */
const BIGINT_AS_NUMBER = { to: 20, from: [20], serialize: String, parse: Number }

/**
 * One value for each pool, created at first use. Each shard has its own pool, so it has its own value; with
 * `perSharedDatabase`, all shards share one.
 */
export const perDatabase: <T>(make: (sql: Sql) => T) => (sql: Sql) => T = perObject

/** SQLSTATE of `carnet_refuse(reason)`: a write function rejects the call. The message is the reason. */
const REJECTED = 'CA001'

/** The SQLSTATE of a PostgreSQL error, or the driver's own code; undefined for anything else. */
export const sqlState = findErrorCode

export function findRejectReason(error: unknown): string | undefined {
  return sqlState(error) === REJECTED && error instanceof Error ? error.message : undefined
}

/** Returns true if the statement may succeed if repeated: another transaction won, or its plan was stale. */
export function isTransient(error: unknown): boolean {
  const code = sqlState(error)
  return code === '40001' || code === '40P01' || isStalePlan(error)
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Returns true if the statement waited for a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === LOCK_NOT_AVAILABLE

/**
 * True if a migration changed the columns of a statement that was prepared before. The driver then forgets
 * the statement and, outside a transaction, runs it again. Happens once per connection.
 */
const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' &&
  error instanceof Error &&
  'routine' in error &&
  error.routine === 'RevalidateCachedQuery'

/** Returns true if the connection was lost. Then it is unknown whether the statement was executed. */
export function isDisconnection(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && (ENDED_BY_SERVER.test(code) || LOST_BY_NETWORK.test(code))
}

/** Citus has no code of its own for a node that another one cannot reach. */
const INTERNAL_ERROR = 'XX000'
const LOST_NODE =
  /^(failure on connection|failed to prepare transaction|could not commit transaction|connection (establishment|to the remote node)|server closed the connection)/
/** After a COPY to another node, Citus repeats the message but not the code. */
const ENDED_COPY = /^(terminating connection|canceling statement|the database system is)/

const APP_ERRORS: readonly [RegExp, () => AppError][] = [
  [ENDED_BY_SERVER, databaseUnavailable],
  [LOST_BY_NETWORK, databaseUnavailable],
  [/^25006$/, readOnly],
  [/^53100$/, diskFull],
  [/^(53|58|40001|40P01|55P03|57014|25P03)/, databaseUnavailable],
  // The transaction could not be rolled back to its savepoint, because a node of a cluster was lost.
  [/^(25P02|3B001)$/, databaseUnavailable],
  // Only the coordinator of a cluster can draw the number of an account.
  [/^2200H$/, databaseUnavailable],
  [/^(22P05|22P02|22003|22021|22025|54000|54001)$/, unstorable],
]

/**
 * The message does not say whether a change was made: the connection may have been lost during the commit.
 */
export function databaseUnavailable(): AppError {
  const message =
    'The database does not answer right now; try again in a moment. If you were changing something, the change may or may not ' +
    'have been made. If the request had an Idempotency-Key, send it again unchanged. Otherwise check first.'
  return new AppError('unavailable', message, undefined, 2_000)
}

function readOnly(): AppError {
  const message =
    'The database can be read but not written to right now. Nothing was changed; try again in a moment.'
  return new AppError('unavailable', message, undefined, 2_000)
}

/** PostgreSQL rolls back a transaction that finds no room. */
function diskFull(): AppError {
  const message =
    'The disk of the database is full, so nothing can be stored right now. Nothing was changed. The operator of this service ' +
    'has to free some space; try again later.'
  return new AppError('unavailable', message, undefined, 30_000)
}

function unstorable(): AppError {
  return new AppError('validation', 'A value in the request cannot be stored. Check its texts and numbers.', [
    {
      path: ['data'],
      code: 'format',
      message: 'data contains text or a number that cannot be stored.',
    },
  ])
}

/** The error to show to a client; undefined if the cause is a bug. */
export function explainDatabaseError(error: unknown): AppError | undefined {
  if (isStalePlan(error)) return databaseUnavailable()
  const code = sqlState(error)
  const isFromNode =
    code === INTERNAL_ERROR &&
    error instanceof Error &&
    (LOST_NODE.test(error.message) || ENDED_COPY.test(error.message))
  if (isFromNode) return databaseUnavailable()
  return code === undefined ? undefined : APP_ERRORS.find(([pattern]) => pattern.test(code))?.[1]()
}

const MAX_ATTEMPTS = 3

/** Repeats `run` after a transient error, at most twice, and after stale plans up to once per connection. */
export async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  let attempts = 0
  for (let stalePlans = 0; ; ) {
    try {
      return await run()
    } catch (error) {
      if (isStalePlan(error)) stalePlans++
      else attempts++
      if (!isTransient(error) || attempts === MAX_ATTEMPTS || stalePlans > POOL_SIZE) throw error
    }
  }
}

const REACHABLE_TIMEOUT_MS = 2_000

export type DatabaseState = 'writable' | 'read-only' | 'unreachable'

/** Returns true if the database answers a trivial statement within two seconds. */
export const isReachable = async (sql: Sql): Promise<boolean> =>
  (await findDatabaseState(sql)) !== 'unreachable'

/**
 * True if the database's disk has no room for a megabyte. Rows that do not fit into `work_mem` go to a
 * temporary file, which needs room as a table does but leaves nothing behind, and no WAL.
 */
export async function isDatabaseDiskFull(sql: Sql): Promise<boolean> {
  const query = sql`
    select count(*) from (select set_config('work_mem', '64kB', true) as value offset 0) as setting,
      lateral generate_series(1, 50000 + length(value)) as row`
  const found = query.then(
    () => false,
    error => sqlState(error) === DISK_FULL,
  )
  return withTimeout(found, REACHABLE_TIMEOUT_MS, databaseUnavailable).catch(() => false)
}

/** `unreachable` if the database does not answer within two seconds. */
export async function findDatabaseState(sql: Sql): Promise<DatabaseState> {
  const query = sql<{ readOnly: boolean }[]>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`
  const state = query.then(([row]): DatabaseState => {
    if (row?.readOnly) dropReadOnlyConnections(sql, getPoolUsage(sql).size)
    return row?.readOnly ? 'read-only' : 'writable'
  })
  return withTimeout(state, REACHABLE_TIMEOUT_MS, databaseUnavailable).catch(() => 'unreachable')
}
