/**
 * How many requests a key may make in any sixty seconds, over all processes. The limit is divided into
 * permits; each process holds some and asks the database only if none is left. See decision 0026.
 */
import type { Clock } from '../../kernel/clock.ts'
import { randomBase62 } from '../../kernel/crypto.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { explainDatabaseError, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { exchangeShares, type ShareReply } from './rate-ledger.ts'
import {
  applyReply,
  buildReport,
  canAskForMore,
  createShare,
  type LimitedKey,
  type Permit,
  type RateShare,
  refusePermit,
  releaseIdlePermits,
  resetTimes,
  takePermit,
  takePermitOffline,
} from './rate-share.ts'

/** If the database takes longer, requests do not wait: this process counts alone until it answers. */
const DATABASE_TIMEOUT_MS = 500
/** After an error, the database is not asked again for this time. */
const ERROR_PAUSE_MS = 1_000
const MAINTENANCE_INTERVAL_MS = 250
/** A clock that goes back by more than this was set back. */
const SET_BACK_MS = 1_000
/** A request gives up after this many rounds in which others took all permits. */
const MAX_TURNS = 8

type Exchange = {
  done: Promise<void>
  /** Resolves when it is done, or when it has taken too long. */
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
      const now = this.time()
      const reports = all.map(share => buildReport(share, now))
      return (await exchangeShares(sql, process, reports, now)).map(reply => ({ reply, at: now }))
    })
  }

  take(key: LimitedKey): Promise<Permit> | Permit {
    const share = this.findShare(key)
    return this.answer(share, this.time()) ?? this.ask(share)
  }

  /** Gives back idle permits and reports the held ones. */
  async maintain(): Promise<void> {
    const now = this.time()
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
    await Promise.all([...this.exchanges.values()].map(one => one.done))
    const now = this.time()
    for (const share of all) {
      share.isLeaving = true
      share.held = share.uses.count(now)
    }
    await Promise.all(all.map(share => this.exchange(share).done))
  }

  private findShare(key: LimitedKey): RateShare {
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

  /** Decides without the database if possible. */
  private answer(share: RateShare, now: number): Permit | undefined {
    const own = takePermit(share, now)
    if (own !== undefined) return own
    if (now < this.pausedUntil || this.exchanges.get(share)?.isLate) return takePermitOffline(share, now)
    return canAskForMore(share, now) ? undefined : refusePermit(share, now)
  }

  private async ask(share: RateShare): Promise<Permit> {
    share.waiting++
    try {
      for (let turn = 0; turn < MAX_TURNS; turn++) {
        // A running exchange did not report this request, so several may be needed.
        await this.exchange(share).doneOrLate
        const permit = this.answer(share, this.time())
        if (permit !== undefined) return permit
      }
      return refusePermit(share, this.time())
    } finally {
      share.waiting--
    }
  }

  /** Starts an exchange for this share, or returns the one under way. */
  private exchange(share: RateShare): Exchange {
    const before = this.exchanges.get(share)
    if (before !== undefined) return before
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const done = this.report(share)
    const one: Exchange = { done, doneOrLate: Promise.race([done, late]), isLate: false }
    const timeout = setTimeout(() => {
      one.isLate = true
      resolve()
    }, this.timeoutMs)
    const end = () => clearTimeout(timeout)
    one.doneOrLate.then(end, end)
    this.exchanges.set(share, one)
    return one
  }

  private async report(share: RateShare): Promise<void> {
    try {
      const { reply, at } = await this.send(share)
      applyReply(share, reply, at)
    } catch (error) {
      this.pausedUntil = this.time() + ERROR_PAUSE_MS
      if (explainDatabaseError(error)?.code !== 'unavailable') throw error
    } finally {
      this.exchanges.delete(share)
    }
  }

  /** The current time. If the clock was set back, earlier times no longer count. */
  private time(): number {
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
    // Ignored here: the next request that asks the database reports the same error.
    this.timer = setInterval(() => this.maintain().catch(() => undefined), MAINTENANCE_INTERVAL_MS)
    this.timer.unref()
  }

  private stopMaintenance(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

const limits = perDatabase((_sql: Sql) => new WeakMap<Clock, KeyLimits>())

export function getKeyLimits(sql: Sql, clock: Clock): KeyLimits {
  const known = limits(sql).get(clock)
  if (known !== undefined) return known
  const made = new KeyLimits(sql, clock)
  limits(sql).set(clock, made)
  return made
}
