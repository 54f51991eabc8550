/**
 * Lets long computations yield: one continues at a time, and only now and then while short requests are in
 * flight.
 */
import type { ServerResponse } from 'node:http'
import { createRelease, releaseWithResponse } from './semaphore.ts'

const MAX_STRETCH_MS = 1
/** While short requests are in flight, they get this many times as long as the last stretch took. */
const TIME_FOR_OTHERS = 9
/** A longer stretch was mostly waiting, as for the database. */
const MAX_COUNTED_STRETCH_MS = 10
/** Each computation continues after so long, whatever others do. */
const MAX_WAIT_MS = 100
/** An older request, after which none came, has a slow reader or is a long download. */
const MAX_SHORT_REQUEST_MS = 100

let shortRequests = 0
let lastShortRequestAt = Number.NEGATIVE_INFINITY

/**
 * Counts a request until it is answered. It may be waiting for the database, which needs processor time as
 * well.
 */
export function countShortRequest(response: ServerResponse): void {
  shortRequests++
  lastShortRequestAt = performance.now()
  const release = createRelease(() => shortRequests--)
  releaseWithResponse(response, release)
}

const areOthersWaiting = (now: number) => shortRequests > 0 && now - lastShortRequestAt < MAX_SHORT_REQUEST_MS

/** To be awaited between two rows: yields if the last time was long ago. */
export function yieldBetweenRows(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const now = performance.now()
    if (now - since < MAX_STRETCH_MS) return
    await waitForOthers(now - since)
    since = performance.now()
  }
}

const waiting: { since: number; goOn: () => void }[] = []
/** Time that others must have had before the next stretch begins. */
let owedMs = 0
let lastCheckAt = 0

function waitForOthers(stretchMs: number): Promise<void> {
  owedMs = Math.max(owedMs, Math.min(stretchMs, MAX_COUNTED_STRETCH_MS) * TIME_FOR_OTHERS)
  return new Promise(resolve => {
    const since = performance.now()
    waiting.push({ since, goOn: resolve })
    if (waiting.length > 1) return
    lastCheckAt = since
    setImmediate(continueNext)
  })
}

function continueNext(): void {
  const [first] = waiting
  if (first === undefined) return
  const now = performance.now()
  owedMs = areOthersWaiting(now) ? owedMs - (now - lastCheckAt) : 0
  lastCheckAt = now
  const pauseMs = Math.min(owedMs, first.since + MAX_WAIT_MS - now)
  if (pauseMs > 0) {
    setTimeout(continueNext, pauseMs)
    return
  }
  waiting.shift()
  if (waiting.length > 0) setImmediate(continueNext)
  first.goOn()
}

const queue: (() => void)[] = []

/** To be awaited before work of a millisecond: one such work begins in each turn of the event loop. */
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
