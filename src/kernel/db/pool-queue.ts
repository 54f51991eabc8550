/** Runs only as many statements as there are connections. The driver would queue others behind slow ones. */

/** A statement that gets no connection within this time is rejected. */
const MAX_WAIT_MS = 5_000
/** PostgreSQL ends statements after ten seconds, so a longer silence means a dead connection. */
const MAX_SILENCE_MS = 15_000
const SWEEP_INTERVAL_MS = 500

export type PoolUsage = {
  /** The maximum number of connections. */
  size: number
  /** Connections that run a statement or a transaction, or are reserved. */
  busy: number
  /** Statements and transactions that wait for a connection. */
  waiting: number
}

type Running = { since: number; giveUp: (reason: Error) => void }
type Waiter = { go: () => void; giveUp: (reason: Error) => void }

export class PoolQueue {
  private readonly size: number
  private busy = 0
  private readonly waiting: (Waiter & Running)[] = []
  private readonly running = new Set<Running>()
  private readonly timer: NodeJS.Timeout
  isClosed = false

  constructor(size: number) {
    this.size = size
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref()
  }

  usage(): PoolUsage {
    return { size: this.size, busy: this.busy, waiting: this.waiting.length }
  }

  /** Calls `go` when a connection is free, or `giveUp` if that takes too long. */
  enter(waiter: Waiter): void {
    if (this.busy >= this.size) {
      this.waiting.push({ ...waiter, since: performance.now() })
      return
    }
    this.busy++
    waiter.go()
  }

  /** Must be called once for each `go`. */
  leave(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.busy--
    else next.go()
  }

  /**
   * Calls `giveUp` if a statement gets no response for MAX_SILENCE_MS. Returns a function that stops
   * watching.
   */
  watch(giveUp: Running['giveUp']): () => void {
    const statement = { since: performance.now(), giveUp }
    this.running.add(statement)
    return () => this.running.delete(statement)
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
  }

  private sweep(): void {
    const now = performance.now()
    while ((this.waiting[0]?.since ?? now) + MAX_WAIT_MS < now) {
      this.waiting
        .shift()
        ?.giveUp(new ConnectionError('CONNECTION_BUSY', `no connection was free for ${MAX_WAIT_MS} ms`))
    }
    for (const statement of this.running) {
      // A Set keeps the order of insertion.
      if (statement.since + MAX_SILENCE_MS >= now) break
      this.running.delete(statement)
      statement.giveUp(
        new ConnectionError('CONNECTION_SILENT', `the database did not respond for ${MAX_SILENCE_MS} ms`),
      )
    }
  }
}

/** Codes of a server that is stopping or starting, or whose connection was lost; and those of the network. */
export const ENDED_BY_SERVER = /^(08|57P0)/
export const LOST_BY_NETWORK =
  /^(CONNECT|CONNECTION_|ECONN|EHOST|ENET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE)/

/** Has a code like the driver's errors, so that callers treat it as a lost connection. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
