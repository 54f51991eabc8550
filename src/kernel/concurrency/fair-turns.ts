/**
 * Limits how much work runs at a time. Each key has a queue, and the keys take turns. The event loop serves
 * other requests between two starts. While several clients are active, nobody has more than his share, and
 * who has used it pauses as long as his turn took.
 */
import type { ServerResponse } from 'node:http'
import { areSeveralClientsActive } from './active-clients.ts'
import { createRelease, type Release } from './semaphore.ts'

/**
 * The owner of several keys, such as an account. At most `max` of it run at a time. Unless `isStrict`, more
 * may run while no other client is active. `pauses`: the next turn begins later if others are active, by
 * `minPauseMs` or more.
 */
export type TurnGroup = {
  name: string
  max: number
  isStrict?: boolean
  pauses?: boolean
  minPauseMs?: number
}

type FairWaiter = {
  groups?: readonly TurnGroup[]
  /** When the work began that the pause is for, by `performance.now()`; default: when the turn begins. */
  since?: number | undefined
  /** Called when the turn comes, perhaps at once. */
  onTurn: (release: Release) => void
  /** Called instead if too many wait. */
  onRejected: () => void
}

type FairTurnsOptions = {
  capacity: number
  /**
   * Waiters of all keys together. If one more enters, the last of the longest queue is rejected. The waiters
   * of a group count as one queue.
   */
  maxWaiting: number
  /** True if only one client is active; default: as the last requests show. */
  isOneClientActive?: () => boolean
}

/** A pause is at most so long, because a turn may also have waited for the database. */
const MAX_PAUSE_MS = 100

/** Who waits, how many may wait for the same key, and for how long. */
export type TurnRequest = {
  key: string
  groups: readonly TurnGroup[]
  maxOfKey: number
  maxWaitMs: number
  /** If it is closed meanwhile, the turn is not needed any more. */
  response: ServerResponse | undefined
  since?: number | undefined
}

export class FairTurns {
  private readonly options: FairTurnsOptions
  /** The queues of keys with waiters, in the order of the keys' turns. */
  private readonly queues = new Map<string, FairWaiter[]>()
  private readonly waitingOfGroup = new Map<string, number>()
  private readonly runningOfGroup = new Map<string, number>()
  /** When the pause of a group ends. Entries of the past are removed when a turn is looked for. */
  private readonly pausedUntil = new Map<string, number>()
  private pauseTimer: NodeJS.Timeout | undefined
  private lastKey: string | undefined
  private waiting = 0
  private underWay = 0
  /** Nothing starts before the next iteration of the event loop. */
  private isPausing = false

  constructor(options: FairTurnsOptions) {
    this.options = options
  }

  /** Waits for a turn. Release it when the work is done. */
  async acquire(request: TurnRequest): Promise<Release | 'rejected' | 'disconnected'> {
    const { key, groups, maxOfKey, maxWaitMs, response, since } = request
    const { promise, resolve } = Promise.withResolvers<Release | 'rejected' | 'disconnected'>()
    const waiter = { groups, since, onTurn: resolve, onRejected: () => resolve('rejected') }
    const leaveQueue = this.enter(key, waiter, maxOfKey)
    const giveUp = (reason: 'rejected' | 'disconnected') => {
      leaveQueue()
      resolve(reason)
    }
    const onClose = () => giveUp('disconnected')
    const timer = setTimeout(() => giveUp('rejected'), maxWaitMs)
    response?.once('close', onClose)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      response?.off('close', onClose)
    }
  }

  /** At most `maxOfKey` may wait for one key. Returns a function that leaves the queue. */
  enter(key: string, waiter: FairWaiter, maxOfKey = this.options.maxWaiting): () => void {
    const queue = this.queues.get(key) ?? []
    if (queue.length >= maxOfKey) {
      waiter.onRejected()
      return () => {}
    }
    queue.push(waiter)
    this.queues.set(key, queue)
    this.waiting++
    for (const { name } of waiter.groups ?? []) add(this.waitingOfGroup, name, 1)
    this.startNext()
    if (this.waiting > this.options.maxWaiting) this.rejectFromLongestQueue(key)
    return () => this.remove(key, waiter)
  }

  private startNext(): void {
    if (this.isPausing || this.underWay >= this.options.capacity) return
    const now = performance.now()
    const key = this.findNextKey(now)
    if (key === undefined) {
      this.waitForPauses(now)
      return
    }
    const queue = this.queues.get(key)
    const next = queue?.[0]
    if (queue === undefined || next === undefined) return
    this.remove(key, next)
    if (this.queues.delete(key)) this.queues.set(key, queue)
    this.lastKey = key
    this.underWay++
    for (const { name } of next.groups ?? []) add(this.runningOfGroup, name, 1)
    this.isPausing = true
    setImmediate(() => {
      this.isPausing = false
      this.startNext()
    })
    const began = next.since ?? now
    const release = createRelease(() => {
      this.underWay--
      const end = performance.now()
      for (const { name, pauses, minPauseMs = 0 } of next.groups ?? []) {
        add(this.runningOfGroup, name, -1)
        const pauseMs = Math.min(Math.max(end - began, minPauseMs), MAX_PAUSE_MS)
        if (pauses) this.pausedUntil.set(name, end + pauseMs)
      }
      this.startNext()
    })
    next.onTurn(release)
  }

  /**
   * A key gets no second turn in a row while another key waits. If only one client is active, keys whose
   * group is full or pauses come after all others; keys of a full strict group never do.
   */
  private findNextKey(now: number): string | undefined {
    for (const [name, until] of this.pausedUntil) if (until <= now) this.pausedUntil.delete(name)
    const first = this.findKey(({ groups = [] }) =>
      groups.every(group => this.hasShareLeft(group) && !this.pausedUntil.has(group.name)),
    )
    const { isOneClientActive = () => !areSeveralClientsActive(now) } = this.options
    if (first !== undefined || !isOneClientActive()) return first
    return this.findKey(({ groups = [] }) =>
      groups.every(group => !group.isStrict || this.hasShareLeft(group)),
    )
  }

  /** Looks again when the first pause ends: until then, no turn may end that would. */
  private waitForPauses(now: number): void {
    if (this.waiting === 0 || this.pausedUntil.size === 0 || this.pauseTimer !== undefined) return
    const until = Math.min(...this.pausedUntil.values())
    this.pauseTimer = setTimeout(() => {
      this.pauseTimer = undefined
      this.startNext()
    }, until - now)
  }

  private findKey(isReady: (first: FairWaiter) => boolean): string | undefined {
    let isLastReady = false
    for (const [key, [first]] of this.queues) {
      if (first === undefined || !isReady(first)) continue
      if (key !== this.lastKey) return key
      isLastReady = true
    }
    return isLastReady ? this.lastKey : undefined
  }

  private hasShareLeft({ name, max }: TurnGroup): boolean {
    return (this.runningOfGroup.get(name) ?? 0) < max
  }

  private remove(key: string, waiter: FairWaiter): void {
    const queue = this.queues.get(key)
    const index = queue?.indexOf(waiter) ?? -1
    if (queue === undefined || index < 0) return
    queue.splice(index, 1)
    this.waiting--
    for (const { name } of waiter.groups ?? []) add(this.waitingOfGroup, name, -1)
    if (queue.length === 0) this.queues.delete(key)
  }

  /** If several queues are longest, the queue of `newKey` is chosen. */
  private rejectFromLongestQueue(newKey: string): void {
    let longest = newKey
    let most = this.countWith(newKey)
    for (const key of this.queues.keys()) {
      const count = this.countWith(key)
      if (count > most) [longest, most] = [key, count]
    }
    const last = this.queues.get(longest)?.at(-1)
    if (last === undefined) return
    this.remove(longest, last)
    last.onRejected()
  }

  /** How many wait in the queue of a key, or in a group of its last waiter if those are more. */
  private countWith(key: string): number {
    const queue = this.queues.get(key) ?? []
    const groups = queue.at(-1)?.groups ?? []
    return Math.max(queue.length, ...groups.map(({ name }) => this.waitingOfGroup.get(name) ?? 0))
  }
}

function add(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
