/** The connections of a pool and who uses them. Each is a pool of the driver with one connection. */
import type postgres from 'postgres'
import { findErrorCode } from '../errors/errors.ts'
import { ENDED_BY_SERVER, LOST_BY_NETWORK, PoolQueue } from './pool-queue.ts'

type Sql = postgres.Sql

/** `text` has `$1` in place of parameters, which are data of accounts. */
export type FinishedStatement = { text: string; ms: number; failed: boolean }

export type PoolListeners = {
  /** Called with every statement, also those in transactions. */
  onStatementEnd?: ((statement: FinishedStatement) => void) | undefined
  /** Called with every error of the database or of a connection. */
  onFailure: (reason: unknown) => void
}

/** Opens a driver's pool of one connection. It calls `onclose` each time its connection closes. */
export type OpenDriver = (onclose: () => void) => Sql

type Connection = { driver: Sql; openedBy?: OpenDriver; onLost?: (() => void) | undefined }

const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 1_000

export class Connections {
  readonly queue: PoolQueue
  readonly listeners: PoolListeners
  /** One for each host. The first is in use; one that cannot connect becomes the last. */
  private drivers: readonly OpenDriver[]
  /** Builds the statements that connections run. It never connects. */
  readonly template: Sql
  private readonly opened = new Set<Connection>()
  private readonly idle: Connection[] = []
  private failures = 0

  constructor(drivers: readonly OpenDriver[], size: number, listeners: PoolListeners) {
    this.drivers = drivers
    this.listeners = listeners
    this.template = this.getDriver()(() => {})
    this.queue = new PoolQueue(size)
  }

  private getDriver(): OpenDriver {
    const [first] = this.drivers
    if (first === undefined) throw new Error('a pool has no host')
    return first
  }

  redirect(drivers: readonly OpenDriver[]): void {
    this.drivers = drivers
    for (const connection of [...this.idle]) this.retire(connection)
  }

  get hosts(): number {
    return this.drivers.length
  }

  /** The connection could not be opened: further ones lead to another host. */
  avoidHost({ openedBy }: Connection): void {
    const [first, ...others] = this.drivers
    if (first !== undefined && first === openedBy) this.drivers = [...others, first]
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
    const openedBy = this.getDriver()
    const connection: Connection = { openedBy, driver: openedBy(() => this.discard(connection)) }
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

  private retire(connection: Connection): void {
    this.discard(connection)
    connection.driver.end().catch(this.listeners.onFailure)
  }

  private isCurrent({ openedBy }: Connection): boolean {
    return openedBy !== undefined && this.drivers.includes(openedBy)
  }

  /** Waits for a microtask, because the driver settles a statement before it has its connection back. */
  giveBack(connection: Connection): void {
    this.failures = 0
    queueMicrotask(() => {
      if (!this.isLost(connection)) {
        if (this.isCurrent(connection)) this.idle.push(connection)
        else this.retire(connection)
      }
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
        // An ended pool opens no other connection. A pause would only keep the process running.
        if (this.queue.isClosed) return this.queue.leave()
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
export class Lease {
  private readonly connections: Connections
  connection: Connection
  private replacements = 0
  private hasEnded = false

  constructor(connections: Connections) {
    this.connections = connections
    this.connection = connections.take()
  }

  /**
   * For a failure before the statement was sent: discards the connection. Returns whether to send the
   * statement on another one: once, if the server shut down, crashed, or ended the connection, even while it
   * was being opened; and on each other host, if this one cannot be reached.
   */
  replace(reason: unknown): boolean {
    if (this.hasEnded) return false
    const { connection, connections } = this
    connection.onLost = undefined
    connections.discard(connection)
    const code = findErrorCode(reason) ?? ''
    const isStopped = /^57P0[12]$/.test(code)
    if (!isStopped && (ENDED_BY_SERVER.test(code) || LOST_BY_NETWORK.test(code)))
      connections.avoidHost(connection)
    else if (!isStopped) return false
    if (this.replacements++ >= connections.hosts - (isStopped ? 0 : 1)) return false
    this.connection = connections.take()
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
