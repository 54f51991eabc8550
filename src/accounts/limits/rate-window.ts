/** What was let through in the last sixty seconds, to the millisecond as long as it is slow, else in small steps. */

export const MINUTE_MS = 60_000
/** A clock that went back by more than this was put back: what is counted moves with it. */
const SET_BACK_MS = 1_000

/** Uses that are over together, sixty seconds after the last of them. */
type Step = { from: number; last: number; count: number }

export type RateWindow = {
  /** How many count at this moment: those of the last sixty seconds. */
  count: (now: number) => number
  add: (now: number) => void
  /** When the next of them is over; undefined when there are none. */
  nextExpiry: () => number | undefined
  /** When all of them are over; undefined when there are none. */
  lastExpiry: () => number | undefined
}

/** Uses within `stepMs` of one another share a step, so that there are 60,000 / `stepMs` + 1 steps at most. */
export function createRateWindow(stepMs: number): RateWindow {
  let steps: Step[] = []
  let first = 0
  let total = 0
  let latest = Number.NEGATIVE_INFINITY

  const follow = (now: number) => {
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

  const forget = () => {
    for (
      let step = steps[first];
      step !== undefined && step.last + MINUTE_MS <= latest;
      step = steps[first]
    ) {
      total -= step.count
      first++
    }
    if (first > 64 && first * 2 > steps.length) {
      steps = steps.slice(first)
      first = 0
    }
  }

  return {
    count(now) {
      follow(now)
      forget()
      return total
    },
    add(now) {
      follow(now)
      const step = first < steps.length ? steps.at(-1) : undefined
      if (step !== undefined && latest - step.from < stepMs) {
        step.last = latest
        step.count++
      } else steps.push({ from: latest, last: latest, count: 1 })
      total++
    },
    nextExpiry() {
      const step = steps[first]
      return step === undefined ? undefined : step.last + MINUTE_MS
    },
    lastExpiry() {
      const step = first < steps.length ? steps.at(-1) : undefined
      return step === undefined ? undefined : step.last + MINUTE_MS
    },
  }
}
