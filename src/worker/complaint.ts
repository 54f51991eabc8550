/** A fault that lasts, told when it begins, once a minute while it lasts, and when it is over. */
import type { Log } from '../kernel/log.ts'

const AGAIN_AFTER_MS = 60_000

export type Complaint = { failed: (error: unknown) => void; worked: () => void }

export function complaintOn(
  log: Log,
  level: 'warn' | 'error',
  fields: { work: string },
  sentence: string,
): Complaint {
  let saidAt: number | undefined
  return {
    failed(error) {
      const now = performance.now()
      if (saidAt !== undefined && now - saidAt < AGAIN_AFTER_MS) return
      saidAt = now
      log[level]({ ...fields, reason: error instanceof Error ? error.message : String(error) }, sentence)
    },
    worked() {
      if (saidAt !== undefined) log.info(fields, 'it is possible again')
      saidAt = undefined
    },
  }
}
