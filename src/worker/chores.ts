/** Work that nobody waits for: any server may do it, and what one leaves undone another takes up. */
import { deleteExpiredKeys } from '../accounts/idempotency.ts'
import { forgetRateShares } from '../accounts/rate-ledger.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Log } from '../kernel/log.ts'
import { resumeRefreshes, stopRefreshes, takeRefreshFaults } from '../passports/refresh-job.ts'

const EVERY_MS = 5_000

export type Chores = { stop: () => Promise<void> }

/** Looks for work at once and then every five seconds; `stop` ends it after the step it is at. */
export function startChores({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Chores {
  const look = async () => {
    try {
      const resumed = await resumeRefreshes(sql, clock)
      if (resumed > 0) log.info({ jobs: resumed }, 'refreshes taken up again')
      for (const { jobId, error } of takeRefreshFaults(sql))
        log.error({ job: jobId, err: error }, 'a refresh was stopped by a fault; it is taken up again')
      await deleteExpiredKeys(sql, clock.now())
      await forgetRateShares(sql, clock.now())
    } catch (error) {
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'no look for work was possible',
      )
    }
  }
  void look()
  const timer = setInterval(look, EVERY_MS)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return stopRefreshes(sql)
    },
  }
}
