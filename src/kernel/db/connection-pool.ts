/**
 * A pool of connections that share nothing. Each is a pool of one of the driver's and is thrown away when it closes,
 * because the driver's own reconnecting is broken: see the faults in `test/kernel/guarded-pool.test.ts`.
 */

import type postgres from 'postgres'
import { findErrorCode } from '../errors.ts'
import { PoolQueue, type PoolUsage } from './pool-queue.ts'

type Sql = postgres.Sql

/** `text` has `$1` where parameters were: those are data of accounts, and nobody looks at them here. */
export type FinishedStatement = { text: string; ms: number; failed: boolean }

type Ended = (statement: FinishedStatement) => void
type Method = (...args: unknown[]) => unknown

/** What the driver's statements have besides being promises. `state` is null until one is written to a connection. */
type Query = {
  handler: (query: Query) => unknown
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  state: unknown
  string?: string
  strings: readonly string[]
}

const turnstiles = new WeakMap<object, PoolQueue>()

/** How busy a pool of `openPool` is. */
export const getPoolUsage = (sql: Sql): PoolUsage =>
  turnstiles.get(sql)?.usage() ?? { size: 0, busy: 0, waiting: 0 }

/** Whether the pool of `openPool` has been told to end. */
export const isPoolEnded = (sql: Sql): boolean => turnstiles.get(sql)?.isClosed ?? false

type PoolListeners = {
  /** Hears of every statement, those in transactions too. */
  onStatementEnd?: Ended | undefined
  /** Hears of every error that the database answered with, or that a connection ended with. */
  onFailure: (reason: unknown) => void
}

/** Opens a driver's pool of one connection, which calls `onclose` each time that its connection closes. */
type OpenDriver = (onclose: () => void) => Sql

type Connection = { driver: Sql; isLost: boolean; onLost: (() => void) | undefined }

const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 1_000

class Connections {
  private readonly turnstile: PoolQueue
  private readonly openDriver: OpenDriver
  /** Makes statements for the others and never connects. */
  readonly template: Sql
  private readonly opened = new Set<Connection>()
  private readonly idle: Connection[] = []
  private failures = 0

  constructor(openDriver: OpenDriver, size: number) {
    this.openDriver = openDriver
    this.template = openDriver(() => {})
    this.turnstile = new PoolQueue(size)
  }

  get queue(): PoolQueue {
    return this.turnstile
  }

  /** The one that has been idle longest, as the driver does it. */
  take(): Connection {
    // Ended as well, so it rejects what it is given.
    if (this.turnstile.isClosed) return { driver: this.template, isLost: false, onLost: undefined }
    return this.idle.shift() ?? this.open()
  }

  private open(): Connection {
    const driver = this.openDriver(() => this.lose(connection))
    const connection: Connection = { driver, isLost: false, onLost: undefined }
    this.opened.add(connection)
    return connection
  }

  /** Never hands this connection out again. */
  lose(connection: Connection): void {
    connection.isLost = true
    this.opened.delete(connection)
    const index = this.idle.indexOf(connection)
    if (index >= 0) this.idle.splice(index, 1)
    connection.onLost?.()
  }

  /** The driver settles a statement before it has the connection back, hence a microtask later. */
  giveBack(connection: Connection): void {
    this.failures = 0
    queueMicrotask(() => {
      if (!connection.isLost) this.idle.push(connection)
      this.turnstile.leave()
    })
  }

  /**
   * The driver rejects statements at a socket's `error` and notices its `close` after the next `setImmediate`. Only then
   * is known whether the connection is lost; the place of a lost one stays empty for a while, longer each time.
   */
  giveBackAfterFailure(connection: Connection): void {
    setImmediate(() =>
      setImmediate(() => {
        if (!connection.isLost) return this.giveBack(connection)
        setTimeout(
          () => this.turnstile.leave(),
          Math.min(FIRST_BACKOFF_MS * 2 ** this.failures++, MAX_BACKOFF_MS),
        )
      }),
    )
  }

  async end(...args: Parameters<Sql['end']>): Promise<void> {
    this.turnstile.close()
    const drivers = [this.template, ...[...this.opened].map(({ driver }) => driver)]
    await Promise.all(drivers.map(driver => driver.end(...args)))
  }
}

/** At most `size` connections, opened when they are needed; a statement waits until one is free. */
export function createConnectionPool(openDriver: OpenDriver, size: number, listeners: PoolListeners): Sql {
  const connections = new Connections(openDriver, size)
  const guarded = wrap(
    connections.template,
    query => guardQuery(query, connections, listeners),
    (name, method) => {
      if (name === 'begin') return (...args) => begin(args, connections, listeners)
      if (name === 'reserve') return () => reserve(connections, listeners)
      if (name === 'end') return (...args) => connections.end(...(args as Parameters<Sql['end']>))
      return method
    },
  )
  turnstiles.set(guarded, connections.queue)
  return guarded
}

const isQuery = (value: unknown): value is Query =>
  value instanceof Promise && 'handler' in value && typeof value.handler === 'function'

/** Statements made by calling `target`, or its `unsafe`, are shown to `onQuery`; `replace` may change its methods. */
function wrap<T extends object>(
  target: T,
  onQuery: (query: Query) => void,
  replace: (name: string | symbol, method: Method) => Method = (_name, method) => method,
): T {
  const shown = (value: unknown) => {
    if (isQuery(value)) onQuery(value)
    return value
  }
  const methods = new Map<string | symbol, unknown>()
  const find = (name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name)
    if (typeof value !== 'function') return value
    const method = value as Method
    if (name === 'unsafe') return (...args: unknown[]) => shown(method(...args))
    if (name === 'savepoint') {
      return (...args: unknown[]) => method(...args.map(arg => onInner(arg, inner => wrap(inner, onQuery))))
    }
    return replace(name, method)
  }
  return new Proxy(target, {
    apply: (call, self, args) => shown(Reflect.apply(call as unknown as Method, self, args)),
    get(_target, name) {
      if (!methods.has(name)) methods.set(name, find(name))
      return methods.get(name)
    },
  })
}

const onInner = (arg: unknown, wrapInner: (inner: object) => object): unknown =>
  typeof arg === 'function' ? (inner: object) => arg(wrapInner(inner)) : arg

/** The handler is called when a statement is asked for; for pieces of other statements it never is. */
function guardQuery(
  query: Query,
  connections: Connections,
  { onStatementEnd, onFailure: hear }: PoolListeners,
): void {
  const { resolve, reject } = query
  const turnstile = connections.queue
  query.handler = () => {
    const note = noting(query, onStatementEnd)
    const giveUp = (reason: Error) => {
      note(true)
      reject(reason)
    }
    const go = () => {
      const watch = turnstile.watch(giveUp)
      let connection = connections.take()
      const send = () => {
        // The driver forgets a statement that it is given between a socket's `error` and its `close`.
        connection.onLost = () => query.reject(new ConnectionLost())
        handlerOf(connection)(query)
      }
      let isOver = false
      // The driver rejects some statements twice: for what the server said, and for the connection that ended.
      const leave = (failed: boolean) => {
        if (isOver) return
        isOver = true
        connection.onLost = undefined
        turnstile.unwatch(watch)
        if (failed) connections.giveBackAfterFailure(connection)
        else connections.giveBack(connection)
        note(failed)
      }
      let isSecond = false
      query.resolve = value => {
        leave(false)
        resolve(withoutHoles(value))
      }
      query.reject = reason => {
        const wasSent = query.state !== null
        if (!wasSent && !isOver) {
          connection.onLost = undefined
          connections.lose(connection)
        }
        if (!wasSent && !isOver && !isSecond && isEndOfServer(reason)) {
          isSecond = true
          connection = connections.take()
          send()
          return
        }
        leave(true)
        hear(reason)
        reject(reason)
      }
      send()
    }
    turnstile.enter({ go, giveUp })
  }
}

/** What the driver runs a statement with on this connection: every statement of a pool has the same handler. */
const handlerOf = ({ driver }: Connection): Query['handler'] =>
  (driver.unsafe('') as unknown as Query).handler

class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  readonly code = 'CONNECTION_CLOSED'
  constructor() {
    super('the connection was closed')
  }
}

/** Tells once, with the time since now. */
function noting(query: Query, ended: Ended | undefined): (failed: boolean) => void {
  if (ended === undefined) return () => {}
  const began = performance.now()
  let isTold = false
  return failed => {
    if (isTold) return
    isTold = true
    // One that never was sent has only its pieces.
    ended({ text: query.string ?? query.strings.join('$'), ms: performance.now() - began, failed })
  }
}

/** A server that is shut down, or told to end this connection, says so to a connection that is signing in, too. */
function isEndOfServer(reason: unknown): boolean {
  return /^57P0[12]$/.test(findErrorCode(reason) ?? '')
}

/**
 * The driver numbers rows on from where a statement failed in the middle of its answer, so that the rows of the next one
 * on its connection begin with as many holes.
 */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && !(0 in value)) {
    value.splice(
      0,
      value.findIndex(row => row !== undefined),
    )
  }
  return value
}

/** Statements on a connection that is taken already: told of, nothing else. */
const timed =
  ({ onStatementEnd, onFailure }: PoolListeners, over: (query: Query) => void = () => {}) =>
  (query: Query): void => {
    const { handler, resolve, reject } = query
    query.handler = asked => {
      const note = noting(query, onStatementEnd)
      query.resolve = value => {
        note(false)
        over(query)
        resolve(withoutHoles(value))
      }
      query.reject = reason => {
        note(true)
        onFailure(reason)
        reject(reason)
      }
      return handler(asked)
    }
  }

const ENDS = new Set(['commit', 'rollback'])

/**
 * A transaction holds its connection until it is over: until the driver's promise says so, or a statement that ends it
 * has, because the driver is not told by those who send that themselves.
 */
function begin(args: unknown[], connections: Connections, listeners: PoolListeners) {
  return new Promise((resolve, reject) => {
    const go = () => {
      let connection = connections.take()
      let isOver = false
      let hasBegun = false
      const over = (failed = false) => {
        if (isOver) return
        isOver = true
        if (failed) connections.giveBackAfterFailure(connection)
        else connections.giveBack(connection)
      }
      const watch = timed(listeners, query => {
        if (ENDS.has(query.string ?? '')) over()
      })
      const inner = args.map(arg =>
        onInner(arg, sql => {
          hasBegun = true
          return wrap(sql, watch)
        }),
      )
      const run = () => (connection.driver.begin as Method)(...inner) as Promise<unknown>
      run()
        .catch(reason => {
          if (hasBegun) throw reason
          connections.lose(connection)
          if (!isEndOfServer(reason)) throw reason
          connection = connections.take()
          return run()
        })
        .then(
          value => {
            over()
            resolve(value)
          },
          reason => {
            over(true)
            reject(reason)
          },
        )
    }
    connections.queue.enter({ go, giveUp: reject })
  })
}

async function reserve(connections: Connections, listeners: PoolListeners) {
  await new Promise<void>((resolve, reject) => connections.queue.enter({ go: resolve, giveUp: reject }))
  let connection = connections.take()
  // Without `fetch_types` the driver never answers a reservation for which it has to connect, so a statement connects.
  // When its answer is here, its connection is free, and nobody else has run since.
  const connect = () => connection.driver.unsafe('select 1')
  try {
    await connect().catch(reason => {
      connections.lose(connection)
      if (!isEndOfServer(reason)) throw reason
      connection = connections.take()
      return connect()
    })
    const inner = await connection.driver.reserve()
    return wrap(inner, timed(listeners), (name, release) => {
      if (name !== 'release') return release
      return () => {
        // The driver would take a closed connection for an open one.
        if (!connection.isLost) release()
        connections.giveBack(connection)
      }
    })
  } catch (error) {
    connections.giveBackAfterFailure(connection)
    throw error
  }
}
