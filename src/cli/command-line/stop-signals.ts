/** Ends a process cleanly on Ctrl-C, a service manager's signal or a closed terminal. */
import { constants } from 'node:os'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A command that has not ended by then exits at once. */
const COMMAND_STOP_TIMEOUT_MS = 10_000

export class Stopped extends Error {
  override name = 'Stopped'
  readonly exitCode: number

  constructor(reason: string, exitCode = 1) {
    super(reason)
    this.exitCode = exitCode
  }
}

/** Calls back for each stop signal. Returns a function that removes the listener. */
export function onStopSignal(listener: (signal: (typeof STOP_SIGNALS)[number]) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener)
  }
}

/**
 * Runs a command's work, which must fail soon after `stopping` is aborted. It then throws Stopped with the
 * exit code that shells expect: 130 for SIGINT, 143 for SIGTERM. Further signals change nothing: npm sends a
 * Ctrl-C twice.
 */
export async function runUntilSignal<T>(work: (stopping: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const removeListener = onStopSignal(signal => {
    if (stopping.signal.aborted) return
    const exitCode = 128 + constants.signals[signal]
    timer = setTimeout(() => process.exit(exitCode), COMMAND_STOP_TIMEOUT_MS)
    stopping.abort(new Stopped(`Stopped by ${signal} before it was done.`, exitCode))
  })
  try {
    return await work(stopping.signal)
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    clearTimeout(timer)
    removeListener()
  }
}
