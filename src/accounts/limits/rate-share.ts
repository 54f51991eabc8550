/** One process's share of a key's permits: what it may let through without asking, what it tells, and what it gives back. */
import type { Answered, Told } from './rate-ledger.ts'
import { type RateWindow, rateWindow } from './rate-window.ts'

export type LimitedKey = { accountId: number; keyId: string; requestsPerMinute: number }

export type Permit = {
  isGranted: boolean
  limit: number
  remaining: number
  /** When the next use is over, in ms: for a refusal, when to come again. */
  nextOver: number
}

export type Share = {
  key: LimitedKey
  uses: RateWindow
  held: number
  /** The least that was free since it was last tended: what nobody needed. */
  leastFree: number
  waiting: number
  /** When the database last heard of it, and what it was told. */
  toldAt: number
  told: Told | undefined
  others: Answered['others']
  /** There was nothing left: not asked again before this, or some refusals. */
  emptyUntil: number
  askedAt: number
  pauseMs: number
  refusals: number
  isLeaving: boolean
}

/** Uses closer together than this are over together. */
const STEP_MS = 20
/** A share is told again after this, not believed by its own process after that, and given to others after the last. */
const TELL_AFTER_MS = 15_000
const BELIEVED_MS = 30_000
const OVER_AFTER_MS = 100_000
/** When nothing is left, it is asked again after a pause that doubles from the first to the second. */
const ASK_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2_000
/** Many refusals shorten the pause: what they cost the database stays at one question for so many. */
const ASK_AFTER_REFUSALS = 10
/** The reason for the pauses is over after this. */
const LONG_AGO_MS = 10_000

export const newShare = (key: LimitedKey): Share => ({
  key,
  uses: rateWindow(STEP_MS),
  held: 0,
  leastFree: 0,
  waiting: 0,
  toldAt: Number.NEGATIVE_INFINITY,
  told: undefined,
  others: { count: 0, used: 0, nextOver: undefined },
  emptyUntil: Number.NEGATIVE_INFINITY,
  askedAt: Number.NEGATIVE_INFINITY,
  pauseMs: ASK_PAUSE_MS,
  refusals: 0,
  isLeaving: false,
})

/** After the clock was put back: nothing that was to be at a time of the old clock is waited for. */
export function forgetTimes(share: Share): void {
  share.toldAt = Number.NEGATIVE_INFINITY
  share.emptyUntil = Number.NEGATIVE_INFINITY
  share.askedAt = Number.NEGATIVE_INFINITY
}

const isBelieved = (share: Share, now: number) => now - share.toldAt <= BELIEVED_MS

/** Uses a permit that this process holds, if it has one. */
export function use(share: Share, now: number): Permit | undefined {
  if (!isBelieved(share, now) || share.held <= share.uses.count(now)) return undefined
  return grant(share, now)
}

function grant(share: Share, now: number): Permit {
  share.uses.add(now)
  share.isLeaving = false
  share.leastFree = Math.min(share.leastFree, share.held - share.uses.count(now))
  return permit(share, now, true)
}

/** While the database does not answer: as if there were no other process. What is used so is told when it answers again. */
export function useAlone(share: Share, now: number): Permit {
  if (share.uses.count(now) < share.key.requestsPerMinute) return grant(share, now)
  return refuse(share, now)
}

export function refuse(share: Share, now: number): Permit {
  share.refusals++
  return permit(share, now, false)
}

function permit(share: Share, now: number, isGranted: boolean): Permit {
  const { requestsPerMinute: limit } = share.key
  const remaining = isGranted ? Math.max(0, limit - share.uses.count(now) - share.others.used) : 0
  const own = share.uses.nextOver() ?? Number.POSITIVE_INFINITY
  const { nextOver } = share.others
  const next = Math.min(own, nextOver !== undefined && nextOver > now ? nextOver : Number.POSITIVE_INFINITY)
  return { isGranted, limit, remaining, nextOver: next === Number.POSITIVE_INFINITY ? now + 1_000 : next }
}

/** Whether asking for more may be of use. */
export function mayAsk(share: Share, now: number): boolean {
  if (now >= share.emptyUntil) return true
  return share.refusals >= ASK_AFTER_REFUSALS && now - share.askedAt >= ASK_PAUSE_MS
}

/** What the database is told of it now; `share.told` remembers it. */
export function tell(share: Share, now: number): Told {
  const used = share.uses.count(now)
  share.held = isBelieved(share, now) ? Math.max(share.held, used) : used
  const isOver = share.isLeaving && share.waiting === 0
  const { accountId, keyId, requestsPerMinute } = share.key
  share.told = {
    accountId,
    keyId,
    held: share.held,
    free: share.held - used,
    waiting: share.waiting,
    perMinute: requestsPerMinute,
    overAt: isOver ? (share.uses.allOver() ?? now) : now + OVER_AFTER_MS,
    nextOver: share.uses.nextOver() ?? 0,
  }
  return share.told
}

/** Takes the answer to what was told at `at`. */
export function hear(share: Share, { held, others }: Answered, at: number): void {
  const { told } = share
  share.held = held
  share.others = others
  share.toldAt = at
  share.leastFree = Math.max(0, held - share.uses.count(at))
  if (told === undefined || told.waiting === 0) return
  const isEmpty = held - told.held < told.waiting
  const isNews = !isEmpty || at - share.askedAt > LONG_AGO_MS
  share.pauseMs = isNews ? ASK_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, share.pauseMs * 2)
  share.emptyUntil = isEmpty ? at + share.pauseMs : Number.NEGATIVE_INFINITY
  share.askedAt = at
  share.refusals = 0
}

/** What may lie idle here: of seven in a hundred a third, or less when there are more others than three. */
const reserveOf = (share: Share) =>
  Math.floor((share.key.requestsPerMinute * 7) / (100 * Math.max(3, share.others.count)))

/** Takes back what nobody needed; true when there is something to tell. */
export function tidy(share: Share, now: number): boolean {
  const used = share.uses.count(now)
  const free = share.held - used
  const idle = Math.min(share.leastFree, free)
  share.leastFree = free
  if (used === 0) {
    share.isLeaving = true
    share.held = 0
    return true
  }
  const reserve = reserveOf(share)
  if (idle > reserve) {
    // Half the reserve at once, so that traffic that wavers does not give back one by one.
    share.held -= idle - Math.floor(reserve / 2)
    return true
  }
  return now - share.toldAt > TELL_AFTER_MS
}
