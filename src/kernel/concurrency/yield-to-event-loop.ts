/**
 * Lets long computations yield: one continues at a time, and only now and then while short requests are in
 * flight.
 */
import type { ServerResponse } from 'node:http'
import { createRelease, releaseWithResponse } from './semaphore.ts'

const MAX_STRETCH_MS = 1
/** While short requests are in flight, they get this many times the last stretch's time. */
const TIME_FOR_OTHERS = 9
/** A longer stretch was mostly waiting, for example for the database. */
const MAX_COUNTED_STRETCH_MS = 10
/** Each computation continues after this time, even if short requests are still in flight. */
const MAX_WAIT_MS = 100
/** An older request without a newer one after it has a slow reader or is a long download. */
const MAX_SHORT_REQUEST_MS = 100

let shortRequests = 0
let lastShortRequestAt = Number.NEGATIVE_INFINITY

/**
 * Counts a request until it is answered. It may be waiting for the database, which also needs processor time.
 */
export function countShortRequest(response: ServerResponse, now: number): void {
  shortRequests++
  lastShortRequestAt = now
  const release = createRelease(() => shortRequests--)
  releaseWithResponse(response, release)
}

const areOthersWaiting = (now: number) => shortRequests > 0 && now - lastShortRequestAt < MAX_SHORT_REQUEST_MS

/** Returns a function to await between two rows. It yields if the last yield was over a millisecond ago. */
export function yieldBetweenRows(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const now = performance.now()
    if (now - since < MAX_STRETCH_MS) return
    await waitForOthers(now - since)
    since = performance.now()
  }
}

/** A pass over a shorter text takes a millisecond or two, which is no longer than other requests take. */
const MIN_LARGE_LENGTH = 256 * 1024
/** In the slower passes: to parse, to check and to encode a text. */
const LENGTH_PER_MS = 128 * 1024

export const isLargeText = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= MIN_LARGE_LENGTH

/** Await it between two passes over a text of this length. Undefined for a short one. */
export const pauseIfLarge = (length: number): Promise<void> | undefined =>
  length < MIN_LARGE_LENGTH ? undefined : waitForOthers(length / LENGTH_PER_MS)

const waiting: { since: number; resume: () => void }[] = []
/** The time that short requests get before the next stretch begins. */
let owedMs = 0
let lastCheckAt = 0

function waitForOthers(stretchMs: number): Promise<void> {
  owedMs = Math.max(owedMs, Math.min(stretchMs, MAX_COUNTED_STRETCH_MS) * TIME_FOR_OTHERS)
  return new Promise(resolve => {
    const since = performance.now()
    waiting.push({ since, resume: resolve })
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
  first.resume()
}

const queue: (() => void)[] = []

/** Await it before work of about a millisecond: only one such task begins in each turn of the event loop. */
export function waitForEventLoopTurn(): Promise<void> {
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
