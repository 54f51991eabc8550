/**
 * Lets long computations yield to the event loop, because one thread answers all requests. Of many such computations one
 * continues per turn, and requests are read in between.
 */

const MAX_STRETCH_MS = 3

/** To be awaited between two rows: at once, or after others had their turn when the last was long ago. */
export function yieldBetweenRows(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_STRETCH_MS) return
    await takeTurn()
    since = performance.now()
  }
}

/** Turns of the event loop, one for whoever waits: two who took one of the same kind never go on in one turn. */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = []
  // An immediate that is set in another comes after what has arrived by then.
  const admitNext = () => {
    const goOn = waiting.shift()
    if (waiting.length > 0) setImmediate(admitNext)
    goOn?.()
  }
  return () =>
    new Promise(resolve => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(admitNext)
    })
}

/** To be awaited before work that takes milliseconds. */
export const takeTurn = createTurns()
