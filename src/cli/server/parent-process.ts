/** The supervisor, as one of its worker processes sees it. */
import cluster from 'node:cluster'
import {
  type SupervisorMessage,
  shareWhilePending,
  type WorkerMessage,
  waitForMessage,
} from './worker-messages.ts'

export const isWorkerProcess = (): boolean => cluster.isWorker

/** Longer than the supervisor waits for the processes; afterwards a process answers for itself alone. */
const TOTAL_METRICS_TIMEOUT_MS = 3_000

export type ParentProcess = {
  send: (message: WorkerMessage) => void
  /** Calls back when another process takes this one's place. */
  onLeave: (leave: () => void) => void
  /** Sets what this process answers when it is asked for its metrics. */
  onGetMetrics: (getMetrics: () => Promise<unknown>) => void
  /** The metrics of all processes as text; undefined when the supervisor does not answer. */
  getTotalMetrics: () => Promise<string | undefined>
}

/** Connects to the supervisor. Only for a process of which `isWorkerProcess` is true. */
export function connectToParent(): ParentProcess {
  let leave = () => {}
  let getMetrics = async (): Promise<unknown> => []
  const send = (message: WorkerMessage) => {
    // Without a channel the supervisor is gone, and this process exits by itself.
    if (process.connected) process.send?.(message)
  }
  process.on('message', async ({ type }: SupervisorMessage) => {
    if (type === 'leave') leave()
    if (type === 'get metrics') send({ type: 'metrics', metrics: await getMetrics().catch(() => []) })
  })
  return {
    send,
    onLeave(callback) {
      leave = callback
    },
    onGetMetrics(callback) {
      getMetrics = callback
    },
    getTotalMetrics: shareWhilePending(async () => {
      const answer = waitForMessage<SupervisorMessage, 'total metrics'>(
        process,
        'total metrics',
        TOTAL_METRICS_TIMEOUT_MS,
      )
      send({ type: 'get total metrics' })
      return (await answer)?.text
    }),
  }
}
