/** Counts the uses of the last sixty seconds: exactly while they are few, else in small steps. */

export const MINUTE_MS = 60_000
/** A clock that goes back by more than this was set back. The counted uses then move with it. */
const SET_BACK_MS = 1_000

/** Uses that expire together, sixty seconds after the last of them. */
type Step = { from: number; last: number; count: number }

export type RateWindow = ReturnType<typeof createRateWindow>

/** Uses within `stepMs` of one another share a step, so there are at most 60,000 / `stepMs` + 1 steps. */
export function createRateWindow(stepMs: number) {
  let steps: Step[] = []
  let first = 0
  let total = 0
  let latest = Number.NEGATIVE_INFINITY

  const updateClock = (now: number) => {
    const back = latest - now
    if (back > SET_BACK_MS) {
      for (const step of steps) {
        step.from -= back
        step.last -= back
      }
      latest = now
    }
    latest = Math.max(latest, now)
  }
  const newest = () => (first < steps.length ? steps.at(-1) : undefined)
  const expiry = (step: Step | undefined) => step && step.last + MINUTE_MS

  return {
    count(now: number): number {
      updateClock(now)
      for (let at = expiry(steps[first]); at !== undefined && at <= latest; at = expiry(steps[first])) {
        total -= steps[first++]?.count ?? 0
      }
      if (first > 64 && first * 2 > steps.length) {
        steps = steps.slice(first)
        first = 0
      }
      return total
    },
    add(now: number): void {
      updateClock(now)
      const step = newest()
      if (step !== undefined && latest - step.from < stepMs) {
        step.last = latest
        step.count++
      } else steps.push({ from: latest, last: latest, count: 1 })
      total++
    },
    /** When the first use expires; undefined without any. */
    nextExpiry: () => expiry(steps[first]),
    /** When all uses have expired; undefined without any. */
    lastExpiry: () => expiry(newest()),
  }
}
