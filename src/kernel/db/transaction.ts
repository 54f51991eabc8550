/**
 * A transaction that behaves like the pool: a savepoint around each statement lets operations catch an error
 * and continue. A savepoint is sent with its statement and costs no round trip.
 */
import type postgres from 'postgres'
import { toError } from '../errors.ts'
import { isDisconnection, isTransient, type Sql } from './database.ts'

/** The driver's transaction type, which lacks only functions to open connections. */
export const asSql = (tx: postgres.TransactionSql): Sql => tx as unknown as Sql

type Work<T> = (sql: Sql) => Promise<T>
type Nest = <T>(work: Work<T>) => Promise<T>
/** Runs each `work` after the earlier ones. */
type Run = <T>(work: () => Promise<T>) => Promise<T>
type Statement = postgres.PendingQuery<postgres.Row[]>
type LastStatement<T> = (sql: Sql, value: T) => Statement | undefined

const transactions = new WeakMap<Sql, { session: Session; nest: Nest }>()

export const isTransaction = (sql: Sql): boolean => transactions.has(sql)

/** Calls `work` at once on a pool, after the commit in a transaction, never after a rollback. */
export function afterCommit(sql: Sql, work: (pool: Sql) => void): void {
  const session = transactions.get(sql)?.session
  if (session === undefined) work(sql)
  else session.afterCommit.push(work)
}

/**
 * Runs `work` in a transaction or, if `sql` already is one, in a part of it that can be rolled back
 * separately. If `work` throws, its writes are undone. `last`, for a whole transaction only, builds a
 * statement that is sent with the commit.
 */
export function inTransaction<T>(sql: Sql, work: Work<T>, last?: LastStatement<T>): Promise<T> {
  const nest = transactions.get(sql)?.nest
  return nest === undefined ? runTransaction(sql, work, last) : nest(work)
}

/**
 * The database aborted the transaction, because of another one or a stale plan. Only the whole transaction
 * can be retried, so inside it `withRetries` must not recognise the error. The outermost caller gets the
 * database's own error.
 */
class TransactionAborted extends Error {
  override name = 'TransactionAborted'
}

const ignore = () => {}

class Session {
  readonly raw: Sql
  readonly pool: Sql
  readonly afterCommit: ((pool: Sql) => void)[] = []
  /** Why no more statements may be sent. */
  ended: Error | undefined

  constructor(raw: Sql, pool: Sql) {
    this.raw = raw
    this.pool = pool
  }

  /** Runs `work` unless the transaction has ended, and records if `work` ends it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen()
    try {
      const value = await work()
      this.requireOpen()
      return value
    } catch (error) {
      this.ended ??= findEnd(error)
      throw this.ended ?? error
    }
  }

  /** Runs `work` alone in this session; if it fails, its writes are undone. */
  async runWithSavepoint<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen()
    this.raw`savepoint s`.catch(ignore)
    try {
      return await this.run(work)
    } catch (error) {
      if (!this.ended) this.raw`rollback to savepoint s`.catch(ignore)
      throw error
    } finally {
      if (!this.ended) this.raw`release savepoint s`.catch(ignore)
    }
  }

  requireOpen(): void {
    if (this.ended) throw this.ended
  }
}

/** The error that ends the whole transaction, not just its statement. */
function findEnd(error: unknown): Error | undefined {
  if (isDisconnection(error)) return toError(error)
  return isTransient(error)
    ? new TransactionAborted('the transaction has to begin again', { cause: error })
    : undefined
}

async function runTransaction<T>(pool: Sql, work: Work<T>, last?: LastStatement<T>): Promise<T> {
  const session = await open(pool)
  let value: T
  try {
    // Statements run one at a time; concurrent ones wait for each other.
    value = await work(createSql(session, statement => session.runWithSavepoint(statement)))
    session.requireOpen()
  } catch (error) {
    await rollBack(session)
    throw error instanceof TransactionAborted ? error.cause : error
  }
  const closing = last?.(session.raw, value)
  closing?.catch(ignore)
  const commit = session.raw`commit`
  session.ended = new Error('a statement was sent to a transaction that has ended')
  const { command } = await commit
  await closing
  if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
  for (const callback of session.afterCommit) callback(pool)
  return value
}

/**
 * The driver's own `begin` would end the transaction at a statement's first error, even if it was caught, and
 * would send a rollback on a lost connection. So its callback never returns: the statements that end the
 * transaction are sent here, and the driver takes the connection back when the server reports that none is
 * open.
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
 * A part relates to the transaction as a transaction to the pool: after the first failure it can only be
 * rolled back. Its statements have no savepoints, because waiters for a lock taken under a released savepoint
 * wait for the whole transaction, even after the part's rollback.
 */
async function runPart<T>(session: Session, work: Work<T>): Promise<T> {
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
  const make = (first: TemplateStringsArray, ...rest: never[]) => {
    const made = session.raw(first, ...rest)
    return Array.isArray(first.raw) ? startIn(work => runNext(() => run(work)), made) : made
  }
  const nest: Nest = work => runNext(() => session.runWithSavepoint(() => runPart(session, work)))
  const { json, array } = session.raw
  const sql = Object.assign(make, { begin: nest, json, array }) as unknown as Sql
  transactions.set(sql, { session, nest })
  return sql
}

/** A statement starts when it is awaited; a fragment never is. */
function startIn(run: Run, made: Statement): Statement {
  const start = made.then.bind(made)
  let outcome: Promise<postgres.RowList<postgres.Row[]>> | undefined
  const begin = () => {
    outcome ??= run(() => new Promise((resolve, reject) => void start(resolve, reject)))
    return outcome
  }
  const [onto, otherwise, either] = ['then', 'catch', 'finally'] as const
  return Object.assign(made, {
    [onto]: ((done, failed) => begin().then(done, failed)) as Statement['then'],
    [otherwise]: (failed => begin().catch(failed)) as Statement['catch'],
    [either]: (done => begin().finally(done)) as Statement['finally'],
  })
}
