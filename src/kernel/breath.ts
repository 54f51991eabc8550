/** Reckoning over hundreds of rows that lets others be answered in between: one thread answers everybody. */

const LONGEST_MS = 10

/** To be awaited between two rows: at once, or after others had their turn when the last was long ago. */
export function breathing(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < LONGEST_MS) return
    await new Promise(resolve => setImmediate(resolve))
    since = performance.now()
  }
}
