/**
 * How many deliveries may be on their way at once: to an endpoint, for an account, from this process. Whoever answers
 * fast gets more, whoever fails or is slow gets few, and can never use up what the others need.
 */

/** On their way to one endpoint. */
const ENDPOINT_CAP = 32
const FIRST_WINDOW = 4
const SLOW_WINDOW = 2
const FAILING_WINDOW = 1
export const FAST_MS = 1_000
/** Each of an account's 20 endpoints has so many for itself; what is left of the account's is for whoever comes first. */
const OWN_SHARE = 5
const ACCOUNT_CAP = 128
const SHARED_BY_ACCOUNT = ACCOUNT_CAP - 20 * OWN_SHARE
/** Sockets, and answers in memory of 16 KiB at most. */
export const PROCESS_CAP = 512
/** Endpoints that have not answered fast of late share half of the process. */
const UNPROVEN_CAP = PROCESS_CAP / 2

export type LineCaps = { window: number; inFlight: number; isProven: boolean }
export type AccountCaps = { borrowed: number; inFlight: number }
export type ProcessCaps = { inFlight: number; unproven: number }

export const newLineCaps = (): LineCaps => ({ window: FIRST_WINDOW, inFlight: 0, isProven: false })

/** Takes a place in all three, or none. The result gives it back; `undefined` when there is no room. */
export function takePlace(line: LineCaps, account: AccountCaps, all: ProcessCaps): (() => void) | undefined {
  const borrows = line.inFlight >= OWN_SHARE
  if (line.inFlight >= line.window || all.inFlight >= PROCESS_CAP) return undefined
  if (borrows && account.borrowed >= SHARED_BY_ACCOUNT) return undefined
  const isUnproven = !line.isProven
  if (isUnproven && all.unproven >= UNPROVEN_CAP) return undefined
  const change = (by: 1 | -1) => {
    line.inFlight += by
    account.inFlight += by
    all.inFlight += by
    if (isUnproven) all.unproven += by
  }
  change(1)
  if (borrows) account.borrowed++
  return () => {
    if (borrows) account.borrowed--
    change(-1)
  }
}

/** What an endpoint's answer does to its window. */
export function learn(line: LineCaps, answer: { ok: boolean; ms: number }): void {
  line.isProven = answer.ok && answer.ms < FAST_MS
  if (line.isProven) line.window = Math.min(line.window + 1, ENDPOINT_CAP)
  else line.window = answer.ok ? SLOW_WINDOW : FAILING_WINDOW
}
