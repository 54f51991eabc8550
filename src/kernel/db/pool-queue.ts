/** Runs as many statements at a time as there are connections. The driver would queue them behind slow ones. */

/** A statement that gets no connection for so long is rejected. */
const WAIT_MS = 5_000
/** PostgreSQL ends statements after ten seconds. Silence for longer means a dead connection. */
const SILENT_MS = 15_000
const SWEEP_EVERY_MS = 500

export type PoolUsage = {
  /** At most so many connections. */
  size: number
  /** Connections at work: statements, transactions, reserved ones. */
  busy: number
  /** Statements and transactions that wait for a connection. */
  waiting: number
}

type Visitor = {
  go: () => void
  giveUp: (reason: Error) => void
}

type Inside = { since: number; giveUp: (reason: Error) => void }

export class PoolQueue {
  private readonly size: number
  private busy = 0
  private readonly queue: (Visitor & { since: number })[] = []
  private readonly inside = new Set<Inside>()
  private readonly timer: NodeJS.Timeout
  isClosed = false

  constructor(size: number) {
    this.size = size
    this.timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref()
  }

  usage(): PoolUsage {
    return { size: this.size, busy: this.busy, waiting: this.queue.length }
  }

  /** Calls `go` when a connection is free, or `giveUp` when that takes too long. */
  enter(visitor: Visitor): void {
    if (this.busy >= this.size) {
      this.queue.push({ ...visitor, since: performance.now() })
      return
    }
    this.busy++
    visitor.go()
  }

  /** To be called once for each `go`. */
  leave(): void {
    const next = this.queue.shift()
    if (next === undefined) this.busy--
    else next.go()
  }

  /** Rejects a statement without an answer; its connection stays in use. Pass the result to `unwatch`. */
  watch(giveUp: (reason: Error) => void): Inside {
    const one = { since: performance.now(), giveUp }
    this.inside.add(one)
    return one
  }

  unwatch(one: Inside): void {
    this.inside.delete(one)
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
  }

  private sweep(): void {
    const now = performance.now()
    while ((this.queue[0]?.since ?? now) + WAIT_MS < now) {
      this.queue
        .shift()
        ?.giveUp(new Unanswered('CONNECTION_BUSY', `no connection was free for ${WAIT_MS} ms`))
    }
    for (const one of this.inside) {
      // A Set keeps the order of insertion.
      if (one.since + SILENT_MS >= now) break
      this.inside.delete(one)
      one.giveUp(new Unanswered('CONNECTION_SILENT', `the database said nothing for ${SILENT_MS} ms`))
    }
  }
}

/** With a code of the driver's kind: it means what a lost connection means. */
class Unanswered extends Error {
  override name = 'Unanswered'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
