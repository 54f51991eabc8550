/**
 * A pool of independent connections: each is a driver's pool of one, discarded when it closes, because the
 * driver's own reconnecting is broken (see `test/kernel/connection-pool.test.ts`).
 */
import type postgres from 'postgres'
import { findErrorCode } from '../errors.ts'
import { ConnectionError, PoolQueue, type PoolUsage } from './pool-queue.ts'

type Sql = postgres.Sql

/** `text` has `$1` in place of parameters, which are data of accounts. */
export type FinishedStatement = { text: string; ms: number; failed: boolean }

type Method = (...args: unknown[]) => unknown

/**
 * The members of a driver's statement besides those of a promise. `state` is null until the statement is
 * sent.
 */
type Query = {
  handler: (query: Query) => unknown
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  state: unknown
  string?: string
  strings: readonly string[]
}

const queues = new WeakMap<object, PoolQueue>()

/** How busy a pool of `openPool` is. */
export const getPoolUsage = (sql: Sql): PoolUsage =>
  queues.get(sql)?.usage() ?? { size: 0, busy: 0, waiting: 0 }

/** Whether a pool of `openPool` was ended. */
export const isPoolEnded = (sql: Sql): boolean => queues.get(sql)?.isClosed ?? false

type PoolListeners = {
  /** Called with every statement, also those in transactions. */
  onStatementEnd?: ((statement: FinishedStatement) => void) | undefined
  /** Called with every error of the database or of a connection. */
  onFailure: (reason: unknown) => void
}

/** Opens a driver's pool of one connection. It calls `onclose` each time its connection closes. */
type OpenDriver = (onclose: () => void) => Sql

type Connection = { driver: Sql; onLost?: (() => void) | undefined }

const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 1_000

class Connections {
  readonly queue: PoolQueue
  readonly listeners: PoolListeners
  private readonly openDriver: OpenDriver
  /** Builds the statements that connections run. It never connects. */
  readonly template: Sql
  private readonly opened = new Set<Connection>()
  private readonly idle: Connection[] = []
  private failures = 0

  constructor(openDriver: OpenDriver, size: number, listeners: PoolListeners) {
    this.openDriver = openDriver
    this.listeners = listeners
    this.template = openDriver(() => {})
    this.queue = new PoolQueue(size)
  }

  /** Waits for a connection. */
  lease(): Promise<Lease> {
    return new Promise((resolve, reject) =>
      this.queue.enter({ go: () => resolve(new Lease(this)), giveUp: reject }),
    )
  }

  /** The connection that has been idle longest, as in the driver's own pool. */
  take(): Connection {
    // `template` has ended too, so it rejects every statement.
    if (this.queue.isClosed) return { driver: this.template }
    return this.idle.shift() ?? this.open()
  }

  private open(): Connection {
    const connection: Connection = { driver: this.openDriver(() => this.discard(connection)) }
    this.opened.add(connection)
    return connection
  }

  isLost(connection: Connection): boolean {
    return !this.opened.has(connection)
  }

  /** Removes a connection that was lost or is about to be. */
  discard(connection: Connection): void {
    this.opened.delete(connection)
    const index = this.idle.indexOf(connection)
    if (index >= 0) this.idle.splice(index, 1)
    connection.onLost?.()
  }

  /** Waits for a microtask, because the driver settles a statement before it has its connection back. */
  giveBack(connection: Connection): void {
    this.failures = 0
    queueMicrotask(() => {
      if (!this.isLost(connection)) this.idle.push(connection)
      this.queue.leave()
    })
  }

  /**
   * The driver rejects statements at a socket's `error` and notices its `close` after the next
   * `setImmediate`. Only then is it known whether the connection is lost. A lost connection is replaced after
   * a pause that grows each time.
   */
  giveBackAfterFailure(connection: Connection): void {
    setImmediate(() =>
      setImmediate(() => {
        if (!this.isLost(connection)) return this.giveBack(connection)
        const pauseMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.failures++, MAX_BACKOFF_MS)
        setTimeout(() => this.queue.leave(), pauseMs)
      }),
    )
  }

  async end(...args: Parameters<Sql['end']>): Promise<void> {
    this.queue.close()
    const drivers = [this.template, ...[...this.opened].map(({ driver }) => driver)]
    await Promise.all(drivers.map(driver => driver.end(...args)))
  }
}

/** The use of a connection by one statement or transaction. */
class Lease {
  private readonly connections: Connections
  connection: Connection
  private isReplaced = false
  private hasEnded = false

  constructor(connections: Connections) {
    this.connections = connections
    this.connection = connections.take()
  }

  /**
   * For a failure before the statement was sent: discards the connection. Returns whether to send the
   * statement on another one: once, if the server shut down, crashed, or ended the connection, even while it
   * was being opened.
   */
  replace(reason: unknown): boolean {
    if (this.hasEnded) return false
    this.connection.onLost = undefined
    this.connections.discard(this.connection)
    if (this.isReplaced || !/^57P0[12]$/.test(findErrorCode(reason) ?? '')) return false
    this.isReplaced = true
    this.connection = this.connections.take()
    return true
  }

  /** A second call does nothing. */
  end(failed: boolean): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.connection.onLost = undefined
    if (failed) this.connections.giveBackAfterFailure(this.connection)
    else this.connections.giveBack(this.connection)
  }
}

/** A pool of at most `size` connections, opened when needed. A statement waits until one is free. */
export function createConnectionPool(openDriver: OpenDriver, size: number, listeners: PoolListeners): Sql {
  const connections = new Connections(openDriver, size, listeners)
  const pool = wrap(
    connections.template,
    query => guardQuery(query, connections),
    (name, method) => {
      if (name === 'begin') return (...args) => begin(args, connections)
      if (name === 'reserve') return () => reserve(connections)
      if (name === 'end') return (...args) => connections.end(...(args as Parameters<Sql['end']>))
      return method
    },
  )
  queues.set(pool, connections.queue)
  return pool
}

const isQuery = (value: unknown): value is Query =>
  value instanceof Promise && 'handler' in value && typeof value.handler === 'function'

/**
 * Calls `onQuery` with each statement that `target` or its `unsafe` builds. `replace` may change its methods.
 */
function wrap<T extends object>(
  target: T,
  onQuery: (query: Query) => void,
  replace: (name: string | symbol, method: Method) => Method = (_name, method) => method,
): T {
  const pass = (value: unknown) => {
    if (isQuery(value)) onQuery(value)
    return value
  }
  const members = new Map<string | symbol, unknown>()
  const wrapMember = (name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name)
    if (typeof value !== 'function') return value
    const method = value as Method
    if (name === 'unsafe') return (...args: unknown[]) => pass(method(...args))
    if (name === 'savepoint') {
      return (...args: unknown[]) => method(...args.map(arg => wrapCallback(arg, sql => wrap(sql, onQuery))))
    }
    return replace(name, method)
  }
  return new Proxy(target, {
    apply: (call, self, args) => pass(Reflect.apply(call as unknown as Method, self, args)),
    get(_target, name) {
      if (!members.has(name)) members.set(name, wrapMember(name))
      return members.get(name)
    },
  })
}

/** If `arg` is a callback of `begin` or `savepoint`, it gets the wrapped `sql`. */
const wrapCallback = (arg: unknown, wrapSql: (sql: object) => object): unknown =>
  typeof arg === 'function' ? (sql: object) => arg(wrapSql(sql)) : arg

/** The driver calls the handler when a statement is awaited, never for a fragment of another statement. */
function guardQuery(query: Query, connections: Connections): void {
  const { resolve, reject } = query
  const { queue, listeners } = connections
  query.handler = () => {
    const report = createReport(query, listeners)
    const giveUp = (reason: Error) => {
      report(true)
      reject(reason)
    }
    const go = () => {
      const unwatch = queue.watch(giveUp)
      const lease = new Lease(connections)
      const send = () => {
        const { connection } = lease
        // The driver loses a statement that it gets between a socket's `error` and its `close`.
        connection.onLost = () =>
          query.reject(new ConnectionError('CONNECTION_CLOSED', 'the connection was closed'))
        // All statements of a driver's pool have the same handler.
        const { handler } = connection.driver.unsafe('') as unknown as Query
        handler(query)
      }
      const end = (failed: boolean) => {
        unwatch()
        lease.end(failed)
        report(failed)
      }
      query.resolve = value => {
        end(false)
        resolve(withoutHoles(value))
      }
      // The driver rejects some statements twice: for the server's error and for the end of the connection.
      query.reject = reason => {
        if (query.state === null && lease.replace(reason)) return send()
        end(true)
        listeners.onFailure(reason)
        reject(reason)
      }
      send()
    }
    queue.enter({ go, giveUp })
  }
}

/** Reports the end of a statement once, with the time since this call. */
function createReport(query: Query, { onStatementEnd }: PoolListeners): (failed: boolean) => void {
  const began = performance.now()
  let isReported = false
  return failed => {
    if (isReported) return
    isReported = true
    // A statement that was never sent has no `string`.
    onStatementEnd?.({ text: query.string ?? query.strings.join('$'), ms: performance.now() - began, failed })
  }
}

/**
 * If a result fails in the middle, the driver does not reset its row counter, so the next result begins with
 * empty entries.
 */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && !(0 in value)) {
    const first = value.findIndex(row => row !== undefined)
    value.splice(0, first)
  }
  return value
}

/** Reports statements on a connection that is leased already. */
const observe =
  (listeners: PoolListeners, onResult: (query: Query) => void = () => {}) =>
  (query: Query): void => {
    const { handler, resolve, reject } = query
    query.handler = sent => {
      const report = createReport(query, listeners)
      query.resolve = value => {
        report(false)
        onResult(query)
        resolve(withoutHoles(value))
      }
      query.reject = reason => {
        report(true)
        listeners.onFailure(reason)
        reject(reason)
      }
      return handler(sent)
    }
  }

const ENDS = new Set(['commit', 'rollback'])

/**
 * A transaction leases its connection until the driver's promise settles, or until `transaction.ts` sends a
 * `commit` or `rollback`, which the driver does not notice.
 */
async function begin(args: unknown[], connections: Connections) {
  const lease = await connections.lease()
  let hasBegun = false
  const onQuery = observe(connections.listeners, query => {
    if (ENDS.has(query.string ?? '')) lease.end(false)
  })
  const wrapped = args.map(arg =>
    wrapCallback(arg, sql => {
      hasBegun = true
      return wrap(sql, onQuery)
    }),
  )
  const run = () => (lease.connection.driver.begin as Method)(...wrapped) as Promise<unknown>
  try {
    const value = await run().catch(reason => {
      if (hasBegun || !lease.replace(reason)) throw reason
      return run()
    })
    lease.end(false)
    return value
  } catch (error) {
    lease.end(true)
    throw error
  }
}

async function reserve(connections: Connections) {
  const lease = await connections.lease()
  // Without `fetch_types` the driver never settles a reservation for which it must connect. A statement
  // connects first; after its result the connection is free, and no other statement was sent on it.
  const connect = () => lease.connection.driver.unsafe('select 1')
  try {
    await connect().catch(reason => {
      if (!lease.replace(reason)) throw reason
      return connect()
    })
    const reserved = await lease.connection.driver.reserve()
    return wrap(reserved, observe(connections.listeners), (name, release) => {
      if (name !== 'release') return release
      return () => {
        // The driver would treat a closed connection as open.
        if (!connections.isLost(lease.connection)) release()
        lease.end(false)
      }
    })
  } catch (error) {
    lease.end(true)
    throw error
  }
}
