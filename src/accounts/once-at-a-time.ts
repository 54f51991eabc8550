/** Equal keys one after another, and only so many different ones at once: who waits, waits here and not on a connection. */

type Waiting = { start: () => void }

export type Gate = {
  /**
   * Runs `work` once nobody else with this key is at work; it is told whether it had to wait for one. Undefined when
   * `patienceMs` passed before.
   */
  pass: <T>(key: string, patienceMs: number, work: (waited: boolean) => Promise<T>) => Promise<T | undefined>
}

/** `seats`: how many may be at work at once, of all keys. */
export function openGate(seats: number): Gate {
  const queues = new Map<string, Waiting[]>()
  const standing: (() => void)[] = []
  let free = seats

  const takeSeat = () => {
    if (free > 0) free--
    else return new Promise<void>(resolve => standing.push(resolve))
    return undefined
  }
  const leaveSeat = () => {
    const next = standing.shift()
    if (next === undefined) free++
    else next()
  }
  const leave = (key: string) => {
    const next = queues.get(key)?.shift()
    if (next === undefined) queues.delete(key)
    else next.start()
  }

  return {
    async pass(key, patienceMs, work) {
      const queue = queues.get(key)
      const waited = queue !== undefined
      if (queue === undefined) queues.set(key, [])
      else if (!(await comesUp(queue, patienceMs))) return undefined
      try {
        await takeSeat()
        try {
          return await work(waited)
        } finally {
          leaveSeat()
        }
      } finally {
        leave(key)
      }
    },
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
