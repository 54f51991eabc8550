/** A semaphore: a bounded number of permits, counted or weighed in bytes, with a bounded queue. */
import type { ServerResponse } from 'node:http'

/** Gives the permit back; a second call does nothing. */
export type Release = () => void

export function createRelease(giveBack: () => void): Release {
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    giveBack()
  }
}

/** Gives a permit back when the response ends in any way, even if it ended before the permit was acquired. */
export function releaseWithResponse(response: ServerResponse, release: Release): void {
  // `finish` does not fire if the client disconnects, nor `close` without a connection.
  if (response.destroyed) release()
  else response.once('close', release).once('finish', release)
}

type Waiter = { weight: number; resolve: (release: Release | undefined) => void }

type SemaphoreOptions = {
  capacity: number
  /** Default: unlimited. */
  maxWaiting?: number
  maxWaitMs?: number
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

  /** Waits for a permit; undefined if too many wait or it takes too long. */
  async acquire(weight = 1): Promise<Release | undefined> {
    const free = this.tryAcquire(weight)
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs } = this.options
    if (free !== undefined || this.waiters.length >= maxWaiting) return free
    const { promise, resolve } = Promise.withResolvers<Release | undefined>()
    const waiter = { weight, resolve }
    this.waiters.push(waiter)
    if (maxWaitMs === undefined) return promise
    const timer = setTimeout(() => {
      this.waiters.splice(this.waiters.indexOf(waiter), 1)
      resolve(undefined)
      this.admitNext()
    }, maxWaitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs `work` with a permit. Without one, does not run it and returns undefined. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const release = await this.acquire()
    try {
      return release && (await work())
    } finally {
      release?.()
    }
  }

  private take(weight: number): Release {
    this.taken += weight
    return createRelease(() => {
      this.taken -= weight
      this.admitNext()
    })
  }

  private admitNext(): void {
    for (let next = this.waiters[0]; next !== undefined; next = this.waiters[0]) {
      if (this.taken > 0 && this.taken + next.weight > this.options.capacity) return
      this.waiters.shift()
      next.resolve(this.take(next.weight))
    }
  }
}

/** A semaphore that also has one for each key, so that no key can take all permits. */
export class KeyedSemaphore<K> {
  private readonly shared: Semaphore
  private readonly optionsOfKey: SemaphoreOptions
  private readonly own = new Map<K, { semaphore: Semaphore; users: number }>()

  constructor(shared: SemaphoreOptions, ofKey: SemaphoreOptions) {
    this.shared = new Semaphore(shared)
    this.optionsOfKey = ofKey
  }

  /** Never waits: undefined if no permit is free. */
  tryAcquire(key: K): Release | undefined {
    const { semaphore, leave } = this.enter(key)
    const releaseOwn = semaphore.tryAcquire()
    return join(releaseOwn, releaseOwn && this.shared.tryAcquire(), leave)
  }

  /** Waits for the key's permit, then for a shared one; undefined if too many wait or it takes too long. */
  async acquire(key: K, weight = 1): Promise<Release | undefined> {
    const { semaphore, leave } = this.enter(key)
    const releaseOwn = await semaphore.acquire(weight)
    return join(releaseOwn, releaseOwn && (await this.shared.acquire(weight)), leave)
  }

  private enter(key: K): { semaphore: Semaphore; leave: () => void } {
    const own = this.own.get(key) ?? { semaphore: new Semaphore(this.optionsOfKey), users: 0 }
    this.own.set(key, own)
    own.users++
    const leave = () => {
      if (--own.users === 0) this.own.delete(key)
    }
    return { semaphore: own.semaphore, leave }
  }
}

/** One release for both permits. If the second is missing, releases the first. */
function join(
  releaseOwn: Release | undefined,
  releaseShared: Release | undefined,
  leave: () => void,
): Release | undefined {
  const release = createRelease(() => {
    releaseShared?.()
    releaseOwn?.()
    leave()
  })
  if (releaseShared !== undefined) return release
  release()
  return undefined
}
