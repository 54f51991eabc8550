/**
 * Long work that goes on behind the answers of a process: each job once at a time, stopped between its steps, its faults
 * kept until somebody logs them. What a job is, and who takes up what a killed process left, is its slice's.
 */
import type { Clock } from './clock.ts'

export type Fault = { id: string; error: unknown }

/** Works until the job is done, or until `goOn` says no after a step. */
type Run<Job> = (clock: Clock, job: Job, goOn: () => boolean) => Promise<void>

export function createLongWork<Job extends { id: string }>(run: Run<Job>) {
  const running = new Map<string, Promise<void>>()
  let faults: Fault[] = []
  let stopping = false
  const ended = async () => {
    await Promise.allSettled(running.values())
  }
  return {
    /** Nothing for a job that is at work already, and after `stop`. */
    start(clock: Clock, job: Job) {
      if (stopping || running.has(job.id)) return
      const work = run(clock, job, () => !stopping)
        .catch(error => {
          faults.push({ id: job.id, error })
        })
        .finally(() => running.delete(job.id))
      running.set(job.id, work)
    },
    /** Resolves when the jobs under way have ended. */
    ended,
    /** Ends them after the step they are at, and waits for that. */
    stop() {
      stopping = true
      return ended()
    },
    /** Faults since this was last asked. */
    takeFaults() {
      const taken = faults
      faults = []
      return taken
    },
  }
}
