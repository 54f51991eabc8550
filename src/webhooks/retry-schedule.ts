/** Decides when deliveries are retried, and when endpoints back off or are disabled. Pure functions. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The delay after the first attempt, after the second, and so on. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const
const JITTER = 0.1
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1
/** The time from the first attempt to the last. */
export const RETRY_PERIOD_MS = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0)
const MAX_DELAY_MS = Math.max(...RETRY_DELAYS_MS)
/** The longest time between two attempts. */
export const MAX_JITTERED_DELAY_MS = MAX_DELAY_MS * (1 + JITTER)

/** Consecutive failures. One delivery cannot cause as many, because it is tried at most six times. */
const MIN_FAILURES_TO_BACK_OFF = 20
/**
 * Equal to the shortest retry delay, so that backing off delays the next attempt no longer than a retry
 * would.
 */
export const BACKOFF_MS = MINUTE_MS
/** An endpoint is disabled at a failure if nothing has succeeded for this long. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS

/**
 * Undefined after the last attempt. `retryAfterMs` can postpone the retry, up to the longest delay. `random`
 * is in [0, 1).
 */
export function getNextAttemptAt(
  now: Date,
  { attempts, retryAfterMs, random }: { attempts: number; retryAfterMs: number | undefined; random: number },
): Date | undefined {
  const delay = RETRY_DELAYS_MS[attempts - 1]
  if (delay === undefined) return undefined
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const requested = Math.min(retryAfterMs ?? 0, MAX_DELAY_MS)
  return new Date(now.getTime() + Math.max(jittered, requested))
}

/** Parses `Retry-After` (RFC 9110 §10.2.3) to milliseconds; undefined if it is malformed. */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

/**
 * `failures`: consecutive failures, the first of them at `failingSince`. The endpoint backs off until
 * `waitUntil`.
 */
export type EndpointHealth = { failures: number; failingSince: Date | null; waitUntil: Date | null }

export const HEALTHY: EndpointHealth = { failures: 0, failingSince: null, waitUntil: null }

/**
 * The health after a failure. From the 20th in a row, a slow failure makes the endpoint back off, because it
 * uses permits that other endpoints need.
 */
export function recordFailure(
  health: EndpointHealth,
  now: Date,
  { isSlow }: { isSlow: boolean },
): EndpointHealth {
  const failures = health.failures + 1
  const mustBackOff = isSlow && failures >= MIN_FAILURES_TO_BACK_OFF
  return {
    failures,
    failingSince: health.failingSince ?? now,
    waitUntil: mustBackOff ? new Date(now.getTime() + BACKOFF_MS) : null,
  }
}

export const shouldDisable = ({ failingSince }: EndpointHealth, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS
