/** The supervisor, as one of its worker processes sees it. */
import cluster from 'node:cluster'
import {
  type SupervisorMessage,
  shareWhilePending,
  type WorkerMessage,
  waitForMessage,
} from './worker-messages.ts'

export const isWorkerProcess = (): boolean => cluster.isWorker

/** Longer than the supervisor waits for the processes; after this a process reports only its own metrics. */
const TOTAL_METRICS_TIMEOUT_MS = 3_000

export type ParentProcess = ReturnType<typeof connectToParent>

/** Connects to the supervisor. Only for a process for which `isWorkerProcess` is true. */
export function connectToParent() {
  const send = (message: WorkerMessage) => {
    // Without a channel the supervisor is gone, and this process exits by itself.
    if (process.connected) process.send?.(message)
  }
  return {
    send,
    on: (type: SupervisorMessage['type'], callback: () => void) =>
      process.on('message', (message: SupervisorMessage) => {
        if (message.type === type) callback()
      }),
    /** The metrics of all processes as text; undefined when the supervisor does not answer. */
    getTotalMetrics: shareWhilePending(async () => {
      const name = 'total metrics'
      const answer = waitForMessage<SupervisorMessage, typeof name>(process, name, TOTAL_METRICS_TIMEOUT_MS)
      send({ type: 'get total metrics' })
      return (await answer)?.text
    }),
  }
}
