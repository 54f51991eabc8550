/** A queue per key, for work that would conflict and retry if it ran at the same time. */
export class KeyedQueue {
  /** The waiting work of each key whose work is running. */
  private readonly waiting = new Map<string, (() => void)[]>()

  /** Runs `work` after everything submitted earlier under the same key, whether or not it succeeded. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.waiting.get(key)
    if (queue === undefined) this.waiting.set(key, [])
    else await new Promise<void>(resolve => queue.push(resolve))
    return this.finish(key, work)
  }

  /**
   * Runs `work` in the queue, or returns undefined after waiting `timeoutMs`; `waited`: whether it had to
   * wait.
   */
  async runWithin<T>(
    key: string,
    timeoutMs: number,
    work: (waited: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    const queue = this.waiting.get(key)
    if (queue === undefined) this.waiting.set(key, [])
    else if (!(await waitForTurn(queue, timeoutMs))) return undefined
    return this.finish(key, () => work(queue !== undefined))
  }

  private async finish<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      const next = this.waiting.get(key)?.shift()
      if (next === undefined) this.waiting.delete(key)
      else next()
    }
  }
}

/** False after `timeoutMs`, when it has left the queue. */
function waitForTurn(queue: (() => void)[], timeoutMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const start = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(start), 1)
      resolve(false)
    }, timeoutMs)
    queue.push(start)
  })
}
