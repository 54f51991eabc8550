/**
 * A pool of independent connections: each is a driver's pool of one, discarded when it closes, because the
 * driver's own reconnecting is broken (see `test/kernel/connection-pool.test.ts`).
 */
import type postgres from 'postgres'
import { Connections, Lease, type OpenDriver, type PoolListeners } from './connections.ts'
import { ConnectionError, type PoolUsage } from './pool-queue.ts'

type Sql = postgres.Sql

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

const pools = new WeakMap<object, Connections>()

/** How busy a pool of `openPool` is. */
export const getPoolUsage = (sql: Sql): PoolUsage =>
  pools.get(sql)?.queue.usage() ?? { size: 0, busy: 0, waiting: 0 }

/** Returns true if a pool of `openPool` was ended. */
export const isPoolEnded = (sql: Sql): boolean => pools.get(sql)?.queue.isClosed ?? false

/** The pool opens further connections by these drivers. Those that it has end when they are free. */
export const redirectPool = (sql: Sql, drivers: readonly OpenDriver[]): void =>
  pools.get(sql)?.redirect(drivers)

/** A pool of at most `size` connections, opened when needed. A statement waits until one is free. */
export function createConnectionPool(
  drivers: readonly OpenDriver[],
  size: number,
  listeners: PoolListeners,
): Sql {
  const connections = new Connections(drivers, size, listeners)
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
  pools.set(pool, connections)
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

/**
 * Reports statements on a connection that is leased already. If it is lost they fail: the driver would write
 * to a socket that it no longer has, which throws where nobody can catch it.
 */
const observe =
  ({ listeners }: Connections, isLost: () => boolean, onResult: (query: Query) => void = () => {}) =>
  (query: Query): void => {
    const { handler, resolve, reject } = query
    query.handler = sent => {
      if (isLost()) return reject(new ConnectionError('CONNECTION_CLOSED', 'the connection was closed'))
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
  const isLost = () => connections.isLost(lease.connection)
  const onQuery = observe(connections, isLost, query => {
    if (ENDS.has(query.string ?? '')) lease.end(false)
  })
  const wrapped = args.map(arg => {
    if (typeof arg !== 'function') return arg
    return (sql: object) => {
      hasBegun = true
      return settleUnlessLost(() => arg(wrap(sql, onQuery)), isLost)
    }
  })
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

/**
 * Never settles once the connection is lost. The driver rejects the transaction then, and must not send the
 * `commit` or `rollback` that follows the callback: there is no socket any more.
 */
async function settleUnlessLost(work: () => unknown, isLost: () => boolean): Promise<unknown> {
  try {
    const result = work()
    return await (Array.isArray(result) ? Promise.all(result) : result)
  } finally {
    if (isLost()) await new Promise(() => {})
  }
}

async function reserve(connections: Connections) {
  const lease = await connections.lease()
  // Without `fetch_types` the driver never settles a reservation of a connection that is not open yet. So a
  // statement opens it first; no other statement can come between.
  const connect = () => lease.connection.driver.unsafe('select 1')
  try {
    await connect().catch(reason => {
      if (!lease.replace(reason)) throw reason
      return connect()
    })
    const reserved = await lease.connection.driver.reserve()
    const onQuery = observe(connections, () => connections.isLost(lease.connection))
    return wrap(reserved, onQuery, (name, release) => {
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
