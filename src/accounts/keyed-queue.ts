/** Runs work with equal keys one after another, and limits how much runs at once, so that no connection is held while waiting. */

type Waiter = { start: () => void }

/**
 * Runs `work` when no other work with this key runs; `waited` says whether it had to wait. Undefined after `timeoutMs`
 * of waiting.
 */
export type KeyedQueue = <T>(
  key: string,
  timeoutMs: number,
  work: (waited: boolean) => Promise<T>,
) => Promise<T | undefined>

export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, Waiter[]>()
  const leave = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) queues.delete(key)
    else next.start()
  }
  return async (key, timeoutMs, work) => {
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, [])
    else if (!(await waitForTurn(queue, timeoutMs))) return undefined
    try {
      return await work(queue !== undefined)
    } finally {
      leave(key)
    }
  }
}

/** False after `timeoutMs`; then it has left the queue. */
function waitForTurn(queue: Waiter[], timeoutMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const waiter: Waiter = {
      start() {
        clearTimeout(timer)
        resolve(true)
      },
    }
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiter), 1)
      resolve(false)
    }, timeoutMs)
    queue.push(waiter)
  })
}

/** Runs `work` when a permit is free, first come, first served. */
export type Permits = <T>(work: () => Promise<T>) => Promise<T>

export function createPermits(count: number): Permits {
  const waiters: (() => void)[] = []
  let free = count
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiters.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiters.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
