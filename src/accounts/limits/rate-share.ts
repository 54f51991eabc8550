/** The permits of a key that one process holds: what it grants without asking, reports, and gives back. */
import { createRateWindow, type RateWindow } from './rate-window.ts'
import type { ShareReply, ShareReport } from './stored-shares.ts'

export type LimitedKey = { accountId: number; keyId: string; requestsPerMinute: number }

/** The decision on a request by its rate limit, and how much of the limit is left. */
export type RateDecision = {
  isAllowed: boolean
  limit: number
  remaining: number
  /** When the next permit is free again, in ms; after a rejection, when to try again. */
  nextFreeAt: number
}

export type RateShare = {
  key: LimitedKey
  uses: RateWindow
  held: number
  /** The lowest number of free permits since the last maintenance: nobody needed these. */
  minFree: number
  waiting: number
  reportedAt: number
  lastReport: ShareReport | undefined
  others: ShareReply['others']
  /**
   * No permit was left: the database is asked again after this time, or after MAX_REJECTIONS_PER_PAUSE
   * rejections.
   */
  emptyUntil: number
  askedAt: number
  pauseMs: number
  rejections: number
  isLeaving: boolean
}

/** Uses closer together than this expire together. */
const STEP_MS = 20
const REPORT_INTERVAL_MS = 15_000
/** After this time without a report, the process stops using its share. */
const MAX_REPORT_AGE_MS = 30_000
/** After this time without a report, the share is given to other processes. */
const SHARE_LIFETIME_MS = 100_000
/** While no permit is left, the pause between two exchanges doubles from the minimum to the maximum. */
const MIN_PAUSE_MS = 250
const MAX_PAUSE_MS = 2_000
/** After this many rejected requests, the process asks the database before the pause ends. */
const MAX_REJECTIONS_PER_PAUSE = 10
/** After this time without an exchange, the pause starts at its minimum again. */
const PAUSE_MEMORY_MS = 10_000

const NO_TIMES = {
  reportedAt: Number.NEGATIVE_INFINITY,
  emptyUntil: Number.NEGATIVE_INFINITY,
  askedAt: Number.NEGATIVE_INFINITY,
}

export const createShare = (key: LimitedKey): RateShare => ({
  key,
  uses: createRateWindow(STEP_MS),
  held: 0,
  minFree: 0,
  waiting: 0,
  lastReport: undefined,
  others: { count: 0, used: 0, nextFreeAt: undefined },
  ...NO_TIMES,
  pauseMs: MIN_PAUSE_MS,
  rejections: 0,
  isLeaving: false,
})

/** Call it after the clock was set back: earlier times no longer count. */
export const resetTimes = (share: RateShare): RateShare => Object.assign(share, NO_TIMES)

const isCurrent = (share: RateShare, now: number) => now - share.reportedAt <= MAX_REPORT_AGE_MS

export function takePermit(share: RateShare, now: number): RateDecision | undefined {
  if (!isCurrent(share, now) || share.held <= share.uses.count(now)) return undefined
  return grant(share, now)
}

function grant(share: RateShare, now: number): RateDecision {
  share.uses.add(now)
  share.isLeaving = false
  share.minFree = Math.min(share.minFree, share.held - share.uses.count(now))
  return buildDecision(share, now, true)
}

/** While the database is unavailable, this process counts alone. It reports these uses later. */
export function decideOffline(share: RateShare, now: number): RateDecision {
  if (share.uses.count(now) < share.key.requestsPerMinute) return grant(share, now)
  return rejectRequest(share, now)
}

export function rejectRequest(share: RateShare, now: number): RateDecision {
  share.rejections++
  return buildDecision(share, now, false)
}

function buildDecision({ key, uses, others }: RateShare, now: number, isAllowed: boolean): RateDecision {
  const { requestsPerMinute: limit } = key
  const remaining = isAllowed ? Math.max(0, limit - uses.count(now) - others.used) : 0
  const own = uses.nextExpiry() ?? Number.POSITIVE_INFINITY
  const next =
    others.nextFreeAt !== undefined && others.nextFreeAt > now ? Math.min(own, others.nextFreeAt) : own
  return { isAllowed, limit, remaining, nextFreeAt: next === Number.POSITIVE_INFINITY ? now + 1_000 : next }
}

export function canAskForMore(share: RateShare, now: number): boolean {
  if (now >= share.emptyUntil) return true
  return share.rejections >= MAX_REJECTIONS_PER_PAUSE && now - share.askedAt >= MIN_PAUSE_MS
}

/** The report to send now. The share keeps it as `lastReport`. */
export function buildReport(share: RateShare, now: number): ShareReport {
  const used = share.uses.count(now)
  share.held = isCurrent(share, now) ? Math.max(share.held, used) : used
  const isLast = share.isLeaving && share.waiting === 0
  const { accountId, keyId, requestsPerMinute } = share.key
  share.lastReport = {
    accountId,
    keyId,
    held: share.held,
    free: share.held - used,
    waiting: share.waiting,
    perMinute: requestsPerMinute,
    expiresAt: isLast ? (share.uses.lastExpiry() ?? now) : now + SHARE_LIFETIME_MS,
    nextFreeAt: share.uses.nextExpiry() ?? 0,
  }
  return share.lastReport
}

/** Applies the reply to the report that was sent at `at`. */
export function applyReply(share: RateShare, { held, others }: ShareReply, at: number): void {
  const { lastReport } = share
  share.held = held
  share.others = others
  share.reportedAt = at
  share.minFree = Math.max(0, held - share.uses.count(at))
  if (lastReport === undefined || lastReport.waiting === 0) return
  const isEmpty = held - lastReport.held < lastReport.waiting
  const startsAgain = !isEmpty || at - share.askedAt > PAUSE_MEMORY_MS
  share.pauseMs = startsAgain ? MIN_PAUSE_MS : Math.min(MAX_PAUSE_MS, share.pauseMs * 2)
  share.emptyUntil = isEmpty ? at + share.pauseMs : Number.NEGATIVE_INFINITY
  share.askedAt = at
  share.rejections = 0
}

/** Gives back the permits that were not needed. Returns whether a report is due. */
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
  // All processes together may keep 7 % of the limit idle; each keeps at most a third of that.
  const reserve = Math.floor((share.key.requestsPerMinute * 7) / (100 * Math.max(3, share.others.count)))
  if (idle > reserve) {
    // Keeps half of the reserve, so that changing traffic does not return permits one at a time.
    share.held -= idle - Math.floor(reserve / 2)
    return true
  }
  return now - share.reportedAt > REPORT_INTERVAL_MS
}
