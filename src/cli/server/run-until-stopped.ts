/** Runs a server until a signal, an unexpected error or the end of npm, and then stops it in time. */
import { once } from 'node:events'
import type { Log } from '../../kernel/errors/log.ts'
import { CommandError } from '../command-line/command.ts'
import { onStopSignal, Stopped } from '../command-line/stop-signals.ts'

/** A terminal sends Ctrl-C to the whole group and npm passes it on: within this time both count as one. */
const SAME_SIGNAL_MS = 700
const PARENT_CHECK_MS = 1_000
/** A server that has not stopped by then exits at once. */
const STOP_TIMEOUT_MS = 4_700

type LifecycleOptions = {
  log: Log
  /** If npm's launcher started this process, the server stops when the launcher ends. */
  startedByNpm: boolean
  /** Called before the process exits without stopping. */
  abandon: () => void
  /** Called at SIGHUP, which then does not stop the server. */
  onHangUp?: () => void
}

/**
 * Starts a server and later stops it. If it is still starting, `signal` is aborted with a Stopped. A second
 * signal ends the process at once. Throws what `start` throws, and CommandError after an unexpected error.
 */
export async function runUntilStopped(
  { log, startedByNpm, abandon, onHangUp }: LifecycleOptions,
  start: (
    signal: AbortSignal,
    requestStop: (reason: string, timeoutMs?: number) => void,
  ) => Promise<{ stop: () => Promise<void> }>,
): Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let stoppingSince = 0
  let hasFailed = false
  const requestStop = (reason: string, timeoutMs = STOP_TIMEOUT_MS) => {
    if (signal.aborted) return
    stoppingSince = performance.now()
    stopping.abort(new Stopped(reason))
    setTimeout(() => {
      log.error('stopping took too long: exiting now')
      abandon()
      process.exit(1)
    }, timeoutMs).unref()
  }
  const removeSignals = onStopSignal(name => {
    if (name === 'SIGHUP' && onHangUp !== undefined) onHangUp()
    else if (!signal.aborted) requestStop(name)
    else if (performance.now() - stoppingSince >= SAME_SIGNAL_MS) {
      abandon()
      process.exit(130)
    }
  })
  const onUnexpectedError = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected error: shutting down')
    hasFailed = true
    requestStop('error')
  }
  const ERRORS = ['uncaughtException', 'unhandledRejection']
  for (const event of ERRORS) process.on(event, onUnexpectedError)
  const parent = process.ppid
  const timer = setInterval(() => {
    if (startedByNpm && process.ppid !== parent) requestStop('the process that started this one has exited')
  }, PARENT_CHECK_MS)
  timer.unref()
  try {
    const running = await start(signal, requestStop).catch((error): undefined => {
      if (!(error instanceof Stopped)) throw error
    })
    if (!signal.aborted) await once(signal, 'abort')
    await running?.stop()
    if (hasFailed) throw new CommandError('The server stopped after an error; see the log above.')
  } finally {
    clearInterval(timer)
    removeSignals()
    for (const event of ERRORS) process.off(event, onUnexpectedError)
  }
}
