/** One of several processes, as it talks to the one that started it. */
import cluster from 'node:cluster'

/** From a process to its supervisor. */
export type MemberWord =
  /** It takes as long as it takes before it is up. */
  | { carnet: 'migrating' }
  | { carnet: 'up' }
  | { carnet: 'refused'; sentence: string }
  | { carnet: 'numbers'; id: number; numbers: unknown }
  | { carnet: 'numbers of all?'; id: number }

/** From the supervisor to a process. */
export type SupervisorWord =
  | { carnet: 'leave' }
  | { carnet: 'numbers?'; id: number }
  | { carnet: 'numbers of all'; id: number; text: string }

export const isMember = (): boolean => cluster.isWorker

/** How long the supervisor is waited for before a process answers for itself alone. */
const ANSWER_WITHIN_MS = 3_000

export type Supervisor = {
  tell: (word: MemberWord) => void
  /** Calls back when this process is to make room for another. */
  onLeave: (leave: () => void) => void
  /** What this process says when it is asked for its numbers. */
  onNumbers: (numbers: () => Promise<unknown>) => void
  /** The numbers of all processes of this machine; undefined when the supervisor does not answer. */
  numbersOfAll: () => Promise<string | undefined>
}

/** The supervisor of this process. There is one only where `isMember`. */
export function supervisor(): Supervisor {
  let nextId = 0
  const asked = new Map<number, (text: string) => void>()
  let leave = () => {}
  let numbers = async (): Promise<unknown> => []
  const tell = (word: MemberWord) => {
    // Without a channel the supervisor is gone, and this process ends by itself.
    if (process.connected) process.send?.(word)
  }
  process.on('message', (word: SupervisorWord) => {
    if (word.carnet === 'leave') leave()
    else if (word.carnet === 'numbers of all') asked.get(word.id)?.(word.text)
    else if (word.carnet === 'numbers?') {
      numbers().then(
        found => tell({ carnet: 'numbers', id: word.id, numbers: found }),
        () => tell({ carnet: 'numbers', id: word.id, numbers: [] }),
      )
    }
  })
  return {
    tell,
    onLeave(callback) {
      leave = callback
    },
    onNumbers(callback) {
      numbers = callback
    },
    async numbersOfAll() {
      const id = nextId++
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      asked.set(id, resolve)
      const timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS)
      tell({ carnet: 'numbers of all?', id })
      const text = await promise
      clearTimeout(timer)
      asked.delete(id)
      return text
    },
  }
}
