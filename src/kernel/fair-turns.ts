/**
 * Limits how much work runs at a time. Each key has a queue, and the keys take turns. The event loop serves
 * other requests between two starts.
 */
import { createRelease, type Release } from './semaphore.ts'

type FairWaiter = {
  /** Called when the turn comes, perhaps at once. */
  onTurn: (release: Release) => void
  /** Called instead if too many wait. */
  onRejected: () => void
}

type FairTurnsOptions = {
  capacity: number
  /** Waiters of all keys together. If one more enters, the last of the longest queue is rejected. */
  maxWaiting: number
}

export class FairTurns {
  private readonly options: FairTurnsOptions
  /** The queues of keys with waiters, in the order of the keys' turns. */
  private readonly queues = new Map<string, FairWaiter[]>()
  private lastKey: string | undefined
  private waiting = 0
  private underWay = 0
  /** Nothing starts before the next iteration of the event loop. */
  private isPausing = false

  constructor(options: FairTurnsOptions) {
    this.options = options
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
    this.startNext()
    if (this.waiting > this.options.maxWaiting) this.rejectFromLongestQueue(key)
    return () => this.remove(key, waiter)
  }

  private startNext(): void {
    if (this.isPausing || this.underWay >= this.options.capacity) return
    // A key gets no second turn in a row while another key waits.
    const [first, second] = this.queues.keys()
    const key = first === this.lastKey ? (second ?? first) : first
    const queue = key === undefined ? undefined : this.queues.get(key)
    const next = queue?.[0]
    if (key === undefined || queue === undefined || next === undefined) return
    this.remove(key, next)
    if (this.queues.delete(key)) this.queues.set(key, queue)
    this.lastKey = key
    this.underWay++
    this.isPausing = true
    setImmediate(() => {
      this.isPausing = false
      this.startNext()
    })
    const release = createRelease(() => {
      this.underWay--
      this.startNext()
    })
    next.onTurn(release)
  }

  private remove(key: string, waiter: FairWaiter): void {
    const queue = this.queues.get(key)
    const index = queue?.indexOf(waiter) ?? -1
    if (queue === undefined || index < 0) return
    queue.splice(index, 1)
    this.waiting--
    if (queue.length === 0) this.queues.delete(key)
  }

  /** If several queues are longest, the queue of `newKey` is chosen. */
  private rejectFromLongestQueue(newKey: string): void {
    let longest = newKey
    const lengthOf = (key: string) => this.queues.get(key)?.length ?? 0
    for (const key of this.queues.keys()) if (lengthOf(key) > lengthOf(longest)) longest = key
    const last = this.queues.get(longest)?.at(-1)
    if (last === undefined) return
    this.remove(longest, last)
    last.onRejected()
  }
}
