/**
 * Lets long computations yield to the event loop, because one thread answers all requests. Of many such computations one
 * continues at a time, and while short requests are in flight, it continues only now and then.
 */
import type { ServerResponse } from 'node:http'
import { releaseWithResponse } from './semaphore.ts'

const MAX_STRETCH_MS = 1
/** While short requests are in flight, they get this many times as long as a stretch took before the next one. */
const TIME_FOR_OTHERS = 9
/** A request that began earlier, and after which none came, has a slow reader or is a long download. */
const MAX_SHORT_REQUEST_MS = 100

let shortRequests = 0
let lastShortRequestAt = Number.NEGATIVE_INFINITY

/**
 * Counts a request whose answer takes little work, until that is sent. It may be waiting for the database, which needs
 * processor time as well.
 */
export function countShortRequest(response: ServerResponse): void {
  shortRequests++
  lastShortRequestAt = performance.now()
  let isCounted = true
  releaseWithResponse(response, () => {
    if (isCounted) shortRequests--
    isCounted = false
  })
}

const areOthersWaiting = (now: number) => shortRequests > 0 && now - lastShortRequestAt < MAX_SHORT_REQUEST_MS

/** To be awaited between two rows: at once, or after others had their turn when the last was long ago. */
export function yieldBetweenRows(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const now = performance.now()
    if (now - since < MAX_STRETCH_MS) return
    await waitForOthers(now - since)
    since = performance.now()
  }
}

const waiting: (() => void)[] = []
/** Time that others have to have had before the next stretch begins. */
let owedMs = 0
let lastCheckAt = 0

function waitForOthers(stretchMs: number): Promise<void> {
  owedMs = Math.max(owedMs, stretchMs * TIME_FOR_OTHERS)
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length > 1) return
    lastCheckAt = performance.now()
    setImmediate(continueNext)
  })
}

function continueNext(): void {
  const now = performance.now()
  owedMs = areOthersWaiting(now) ? owedMs - (now - lastCheckAt) : 0
  lastCheckAt = now
  if (owedMs > 0) {
    setTimeout(continueNext, owedMs)
    return
  }
  const goOn = waiting.shift()
  if (waiting.length > 0) setImmediate(continueNext)
  goOn?.()
}

const queue: (() => void)[] = []

/** To be awaited before work of a millisecond that many may ask for at once: one begins in each turn of the event loop. */
export function takeTurn(): Promise<void> {
  return new Promise(resolve => {
    queue.push(resolve)
    if (queue.length === 1) setImmediate(beginNext)
  })
}

function beginNext(): void {
  const begin = queue.shift()
  if (queue.length > 0) setImmediate(beginNext)
  begin?.()
}
