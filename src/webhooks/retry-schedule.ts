/** When a delivery is tried again, when an endpoint is left in peace, and when it is given up: pure, of times and counts. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** After the attempt before, by its number. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const
const JITTER = 0.1
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1
/** From the first attempt to the last. */
export const RETRY_PERIOD_MS = RETRY_DELAYS_MS.reduce((sum, step) => sum + step, 0)
const MAX_DELAY_MS = 6 * HOUR_MS
/** No attempt is due later than this after the one before. */
export const MAX_JITTERED_DELAY_MS = MAX_DELAY_MS * (1 + JITTER)

/** So many failures without a success between: one delivery alone, which fails six times, does not get there. */
const MIN_FAILURES_TO_BACK_OFF = 20
/** The schedule's shortest step: an endpoint that is well again is found out as soon as a single retry would. */
export const BACKOFF_MS = MINUTE_MS
/** Failures only, for so long, switch an endpoint off. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS

/**
 * When the attempt after the `attempts`-th is due, or undefined when that was the last. What the receiver asks for
 * (`retryAfterMs`) postpones it, up to the schedule's longest step; it brings nothing forward. `random` is in [0, 1).
 */
export function getNextAttemptAt(
  now: Date,
  { attempts, retryAfterMs, random }: { attempts: number; retryAfterMs: number | undefined; random: number },
): Date | undefined {
  const step = RETRY_DELAYS_MS[attempts - 1]
  if (step === undefined) return undefined
  const jittered = step * (1 - JITTER + 2 * JITTER * random)
  const asked = Math.min(retryAfterMs ?? 0, MAX_DELAY_MS)
  return new Date(now.getTime() + Math.max(jittered, asked))
}

/** The milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110 §10.2.3); undefined when it makes no sense. */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

/** How an endpoint is doing. */
export type EndpointHealth = { failures: number; failingSince: Date | null; waitUntil: Date | null }

export const HEALTHY: EndpointHealth = { failures: 0, failingSince: null, waitUntil: null }

/**
 * After a failed attempt: from the twentieth in a row on, one that was slow is the last for a minute, so that endpoints
 * that hang do not keep places from others. Who fails at once takes no place: it is tried as the schedule says.
 */
export function recordFailure(
  health: EndpointHealth,
  now: Date,
  { isSlow }: { isSlow: boolean },
): EndpointHealth {
  const failures = health.failures + 1
  const isToRest = isSlow && failures >= MIN_FAILURES_TO_BACK_OFF
  return {
    failures,
    failingSince: health.failingSince ?? now,
    waitUntil: isToRest ? new Date(now.getTime() + BACKOFF_MS) : null,
  }
}

export const shouldDisable = ({ failingSince }: EndpointHealth, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS
