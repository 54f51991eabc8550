/**
 * A transaction that behaves like the pool: a savepoint around each statement lets operations catch an error
 * and continue. A savepoint is sent with its statement and costs no round trip.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { AppError, assert, toError } from '../errors/errors.ts'
import { databaseUnavailable, isDisconnection, isLockTimeout, isTransient, type Sql } from './database.ts'

/** The driver's type for a transaction lacks only the methods that open and close connections. */
export const asSql = (tx: postgres.TransactionSql): Sql => tx as unknown as Sql

type Work<T> = (sql: Sql) => Promise<T>
/** Runs `work` as a nested transaction. */
type Nest = <T>(work: Work<T>) => Promise<T>
type Run = <T>(work: () => Promise<T>) => Promise<T>
type Statement = postgres.PendingQuery<postgres.Row[]>
type LastStatement<T> = (sql: Sql, value: T) => Statement | undefined

type Transaction = {
  session: Session
  nest: Nest
  /** Undefined: as the pool says. */
  searchPath: string | undefined
  /** The same transaction with another search path. */
  enter: (searchPath: string | undefined) => Sql
}

const transactions = new WeakMap<Sql, Transaction>()

/** The pool that a transaction was begun on; a pool itself. */
export const getPool = (sql: Sql): Sql => transactions.get(sql)?.session.pool ?? sql

export const isTransaction = (sql: Sql): boolean => transactions.has(sql)

/** The search path of `withSearchPath`; undefined for any other transaction or pool. */
export const findSearchPath = (sql: Sql): string | undefined => transactions.get(sql)?.searchPath

/**
 * The same transaction, whose statements find their tables by this search path; without one, by the pool's.
 * Returns the same value for the same path.
 */
export function withSearchPath(sql: Sql, searchPath: string | undefined): Sql {
  const transaction = transactions.get(sql)
  assert(transaction, 'only a transaction can change its search path')
  return transaction.enter(searchPath)
}

/** Calls `work` at once on a pool, after the commit in a transaction, never after a rollback. */
export function afterCommit(sql: Sql, work: (pool: Sql) => void): void {
  const session = transactions.get(sql)?.session
  if (session === undefined) work(sql)
  else session.afterCommit.push(work)
}

/**
 * Runs `work` in a transaction, which is rolled back if `work` throws. If `sql` is a transaction already, the
 * new one is nested in it and can be rolled back alone. `last` builds a statement that is sent together with
 * the commit; a nested transaction ignores it.
 */
export function inTransaction<T>(sql: Sql, work: Work<T>, last?: LastStatement<T>): Promise<T> {
  const nest = transactions.get(sql)?.nest
  return nest === undefined ? runTransaction(sql, work, last) : nest(work)
}

/**
 * The database aborted the transaction because of another one or of a stale plan. Only the whole transaction
 * can be repeated, so `withRetries` inside it must not see a transient error. The caller of `inTransaction`
 * gets the database's own error.
 */
class TransactionAborted extends Error {
  override name = 'TransactionAborted'
}

/**
 * Another transaction changed the rows that this one has read. It may not read on, because it would lock rows
 * out of the order of locks: it must begin again. Thrown by `work`, caught by `repeatTransaction`.
 */
export class TransactionConflict extends Error {
  override name = 'TransactionConflict'
}

const MAX_TRANSACTIONS = 50
/** Each attempt waits longer by this, and at random, so that two do not meet again: 2.5 seconds at most. */
const REPEAT_PAUSE_MS = 2

/**
 * Runs a function that runs a transaction, and runs it again after a `TransactionConflict`, and after it has
 * waited for a lock for too long. Throws `unavailable` in the end.
 */
export async function repeatTransaction<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TransactionConflict || isLockTimeout(error))) throw error
      if (attempt === MAX_TRANSACTIONS) throw isLockTimeout(error) ? databaseUnavailable() : contentionError()
      await pauseBefore(attempt)
    }
  }
}

const pauseBefore = (attempt: number) => pause(attempt * REPEAT_PAUSE_MS * (0.5 + Math.random() / 2))

const MAX_SHORT_WAITS = 20

/**
 * For statements that lock rows out of the order of locks, and so wait only a moment for each
 * (`lock_timeout`): two may wait for each other. PostgreSQL needs a second to detect that. `run` is a
 * transaction on `sql`: its locks are released before it begins again. A nested one gives up earlier, so
 * that `repeatTransaction` releases the locks of the outer one, too.
 */
export async function retryOnLockTimeout<T>(sql: Sql, run: () => Promise<T>): Promise<T> {
  if (!isTransaction(sql)) return repeatTransaction(run)
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLockTimeout(error) || attempt === MAX_SHORT_WAITS) throw error
      await pauseBefore(attempt)
    }
  }
}

const contentionError = () =>
  new AppError(
    'unavailable',
    'The products of this request are being changed by many requests at once. Try again in a moment.',
  )

const ignore = () => {}

class Session {
  readonly raw: Sql
  readonly pool: Sql
  readonly afterCommit: ((pool: Sql) => void)[] = []
  /** Set when the transaction has ended: the error of every later statement. */
  ended: Error | undefined
  /** The first error of a statement that nobody waits for. It has aborted the transaction. */
  unawaitedError: unknown
  /** Where statements find their tables now; undefined: as the pool says. */
  private searchPath: string | undefined

  constructor(raw: Sql, pool: Sql) {
    this.raw = raw
    this.pool = pool
  }

  /** Runs `work` unless the transaction has ended, and records an error that ends it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen()
    try {
      const value = await work()
      this.requireOpen()
      return value
    } catch (error) {
      this.ended ??= findFatalError(error)
      throw this.ended ?? error
    }
  }

  /** If `work` fails, its writes are undone. No other statement may run meanwhile. */
  async runWithSavepoint<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen()
    const { searchPath } = this
    this.send(this.raw`savepoint s`)
    try {
      return await this.run(work)
    } catch (error) {
      if (!this.ended) this.send(this.raw`rollback to savepoint s`)
      this.searchPath = searchPath
      throw error
    } finally {
      if (!this.ended) this.send(this.raw`release savepoint s`)
    }
  }

  requireOpen(): void {
    if (this.ended) throw this.ended
  }

  /** Sent with the next statement, without waiting. */
  setSearchPath(searchPath: string | undefined): void {
    if (searchPath === this.searchPath) return
    this.searchPath = searchPath
    const { raw } = this
    const change =
      searchPath === undefined
        ? raw`set local search_path to default`
        : raw`select set_config('search_path', ${searchPath}, true)`
    this.send(change)
  }

  /** Without waiting. A node of a cluster may have been lost since the statement before. */
  private send(statement: Promise<unknown>): void {
    statement.catch(error => {
      this.unawaitedError ??= error
    })
  }
}

/**
 * The error for all later statements if `error` ends the whole transaction; undefined if it ends one
 * statement.
 */
function findFatalError(error: unknown): Error | undefined {
  if (isDisconnection(error)) return toError(error)
  return isTransient(error)
    ? new TransactionAborted('the transaction has to begin again', { cause: error })
    : undefined
}

async function runTransaction<T>(pool: Sql, work: Work<T>, last?: LastStatement<T>): Promise<T> {
  const session = await open(pool)
  let value: T
  try {
    // Statements run one after the other, even if `work` starts several at once.
    value = await work(createSql(session, statement => session.runWithSavepoint(statement)))
    session.requireOpen()
  } catch (error) {
    await rollBack(session)
    throw error instanceof TransactionAborted ? error.cause : error
  }
  session.setSearchPath(undefined)
  const closing = last?.(session.raw, value)
  closing?.catch(ignore)
  const commit = session.raw`commit`
  session.ended = new Error('a statement was sent to a transaction that has ended')
  const { command } = await commit
  await closing
  if (command !== 'COMMIT') throw session.unawaitedError ?? new Error(`a transaction ended with ${command}`)
  for (const callback of session.afterCommit) callback(pool)
  return value
}

/**
 * The driver's own `begin` would end the transaction at the first error of a statement, even a caught one,
 * and would send a rollback to a lost connection. So its callback never returns: this file sends commit and
 * rollback, and the driver takes the connection back when the server reports that no transaction is open.
 */
function open(pool: Sql): Promise<Session> {
  return new Promise((resolve, reject) => {
    let session: Session | undefined
    pool
      .begin(raw => {
        session = new Session(asSql(raw), pool)
        resolve(session)
        return new Promise<never>(ignore)
      })
      .catch(error => {
        // The connection was lost, during the transaction or before it.
        if (session) session.ended ??= error
        reject(error)
      })
  })
}

async function rollBack(session: Session): Promise<void> {
  const { ended } = session
  if (ended !== undefined && !(ended instanceof TransactionAborted)) return
  const rollback = session.raw`rollback`
  session.ended = new Error('a statement was sent to a transaction that was rolled back')
  await rollback.catch(ignore)
}

/**
 * After its first failure a nested transaction can only be rolled back. Its statements have no savepoints,
 * because waiters for a lock taken under a released savepoint wait until the outer transaction ends, even
 * after the nested one was rolled back.
 */
async function runNested<T>(session: Session, work: Work<T>): Promise<T> {
  let failed: { reason: unknown } | undefined
  const sql = createSql(session, async statement => {
    if (failed) throw failed.reason
    try {
      return await session.run(statement)
    } catch (reason) {
      failed ??= { reason }
      throw reason
    }
  })
  const value = await work(sql)
  if (failed) throw failed.reason
  return value
}

/** The `Sql` that operations get instead of the pool. `run` runs each of its statements. */
function createSql(session: Session, run: Run): Sql {
  let previous: Promise<unknown> = Promise.resolve()
  const runNext: Run = work => {
    const result = previous.then(work)
    previous = result.catch(ignore)
    return result
  }
  const byPath = new Map<string | undefined, Sql>()
  const enter = (searchPath: string | undefined): Sql => {
    const known = byPath.get(searchPath)
    if (known !== undefined) return known
    const build = (first: TemplateStringsArray, ...rest: never[]) => {
      const statement = session.raw(first, ...rest)
      // Otherwise the call makes a value or an identifier for another statement.
      const isStatement = Array.isArray(first.raw)
      return isStatement ? deferStart(statement, work => runNext(() => run(() => onPath(work)))) : statement
    }
    const onPath: Run = work => {
      session.setSearchPath(searchPath)
      return work()
    }
    const nest: Nest = work =>
      runNext(() =>
        session.runWithSavepoint(() => runNested(session, inner => work(withSearchPath(inner, searchPath)))),
      )
    const { json, array } = session.raw
    const sql = Object.assign(build, { begin: nest, json, array }) as unknown as Sql
    transactions.set(sql, { session, nest, searchPath, enter })
    byPath.set(searchPath, sql)
    return sql
  }
  return enter(undefined)
}

/** Starts the statement in `run` when it is awaited. A fragment of another statement is never awaited. */
function deferStart(statement: Statement, run: Run): Statement {
  const start = statement.then.bind(statement)
  let result: Promise<postgres.RowList<postgres.Row[]>> | undefined
  const getResult = () => {
    result ??= run(() => new Promise((resolve, reject) => void start(resolve, reject)))
    return result
  }
  // Separate names, because the linter forbids objects with a literal `then`.
  const [thenName, catchName, finallyName] = ['then', 'catch', 'finally'] as const
  return Object.assign(statement, {
    [thenName]: ((onResult, onError) => getResult().then(onResult, onError)) as Statement['then'],
    [catchName]: (onError => getResult().catch(onError)) as Statement['catch'],
    [finallyName]: (onEnd => getResult().finally(onEnd)) as Statement['finally'],
  })
}
