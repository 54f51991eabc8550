/** A semaphore: a bounded number of permits, counted or weighed in bytes, with a bounded queue. */
import type { ServerResponse } from 'node:http'

/** Gives the permit back; a second call does nothing. */
export type Release = () => void

/** Gives a permit back when the response ends in any way, even if it ended before the permit came. */
export function releaseWithResponse(response: ServerResponse, release: Release): void {
  // The one is missing where a client leaves, the other where no connection is behind the answer.
  if (response.destroyed) release()
  else response.once('close', release).once('finish', release)
}

type Waiter = { weight: number; go: (release: Release | undefined) => void }

export type SemaphoreOptions = {
  capacity: number
  /** How many may wait for a permit, and for how long. */
  maxWaiting: number
  maxWaitMs: number
}

export class Semaphore {
  private readonly options: SemaphoreOptions
  private taken = 0
  private readonly waiters: Waiter[] = []

  constructor(options: SemaphoreOptions) {
    this.options = options
  }

  /** A permit at once, or undefined. Work heavier than the capacity runs alone. */
  tryAcquire(weight = 1): Release | undefined {
    const isFree = this.taken === 0 || this.taken + weight <= this.options.capacity
    return this.waiters.length === 0 && isFree ? this.take(weight) : undefined
  }

  /** Waits for a permit; undefined when too many wait or it takes too long. */
  async acquire(weight = 1): Promise<Release | undefined> {
    const free = this.tryAcquire(weight)
    if (free !== undefined || this.waiters.length >= this.options.maxWaiting) return free
    const { promise, resolve } = Promise.withResolvers<Release | undefined>()
    const waiter = { weight, go: resolve }
    this.waiters.push(waiter)
    const timer = setTimeout(() => {
      this.waiters.splice(this.waiters.indexOf(waiter), 1)
      resolve(undefined)
      this.admitNext()
    }, this.options.maxWaitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  private take(weight: number): Release {
    this.taken += weight
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.taken -= weight
      this.admitNext()
    }
  }

  private admitNext(): void {
    for (let next = this.waiters[0]; next !== undefined; next = this.waiters[0]) {
      if (this.taken > 0 && this.taken + next.weight > this.options.capacity) return
      this.waiters.shift()
      next.go(this.take(next.weight))
    }
  }
}
