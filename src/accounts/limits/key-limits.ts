/**
 * Limits the requests of a key in any sixty seconds, over all processes. The limit is divided into permits;
 * each process holds some and asks the database only if none is left. See decision 0026.
 */

import { randomBase62 } from '../../kernel/crypto/crypto.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { explainDatabaseError, perDatabase, type Sql } from '../../kernel/db/database.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { perObject } from '../../kernel/values/memo.ts'
import {
  applyReply,
  buildReport,
  canAskForMore,
  createShare,
  decideOffline,
  type LimitedKey,
  type RateDecision,
  type RateShare,
  rejectRequest,
  releaseIdlePermits,
  resetTimes,
  takePermit,
} from './rate-share.ts'
import { exchangeShares, type ShareReply } from './stored-shares.ts'

/** If the database takes longer, requests do not wait: this process counts alone until it answers. */
const DATABASE_TIMEOUT_MS = 500
/** After an error, the database is not asked again for this time. */
const ERROR_PAUSE_MS = 1_000
const MAINTENANCE_INTERVAL_MS = 250
/** A clock that goes back by more than this was set back. */
const SET_BACK_MS = 1_000
/** A request gives up after this many exchanges in which other requests took all permits. */
const MAX_EXCHANGES = 8

/** A report of one share to the database, and its reply. */
type Exchange = {
  done: Promise<void>
  /** Resolves when the exchange is done or has taken too long. */
  doneOrLate: Promise<void>
  isLate: boolean
}

export class KeyLimits {
  private readonly clock: Clock
  private readonly timeoutMs: number
  private readonly send: (share: RateShare) => Promise<{ reply: ShareReply; at: number }>
  private readonly shares = new Map<string, RateShare>()
  private readonly exchanges = new Map<RateShare, Exchange>()
  private latest = Number.NEGATIVE_INFINITY
  private pausedUntil = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined

  constructor(sql: Sql, clock: Clock, timeoutMs = DATABASE_TIMEOUT_MS) {
    this.clock = clock
    this.timeoutMs = timeoutMs
    const process = randomBase62(10)
    this.send = createBatchLoader(async (all: readonly RateShare[]) => {
      const now = this.now()
      const reports = all.map(share => buildReport(share, now))
      return (await exchangeShares(sql, process, reports, now)).map(reply => ({ reply, at: now }))
    })
  }

  /** Counts a request of the key, if it is allowed. */
  take(key: LimitedKey): Promise<RateDecision> | RateDecision {
    const share = this.getShare(key)
    return this.decideLocally(share, this.now()) ?? this.decideAfterExchange(share)
  }

  /** Gives back idle permits and reports the held ones. */
  async maintain(): Promise<void> {
    const now = this.now()
    const done: Promise<void>[] = []
    for (const [id, share] of this.shares) {
      if (this.exchanges.has(share) || share.waiting > 0 || now < this.pausedUntil) continue
      if (share.isLeaving && share.held === 0) this.shares.delete(id)
      else if (releaseIdlePermits(share, now)) done.push(this.exchange(share).done)
    }
    if (this.shares.size === 0) this.stopMaintenance()
    await Promise.all(done)
  }

  async releaseAll(): Promise<void> {
    this.stopMaintenance()
    const all = [...this.shares.values()]
    this.shares.clear()
    await Promise.all([...this.exchanges.values()].map(({ done }) => done))
    const now = this.now()
    for (const share of all) {
      share.isLeaving = true
      share.held = share.uses.count(now)
    }
    await Promise.all(all.map(share => this.exchange(share).done))
  }

  private getShare(key: LimitedKey): RateShare {
    let share = this.shares.get(key.keyId)
    if (share === undefined) {
      share = createShare(key)
      this.shares.set(key.keyId, share)
      this.startMaintenance()
    }
    if (share.key.requestsPerMinute !== key.requestsPerMinute) resetTimes(share)
    share.key = key
    return share
  }

  /** Undefined if the database must be asked first. */
  private decideLocally(share: RateShare, now: number): RateDecision | undefined {
    const own = takePermit(share, now)
    if (own !== undefined) return own
    if (now < this.pausedUntil || this.exchanges.get(share)?.isLate) return decideOffline(share, now)
    return canAskForMore(share, now) ? undefined : rejectRequest(share, now)
  }

  private async decideAfterExchange(share: RateShare): Promise<RateDecision> {
    share.waiting++
    try {
      for (let i = 0; i < MAX_EXCHANGES; i++) {
        // An exchange that was already running did not report this request.
        await this.exchange(share).doneOrLate
        const decision = this.decideLocally(share, this.now())
        if (decision !== undefined) return decision
      }
      return rejectRequest(share, this.now())
    } finally {
      share.waiting--
    }
  }

  /** Starts an exchange for this share, or returns the running one. */
  private exchange(share: RateShare): Exchange {
    const running = this.exchanges.get(share)
    if (running !== undefined) return running
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const done = this.report(share)
    const exchange: Exchange = { done, doneOrLate: Promise.race([done, late]), isLate: false }
    const timeout = setTimeout(() => {
      exchange.isLate = true
      resolve()
    }, this.timeoutMs)
    const end = () => clearTimeout(timeout)
    exchange.doneOrLate.then(end, end)
    this.exchanges.set(share, exchange)
    return exchange
  }

  private async report(share: RateShare): Promise<void> {
    try {
      const { reply, at } = await this.send(share)
      applyReply(share, reply, at)
    } catch (error) {
      this.pausedUntil = this.now() + ERROR_PAUSE_MS
      if (explainDatabaseError(error)?.code !== 'unavailable') throw error
    } finally {
      this.exchanges.delete(share)
    }
  }

  /** The time in ms. If the clock was set back, earlier times no longer count. */
  private now(): number {
    const now = this.clock.now().getTime()
    if (this.latest - now > SET_BACK_MS) {
      this.pausedUntil = Number.NEGATIVE_INFINITY
      for (const share of this.shares.values()) resetTimes(share)
    }
    this.latest = now
    return now
  }

  private startMaintenance(): void {
    if (this.timer !== undefined) return
    // If this fails, the next request that asks gets the same error and reports it.
    this.timer = setInterval(() => this.maintain().catch(() => undefined), MAINTENANCE_INTERVAL_MS)
    this.timer.unref()
  }

  private stopMaintenance(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

const limits = perDatabase((sql: Sql) => perObject((clock: Clock) => new KeyLimits(sql, clock)))

export const getKeyLimits = (sql: Sql, clock: Clock): KeyLimits => limits(sql)(clock)
