/**
 * Lets few pieces of work run at a time and the others wait in rounds by their key. Other requests run
 * between two.
 */
import { createRelease, type Release } from './semaphore.ts'

type FairWaiter = {
  /** Called when it is its turn, perhaps at once. */
  go: (release: Release) => void
  /** Called instead if too many wait. */
  refuse: () => void
}

type FairTurnsOptions = {
  /** How many run at a time. */
  capacity: number
  /** Of all keys. One more, and the last of the longest queue is refused. */
  maxWaiting: number
}

export class FairTurns {
  private readonly options: FairTurnsOptions
  /** In the order of their turns; only keys with a waiter. */
  private readonly queues = new Map<string, FairWaiter[]>()
  private lastKey: string | undefined
  private waiting = 0
  private underWay = 0
  private isPausing = false

  constructor(options: FairTurnsOptions) {
    this.options = options
  }

  /** At most `maxOfKey` may wait for one key. Returns how to leave the queue. */
  enter(key: string, waiter: FairWaiter, maxOfKey = this.options.maxWaiting): () => void {
    const queue = this.queues.get(key) ?? []
    if (queue.length >= maxOfKey) {
      waiter.refuse()
      return () => {}
    }
    queue.push(waiter)
    this.queues.set(key, queue)
    this.waiting++
    this.startNext()
    if (this.waiting > this.options.maxWaiting) this.refuseOneOfTheLongest(key)
    return () => this.remove(key, waiter)
  }

  private startNext(): void {
    if (this.isPausing || this.underWay >= this.options.capacity) return
    // The key that had the last turn is not the next if another one waits.
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
    next.go(release)
  }

  private remove(key: string, waiter: FairWaiter): void {
    const queue = this.queues.get(key)
    const place = queue?.indexOf(waiter) ?? -1
    if (queue === undefined || place < 0) return
    queue.splice(place, 1)
    this.waiting--
    if (queue.length === 0) this.queues.delete(key)
  }

  /** The newcomer itself, unless another key has more waiters. */
  private refuseOneOfTheLongest(newcomer: string): void {
    let longest = newcomer
    const lengthOf = (key: string) => this.queues.get(key)?.length ?? 0
    for (const key of this.queues.keys()) if (lengthOf(key) > lengthOf(longest)) longest = key
    const last = this.queues.get(longest)?.at(-1)
    if (last === undefined) return
    this.remove(longest, last)
    last.refuse()
  }
}
