/**
 * The driver's pool with what it leaves open: a turnstile before its connections, a second try for a statement that is
 * told what another one's connection died of, rows without holes, and word of every statement's end.
 */
import type postgres from 'postgres'
import { type PoolNumbers, Turnstile } from './turnstile.ts'

type Sql = postgres.Sql

/** `text` has `$1` where parameters were: those are data of accounts, and nobody looks at them here. */
export type Statement = { text: string; ms: number; failed: boolean }

type Ended = (statement: Statement) => void
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

const turnstiles = new WeakMap<object, Turnstile>()

/** How busy a pool of `openPool` is. */
export const poolNumbers = (sql: Sql): PoolNumbers =>
  turnstiles.get(sql)?.numbers() ?? { size: 0, busy: 0, waiting: 0 }

/** Whether the pool of `openPool` has been told to end. */
export const isEnded = (sql: Sql): boolean => turnstiles.get(sql)?.isClosed ?? false

export type Listeners = {
  /** Hears of every statement, those in transactions too. */
  ended?: Ended | undefined
  /** Hears of every error that the database answered with, or that a connection ended with. */
  failed: (reason: unknown) => void
}

/** The same pool, guarded. */
export function guardPool(pool: Sql, size: number, listeners: Listeners): Sql {
  const turnstile = new Turnstile(size)
  const guarded = wrap(
    pool,
    query => guardQuery(query, turnstile, listeners),
    (name, method) => {
      if (name === 'begin') return (...args) => begin(method, args, turnstile, listeners)
      if (name === 'reserve') return () => reserve(pool, method, turnstile, listeners)
      if (name !== 'end') return method
      return (...args) => {
        turnstile.close()
        return method(...args)
      }
    },
  )
  turnstiles.set(guarded, turnstile)
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
function guardQuery(query: Query, turnstile: Turnstile, { ended, failed: hear }: Listeners): void {
  const { handler, resolve, reject } = query
  query.handler = () => {
    const note = noting(query, ended)
    const go = () => {
      const watch = turnstile.watch(reason => {
        note(true)
        reject(reason)
      })
      let isOver = false
      // The driver rejects some statements twice: for what the server said, and for the connection that ended.
      const leave = (failed: boolean) => {
        if (isOver) return
        isOver = true
        turnstile.unwatch(watch)
        if (failed) turnstile.leaveAfterFailure()
        else turnstile.leave()
        note(failed)
      }
      let isSecond = false
      query.resolve = value => {
        leave(false)
        resolve(withoutHoles(value))
      }
      query.reject = reason => {
        if (!isSecond && query.state === null && isOfAnother(reason)) {
          isSecond = true
          setImmediate(handler, query)
          return
        }
        leave(true)
        hear(reason)
        reject(reason)
      }
      handler(query)
    }
    const giveUp = (reason: Error) => {
      note(true)
      reject(reason)
    }
    turnstile.enter({ go, giveUp })
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

/**
 * The driver keeps the last words of a connection whose server ended it in the middle of a statement, and says them to
 * the first statement of the next connection, which was never sent.
 */
function isOfAnother(reason: unknown): boolean {
  return reason instanceof Error && 'code' in reason && /^57P0[12]$/.test(String(reason.code))
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
  ({ ended, failed }: Listeners, over: (query: Query) => void = () => {}) =>
  (query: Query): void => {
    const { handler, resolve, reject } = query
    query.handler = asked => {
      const note = noting(query, ended)
      query.resolve = value => {
        note(false)
        over(query)
        resolve(withoutHoles(value))
      }
      query.reject = reason => {
        note(true)
        failed(reason)
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
function begin(method: Method, args: unknown[], turnstile: Turnstile, listeners: Listeners) {
  return new Promise((resolve, reject) => {
    const go = () => {
      let isOver = false
      let hasBegun = false
      const over = (failed = false) => {
        if (isOver) return
        isOver = true
        if (failed) turnstile.leaveAfterFailure()
        else turnstile.leave()
      }
      const watch = timed(listeners, query => {
        if (ENDS.has(query.string ?? '')) over()
      })
      const run = () =>
        method(
          ...args.map(arg =>
            onInner(arg, inner => {
              hasBegun = true
              return wrap(inner, watch)
            }),
          ),
        ) as Promise<unknown>
      run()
        .catch(reason => {
          if (hasBegun || !isOfAnother(reason)) throw reason
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
    turnstile.enter({ go, giveUp: reject })
  })
}

async function reserve(pool: Sql, method: Method, turnstile: Turnstile, listeners: Listeners) {
  await new Promise<void>((resolve, reject) => turnstile.enter({ go: resolve, giveUp: reject }))
  // Without `fetch_types` the driver never answers a reservation for which it has to connect, so a statement connects.
  // When its answer is here, its connection is free, and nobody else has run since.
  const connect = () => pool.unsafe('select 1')
  try {
    await connect().catch(reason => {
      if (!isOfAnother(reason)) throw reason
      return connect()
    })
    const inner = (await method()) as postgres.ReservedSql
    return wrap(inner, timed(listeners), (name, release) => {
      if (name !== 'release') return release
      return () => {
        release()
        turnstile.leave()
      }
    })
  } catch (error) {
    turnstile.leaveAfterFailure()
    throw error
  }
}
