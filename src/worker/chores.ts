/** Work that nobody waits for: any server may do it, and what one leaves undone another takes up. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Log } from '../kernel/log.ts'
import { resumeRefreshes, stopRefreshes } from '../passports/refresh-job.ts'
import { cleanScans } from '../scans/clean.ts'

const EVERY_MS = 5_000
/** How often a process asks whether it is time; what is past its time is deleted every ten minutes. */
const CLEAN_EVERY_MS = 60_000

export type Chores = { stop: () => Promise<void> }

/** Looks for work at once and then every five seconds; `stop` ends it after the step it is at. */
export function startChores({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Chores {
  const look = async () => {
    try {
      const resumed = await resumeRefreshes(sql, clock)
      if (resumed > 0) log.info({ jobs: resumed }, 'refreshes taken up again')
    } catch (error) {
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'no look for work was possible',
      )
    }
  }
  let isStopped = false
  const forget = async () => {
    try {
      await cleanScans({ sql, clock }, () => isStopped)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'old scans could not be deleted')
    }
  }
  let cleaning: Promise<void> | undefined
  const clean = () => {
    cleaning ??= forget().finally(() => {
      cleaning = undefined
    })
  }
  void look()
  clean()
  const timers = [setInterval(look, EVERY_MS), setInterval(clean, CLEAN_EVERY_MS)]
  for (const timer of timers) timer.unref()
  return {
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all([stopRefreshes(sql), cleaning])
    },
  }
}
