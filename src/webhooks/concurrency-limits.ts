/**
 * How many deliveries may be on their way at once: to an endpoint, for an account, from this process. Whoever answers
 * fast gets more, whoever fails or is slow gets few, and can never use up what the others need.
 */

/** On their way to one endpoint. */
const MAX_PER_ENDPOINT = 32
const FIRST_LIMIT = 4
const SLOW_LIMIT = 2
const FAILING_LIMIT = 1
export const FAST_MS = 1_000
/** Each of an account's 20 endpoints has so many for itself; what is left of the account's is for whoever comes first. */
const RESERVED_PER_ENDPOINT = 5
const MAX_PER_ACCOUNT = 128
const MAX_SHARED = MAX_PER_ACCOUNT - 20 * RESERVED_PER_ENDPOINT
/** Sockets, and answers in memory of 16 KiB at most. */
export const MAX_PER_PROCESS = 512
/** Endpoints that have not answered fast of late share half of the process. */
const MAX_UNPROVEN = MAX_PER_PROCESS / 2

export type EndpointConcurrency = { limit: number; inFlight: number; isProven: boolean }
export type AccountConcurrency = { shared: number; inFlight: number }
export type ProcessConcurrency = { inFlight: number; unproven: number }

export const createEndpointConcurrency = (): EndpointConcurrency => ({
  limit: FIRST_LIMIT,
  inFlight: 0,
  isProven: false,
})

/** Takes a place in all three, or none. The result gives it back; `undefined` when there is no room. */
export function acquirePermit(
  line: EndpointConcurrency,
  account: AccountConcurrency,
  all: ProcessConcurrency,
): (() => void) | undefined {
  const borrows = line.inFlight >= RESERVED_PER_ENDPOINT
  if (line.inFlight >= line.limit || all.inFlight >= MAX_PER_PROCESS) return undefined
  if (borrows && account.shared >= MAX_SHARED) return undefined
  const isUnproven = !line.isProven
  if (isUnproven && all.unproven >= MAX_UNPROVEN) return undefined
  const change = (by: 1 | -1) => {
    line.inFlight += by
    account.inFlight += by
    all.inFlight += by
    if (isUnproven) all.unproven += by
  }
  change(1)
  if (borrows) account.shared++
  return () => {
    if (borrows) account.shared--
    change(-1)
  }
}

/** What an endpoint's answer does to its window. */
export function adaptLimit(line: EndpointConcurrency, answer: { ok: boolean; ms: number }): void {
  line.isProven = answer.ok && answer.ms < FAST_MS
  if (line.isProven) line.limit = Math.min(line.limit + 1, MAX_PER_ENDPOINT)
  else line.limit = answer.ok ? SLOW_LIMIT : FAILING_LIMIT
}
