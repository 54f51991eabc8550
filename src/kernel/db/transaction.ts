/**
 * A transaction that a verb cannot tell from the pool. On the pool a statement that fails undoes itself and nothing
 * else; here too, by a savepoint round each. So verbs that catch a refusal and go on are right both ways. Savepoints
 * are sent together with the statement they guard: they cost no round trip.
 */

import type postgres from 'postgres'
import { toError } from '../errors.ts'
import { isDisconnection, isTransient, type Sql } from './database.ts'

/** The driver's own type of a transaction: it can do less, namely open connections. */
export const asSql = (tx: postgres.TransactionSql): Sql => tx as unknown as Sql

type Home = { pool: Sql; kept: (() => void)[]; nest: <T>(work: (sql: Sql) => Promise<T>) => Promise<T> }
type Statement = postgres.PendingQuery<postgres.Row[]>

const homes = new WeakMap<Sql, Home>()

export const isTransaction = (sql: Sql): boolean => homes.has(sql)

/** Runs `work` once what has been written is kept: at once on a pool, after the commit in a transaction, never after a rollback. */
export function afterCommit(sql: Sql, work: (pool: Sql) => void): void {
  const home = homes.get(sql)
  if (home === undefined) work(sql)
  else home.kept.push(() => work(home.pool))
}

/**
 * Runs `work` in a transaction, or, when `sql` is one already, in a part of it that can be undone alone. What it throws
 * undoes what it wrote. `last`, for a whole transaction only, makes a statement that is sent together with the commit.
 */
export function inTransaction<T>(
  sql: Sql,
  work: (sql: Sql) => Promise<T>,
  last?: (sql: Sql, value: T) => Statement | undefined,
): Promise<T> {
  const home = homes.get(sql)
  return home === undefined ? whole(sql, work, last) : home.nest(work)
}

/**
 * The database gave this transaction up, to let another through or for a stale plan: only the whole of it can be tried again, so inside it
 * the error is not one that `retrying` knows. Who began it is thrown the database's own, which is.
 */
class Overtaken extends Error {
  override name = 'Overtaken'
}

const nothing = () => {}

class Session {
  readonly raw: Sql
  /** Why no statement may be sent any more. */
  ended: Error | undefined

  constructor(raw: Sql) {
    this.raw = raw
  }

  send(statement: Statement): void {
    statement.catch(nothing)
  }

  /** Runs `work` unless the transaction has ended, and sees whether it has ended it. */
  async alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.ended) throw this.ended
    try {
      const value = await work()
      if (this.ended) throw this.ended
      return value
    } catch (error) {
      this.ended ??= verdict(error)
      throw this.ended ?? error
    }
  }

  /** Runs `work`, which must have this session to itself meanwhile; when it fails, what it did is undone. */
  async undoable<T>(work: () => Promise<T>): Promise<T> {
    if (this.ended) throw this.ended
    this.send(this.raw`savepoint s`)
    try {
      const value = await this.alive(work)
      this.send(this.raw`release savepoint s`)
      return value
    } catch (error) {
      if (this.ended) throw this.ended
      this.send(this.raw`rollback to savepoint s`)
      this.send(this.raw`release savepoint s`)
      throw error
    }
  }
}

/** What ends the whole transaction, not just the statement it happened to. */
function verdict(error: unknown): Error | undefined {
  if (isDisconnection(error)) return toError(error)
  return isTransient(error)
    ? new Overtaken('the transaction has to begin again', { cause: error })
    : undefined
}

async function whole<T>(
  pool: Sql,
  work: (sql: Sql) => Promise<T>,
  last?: (sql: Sql, value: T) => Statement | undefined,
): Promise<T> {
  const session = await open(pool)
  const kept: (() => void)[] = []
  let value: T
  try {
    value = await work(level(session, pool, kept))
    if (session.ended) throw session.ended
  } catch (error) {
    await rollBack(session)
    throw error instanceof Overtaken ? error.cause : error
  }
  const closing = last?.(session.raw, value)
  if (closing !== undefined) session.send(closing)
  const commit = session.raw`commit`
  session.ended = new Error('a statement was sent to a transaction that is over')
  const { command } = await commit
  await closing
  if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
  for (const tell of kept) tell()
  return value
}

/**
 * The driver's own `begin` would end the transaction at the first error of a statement, also one that was caught, and
 * would send a rollback into a connection that is gone. So its callback never returns: the statements that end the
 * transaction are sent here, and the driver takes the connection back when the server says that none is open.
 */
function open(pool: Sql): Promise<Session> {
  return new Promise((resolve, reject) => {
    let session: Session | undefined
    pool
      .begin(raw => {
        session = new Session(asSql(raw))
        resolve(session)
        return new Promise<never>(nothing)
      })
      .catch(error => {
        // The connection is gone, in the middle of it or before it began.
        if (session) session.ended ??= error
        reject(error)
      })
  })
}

async function rollBack(session: Session): Promise<void> {
  const { ended } = session
  if (ended !== undefined && !(ended instanceof Overtaken)) return
  const rollback = session.raw`rollback`
  session.ended = new Error('a statement was sent to a transaction that is undone')
  await rollback.catch(nothing)
}

/** What verbs are given. One thing happens at a time: statements sent side by side wait for each other. */
function level(session: Session, pool: Sql, kept: (() => void)[]): Sql {
  return offer(session, { pool, kept }, work => session.undoable(work))
}

/**
 * A part is to the transaction what a transaction is to the pool: at the first failure there is nothing left but to
 * undo it. Its statements have no savepoints of their own, because who waits for a lock taken under a savepoint that
 * was released since waits for the end of the whole transaction, also when the part has given the lock back.
 */
async function part<T>(session: Session, { pool, kept }: Owner, work: (sql: Sql) => Promise<T>): Promise<T> {
  let failed: { reason: unknown } | undefined
  const sql = offer(session, { pool, kept }, async ask => {
    if (failed) throw failed.reason
    try {
      return await session.alive(ask)
    } catch (reason) {
      failed ??= { reason }
      throw reason
    }
  })
  const value = await work(sql)
  if (failed) throw failed.reason
  return value
}

type Owner = Pick<Home, 'pool' | 'kept'>

function offer(session: Session, owner: Owner, guarded: InTurn): Sql {
  let before: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = before.then(work)
    before = mine.catch(nothing)
    return mine
  }
  const make = (first: TemplateStringsArray, ...rest: never[]) => {
    const made = session.raw(first, ...rest)
    if (!Array.isArray(first.raw)) return made
    return startingIn(work => inTurn(() => guarded(work)), made)
  }
  const nest: Home['nest'] = work => inTurn(() => session.undoable(() => part(session, owner, work)))
  const sql = Object.assign(make, {
    begin: nest,
    json: session.raw.json,
    array: session.raw.array,
  }) as unknown as Sql
  homes.set(sql, { ...owner, nest })
  return sql
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** A statement starts when it is awaited; a piece of another one never is. */
function startingIn(inTurn: InTurn, made: Statement): Statement {
  const start = made.then.bind(made)
  let outcome: Promise<postgres.RowList<postgres.Row[]>> | undefined
  const run = () => {
    outcome ??= inTurn(() => new Promise((resolve, reject) => void start(resolve, reject)))
    return outcome
  }
  const [onto, otherwise, either] = ['then', 'catch', 'finally'] as const
  return Object.assign(made, {
    [onto]: ((kept, failed) => run().then(kept, failed)) as Statement['then'],
    [otherwise]: (failed => run().catch(failed)) as Statement['catch'],
    [either]: (done => run().finally(done)) as Statement['finally'],
  })
}
