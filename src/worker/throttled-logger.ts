/** Logs a lasting failure when it begins, once a minute while it lasts, and when it ends. */
import { toError } from '../kernel/errors/errors.ts'
import type { Log } from '../kernel/errors/log.ts'

const REPEAT_AFTER_MS = 60_000

export type ThrottledLogger = ReturnType<typeof createThrottledLogger>

export function createThrottledLogger(
  log: Log,
  level: 'warn' | 'error',
  fields: { work: string },
  message: string,
) {
  /** Undefined unless a failure lasts. */
  let loggedAt: number | undefined
  return {
    failed(error: unknown) {
      const now = performance.now()
      if (loggedAt !== undefined && now - loggedAt < REPEAT_AFTER_MS) return
      loggedAt = now
      log[level]({ ...fields, reason: toError(error).message }, message)
    },
    recovered() {
      if (loggedAt !== undefined) log.info(fields, 'recovered')
      loggedAt = undefined
    },
  }
}
