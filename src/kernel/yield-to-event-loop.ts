/**
 * Lets long computations yield to the event loop, because one thread answers all requests. Of many such computations one
 * continues per turn, and requests are read in between.
 */

const MAX_STRETCH_MS = 2
/** While others have work, they get this many times as long as a stretch took before the next one. */
const TIME_FOR_OTHERS = 2
/** A turn of the event loop that took no longer had nothing else to do. */
const IDLE_TURN_MS = 0.3

/** To be awaited between two rows: at once, or after others had their turn when the last was long ago. */
export function yieldBetweenRows(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const now = performance.now()
    if (now - since < MAX_STRETCH_MS) return
    await takeTurn(now - since)
    since = performance.now()
  }
}

const waiting: (() => void)[] = []
/** Time that others have to have had before the next stretch begins. */
let owedMs = 0
let turnBeganAt = 0

/**
 * To be awaited before work that takes milliseconds, or between stretches of it, with the time of the last one. While
 * the process has other things to do, such work gets a third of its time.
 */
export function takeTurn(stretchMs = MAX_STRETCH_MS): Promise<void> {
  owedMs = Math.max(owedMs, stretchMs * TIME_FOR_OTHERS)
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length > 1) return
    turnBeganAt = performance.now()
    setImmediate(admitNext)
  })
}

function admitNext(): void {
  const now = performance.now()
  const turnMs = now - turnBeganAt
  turnBeganAt = now
  owedMs = turnMs <= IDLE_TURN_MS ? 0 : owedMs - turnMs
  if (owedMs > 0) {
    setImmediate(admitNext)
    return
  }
  const goOn = waiting.shift()
  if (waiting.length > 0) setImmediate(admitNext)
  goOn?.()
}
