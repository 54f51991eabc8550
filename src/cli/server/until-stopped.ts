/** When a server is to stop, and that it then stops in time: Ctrl-C, a service manager's signal, a parent that is gone. */

import type { Log } from '../../kernel/log.ts'
import { Refusal } from '../command-line/command.ts'

/** A terminal's Ctrl-C reaches the whole group, and npm passes it on once more: that is still one. */
const SAME_SIGNAL_MS = 700
const PARENT_CHECK_MS = 1_000
/** After this the process ends whatever is left to do. */
const STOP_WITHIN_MS = 4_700

export type Life = {
  /** Resolves with the reason to stop. */
  told: Promise<string>
  /** Aborted then, with a Stopped as its reason: for what is only waited for. */
  stopping: AbortSignal
  /** Ends the process with exit code 1 after closing: for what nobody foresaw. */
  fail: (error: unknown) => void
  failed: () => boolean
  /** Stops for another reason; `withinMs` is the time it may take. */
  stop: (reason: string, withinMs?: number) => void
  end: () => void
}

/** Thrown by what was given up while starting, because the server is to stop. */
export class Stopped extends Error {
  override name = 'Stopped'
}

type Watch = {
  log: Log
  /** Set when npm started us: its launcher waits for us, so without it nobody does. */
  startedByNpm: boolean
  /** What a second Ctrl-C still does, at once. */
  abandon: () => void
  /** What SIGHUP does in place of stopping. */
  hangUp?: () => void
}

/** Starts listening for reasons to stop; `end` stops listening. */
export function watchLife({ log, startedByNpm, abandon, hangUp }: Watch): Life {
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  const stopping = new AbortController()
  let toldAt: number | undefined
  let failed = false
  const stop = (reason: string, withinMs = STOP_WITHIN_MS) => {
    if (toldAt !== undefined) return
    toldAt = performance.now()
    tell(reason)
    stopping.abort(new Stopped(reason))
    setTimeout(() => {
      log.error('stopping took too long: ended at once')
      abandon()
      process.exit(1)
    }, withinMs).unref()
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && hangUp !== undefined) return hangUp()
    if (toldAt === undefined) return stop(signal)
    if (performance.now() - toldAt < SAME_SIGNAL_MS) return
    abandon()
    process.exit(130)
  }
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected error: shutting down')
    failed = true
    stop('error')
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const parent = process.ppid
  const timer = setInterval(() => {
    if (startedByNpm && process.ppid !== parent) stop('the process that started this one is gone')
  }, PARENT_CHECK_MS)
  timer.unref()
  return {
    told,
    stopping: stopping.signal,
    fail,
    failed: () => failed,
    stop,
    end() {
      clearInterval(timer)
      for (const signal of signals) process.off(signal, onSignal)
      process.off('uncaughtException', fail)
      process.off('unhandledRejection', fail)
    },
  }
}

/**
 * Starts something, waits until it is told to stop, stops it. Also when it is told while still starting.
 * Throws what starting throws, and a Refusal when an error nobody foresaw ended it.
 */
export async function liveUntilStopped(
  life: Life,
  start: () => Promise<{ stop: () => Promise<void> }>,
): Promise<void> {
  try {
    const running = await start().catch(passIfStopped)
    await life.told
    await running?.stop()
    if (life.failed()) throw new Refusal('The server stopped after an error; it is logged above.')
  } finally {
    life.end()
  }
}

function passIfStopped(error: unknown): undefined {
  if (!(error instanceof Stopped)) throw error
}
