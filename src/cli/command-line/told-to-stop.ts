/** A command that is told to stop before it is done (Ctrl-C, a service manager's signal, a closed terminal) ends in order. */
import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** After this the process ends whatever is left to do. */
const END_WITHIN_MS = 10_000

export class ToldToStop extends Error {
  override name = 'ToldToStop'
  /** As shells count it: 130 for SIGINT, 143 for SIGTERM. */
  readonly exitCode: number

  constructor(signal: (typeof SIGNALS)[number]) {
    super(`Ended by ${signal} before it was done.`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * Does the work of a command, which is to fail soon after `told` is aborted; whatever it throws then is ToldToStop, its
 * reason. Further signals change nothing: npm passes a Ctrl-C on once more.
 */
export async function unlessToldToStop<T>(work: (told: AbortSignal) => Promise<T>): Promise<T> {
  const told = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const tell = (signal: (typeof SIGNALS)[number]) => {
    if (told.signal.aborted) return
    const reason = new ToldToStop(signal)
    timer = setTimeout(() => process.exit(reason.exitCode), END_WITHIN_MS)
    told.abort(reason)
  }
  for (const signal of SIGNALS) process.on(signal, tell)
  try {
    return await work(told.signal)
  } catch (error) {
    throw told.signal.aborted ? told.signal.reason : error
  } finally {
    clearTimeout(timer)
    for (const signal of SIGNALS) process.off(signal, tell)
  }
}
