/** Equal keys one after another, and only so much at once: who waits, waits here and not on a connection. */

type Waiting = { start: () => void }

/**
 * Runs `work` once nobody else with this key is at work; it is told whether it had to wait for one. Undefined when
 * `patienceMs` passed before.
 */
export type KeyedQueue = <T>(
  key: string,
  patienceMs: number,
  work: (waited: boolean) => Promise<T>,
) => Promise<T | undefined>

export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, Waiting[]>()
  const leave = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) queues.delete(key)
    else next.start()
  }
  return async (key, patienceMs, work) => {
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, [])
    else if (!(await comesUp(queue, patienceMs))) return undefined
    try {
      return await work(queue !== undefined)
    } finally {
      leave(key)
    }
  }
}

/** False when it took too long; then the place in the queue is given up. */
function comesUp(queue: Waiting[], patienceMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const me: Waiting = {
      start() {
        clearTimeout(timer)
        resolve(true)
      },
    }
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(me), 1)
      resolve(false)
    }, patienceMs)
    queue.push(me)
  })
}

/** Runs `work` when one of the seats is free, in the order of asking. */
export type Permits = <T>(work: () => Promise<T>) => Promise<T>

export function createPermits(count: number): Permits {
  const standing: (() => void)[] = []
  let free = count
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => standing.push(resolve))
    try {
      return await work()
    } finally {
      const next = standing.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
