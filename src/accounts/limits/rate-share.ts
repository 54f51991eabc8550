/** One process's share of a key's permits: what it may let through without asking, what it tells, and what it gives back. */
import type { ShareReply, ShareReport } from './rate-ledger.ts'
import { createRateWindow, type RateWindow } from './rate-window.ts'

export type LimitedKey = { accountId: number; keyId: string; requestsPerMinute: number }

export type Permit = {
  isGranted: boolean
  limit: number
  remaining: number
  /** When the next use is over, in ms: for a refusal, when to come again. */
  nextOver: number
}

export type RateShare = {
  key: LimitedKey
  uses: RateWindow
  held: number
  /** The least that was free since it was last tended: what nobody needed. */
  minFree: number
  waiting: number
  /** When the database last heard of it, and what it was told. */
  reportedAt: number
  lastReport: ShareReport | undefined
  others: ShareReply['others']
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

export const createShare = (key: LimitedKey): RateShare => ({
  key,
  uses: createRateWindow(STEP_MS),
  held: 0,
  minFree: 0,
  waiting: 0,
  reportedAt: Number.NEGATIVE_INFINITY,
  lastReport: undefined,
  others: { count: 0, used: 0, nextOver: undefined },
  emptyUntil: Number.NEGATIVE_INFINITY,
  askedAt: Number.NEGATIVE_INFINITY,
  pauseMs: ASK_PAUSE_MS,
  refusals: 0,
  isLeaving: false,
})

/** After the clock was put back: nothing that was to be at a time of the old clock is waited for. */
export function resetTimes(share: RateShare): void {
  share.reportedAt = Number.NEGATIVE_INFINITY
  share.emptyUntil = Number.NEGATIVE_INFINITY
  share.askedAt = Number.NEGATIVE_INFINITY
}

const isBelieved = (share: RateShare, now: number) => now - share.reportedAt <= BELIEVED_MS

/** Uses a permit that this process holds, if it has one. */
export function takePermit(share: RateShare, now: number): Permit | undefined {
  if (!isBelieved(share, now) || share.held <= share.uses.count(now)) return undefined
  return grant(share, now)
}

function grant(share: RateShare, now: number): Permit {
  share.uses.add(now)
  share.isLeaving = false
  share.minFree = Math.min(share.minFree, share.held - share.uses.count(now))
  return permit(share, now, true)
}

/** While the database does not answer: as if there were no other process. What is used so is told when it answers again. */
export function takePermitOffline(share: RateShare, now: number): Permit {
  if (share.uses.count(now) < share.key.requestsPerMinute) return grant(share, now)
  return refusePermit(share, now)
}

export function refusePermit(share: RateShare, now: number): Permit {
  share.refusals++
  return permit(share, now, false)
}

function permit(share: RateShare, now: number, isGranted: boolean): Permit {
  const { requestsPerMinute: limit } = share.key
  const remaining = isGranted ? Math.max(0, limit - share.uses.count(now) - share.others.used) : 0
  const own = share.uses.nextExpiry() ?? Number.POSITIVE_INFINITY
  const { nextOver } = share.others
  const next = Math.min(own, nextOver !== undefined && nextOver > now ? nextOver : Number.POSITIVE_INFINITY)
  return { isGranted, limit, remaining, nextOver: next === Number.POSITIVE_INFINITY ? now + 1_000 : next }
}

/** Whether asking for more may be of use. */
export function canAskForMore(share: RateShare, now: number): boolean {
  if (now >= share.emptyUntil) return true
  return share.refusals >= ASK_AFTER_REFUSALS && now - share.askedAt >= ASK_PAUSE_MS
}

/** What the database is told of it now; `share.told` remembers it. */
export function buildReport(share: RateShare, now: number): ShareReport {
  const used = share.uses.count(now)
  share.held = isBelieved(share, now) ? Math.max(share.held, used) : used
  const isOver = share.isLeaving && share.waiting === 0
  const { accountId, keyId, requestsPerMinute } = share.key
  share.lastReport = {
    accountId,
    keyId,
    held: share.held,
    free: share.held - used,
    waiting: share.waiting,
    perMinute: requestsPerMinute,
    overAt: isOver ? (share.uses.lastExpiry() ?? now) : now + OVER_AFTER_MS,
    nextOver: share.uses.nextExpiry() ?? 0,
  }
  return share.lastReport
}

/** Takes the answer to what was told at `at`. */
export function applyReply(share: RateShare, { held, others }: ShareReply, at: number): void {
  const { lastReport } = share
  share.held = held
  share.others = others
  share.reportedAt = at
  share.minFree = Math.max(0, held - share.uses.count(at))
  if (lastReport === undefined || lastReport.waiting === 0) return
  const isEmpty = held - lastReport.held < lastReport.waiting
  const isNews = !isEmpty || at - share.askedAt > LONG_AGO_MS
  share.pauseMs = isNews ? ASK_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, share.pauseMs * 2)
  share.emptyUntil = isEmpty ? at + share.pauseMs : Number.NEGATIVE_INFINITY
  share.askedAt = at
  share.refusals = 0
}

/** What may lie idle here: of seven in a hundred a third, or less when there are more others than three. */
const reserveOf = (share: RateShare) =>
  Math.floor((share.key.requestsPerMinute * 7) / (100 * Math.max(3, share.others.count)))

/** Takes back what nobody needed; true when there is something to tell. */
export function releaseIdlePermits(share: RateShare, now: number): boolean {
  const used = share.uses.count(now)
  const free = share.held - used
  const idle = Math.min(share.minFree, free)
  share.minFree = free
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
  return now - share.reportedAt > TELL_AFTER_MS
}
