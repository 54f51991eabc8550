/**
 * Runs background jobs: each at most once at a time, stopping between its steps. Failures are kept until they
 * are logged.
 */

import type { Fragment, Sql } from '../db/database.ts'
import type { Clock } from '../values/clock.ts'

export type JobFailure = { id: string; error: unknown }

/** Works until the job is done, or until `goOn` returns false after a step. */
type Run<Job> = (clock: Clock, job: Job, goOn: () => boolean) => Promise<void>

/** Returns true if no process has worked on a row lately. A future time comes from a clock that was ahead. */
export function isAbandoned(sql: Sql, now: Date, ms: number): Fragment {
  const [before, after] = [new Date(now.getTime() - ms), new Date(now.getTime() + ms)]
  return sql`(alive_at < ${before}::timestamptz or alive_at > ${after}::timestamptz)`
}

export function createBackgroundJobs<Job extends { id: string }>(run: Run<Job>) {
  const running = new Map<string, Promise<void>>()
  /** Jobs to start again when they have ended. */
  const next = new Map<string, { clock: Clock; job: Job }>()
  let failures: JobFailure[] = []
  let stopping = false
  const ended = async () => {
    while (running.size > 0) await Promise.allSettled(running.values())
  }
  const start = (clock: Clock, job: Job) => {
    if (stopping || running.has(job.id)) return
    const work = run(clock, job, () => !stopping)
      .catch(error => {
        failures.push({ id: job.id, error })
      })
      .finally(() => {
        running.delete(job.id)
        const after = next.get(job.id)
        next.delete(job.id)
        if (after) start(after.clock, after.job)
      })
    running.set(job.id, work)
  }
  return {
    /** Does nothing for a running job, and after `stop`. */
    start,
    /** Starts a job. If it is running, starts it again when the current run ends. */
    startAnew(clock: Clock, job: Job) {
      if (running.has(job.id)) next.set(job.id, { clock, job })
      else start(clock, job)
    },
    ended,
    /** Stops the jobs after their current steps, and waits for that. */
    stop() {
      stopping = true
      return ended()
    },
    /** Failures since the last call. */
    takeFailures() {
      const taken = failures
      failures = []
      return taken
    },
  }
}
