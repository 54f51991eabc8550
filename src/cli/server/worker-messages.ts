/** Messages between the supervisor and its worker processes. */
import { type EventEmitter, on } from 'node:events'

export type WorkerMessage =
  /** Migrations may take longer than a start: the supervisor waits without a limit. */
  | { type: 'migrating' }
  | { type: 'ready' }
  /** The process cannot start. */
  | { type: 'failed'; reason: string }
  | { type: 'metrics'; metrics: unknown }
  | { type: 'get total metrics' }

export type SupervisorMessage =
  /** Another process has replaced this one: finish the open requests and exit. */
  { type: 'leave' } | { type: 'get metrics' } | { type: 'total metrics'; text: string }

/** The next message of this type; undefined when none comes in time. `source`: worker or process. */
export async function waitForMessage<M extends { type: string }, T extends M['type']>(
  source: EventEmitter,
  type: T,
  timeoutMs: number,
): Promise<Extract<M, { type: T }> | undefined> {
  try {
    const messages = on(source, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    for await (const [message] of messages) if (message.type === type) return message
  } catch {
    // The time is over, or the channel is broken.
  }
  return undefined
}

/** Calls made while one is pending share its result. */
export function shareWhilePending<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
