/**
 * Reckoning over hundreds of rows that lets others be answered in between: one thread answers everybody. However many such
 * calls there are, one of them goes on at a time, and between two of them requests and answers are read.
 */

const MAX_STRETCH_MS = 3

/** To be awaited between two rows: at once, or after others had their turn when the last was long ago. */
export function breathing(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_STRETCH_MS) return
    await takeTurn()
    since = performance.now()
  }
}

const waiting: (() => void)[] = []

/** To be awaited before work that takes milliseconds: no two who took a turn go on in one turn of the event loop. */
export function takeTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(admitNext)
  })
}

/** An immediate that is set in another comes after what has arrived by then. */
function admitNext(): void {
  const goOn = waiting.shift()
  if (waiting.length > 0) setImmediate(admitNext)
  goOn?.()
}
