/**
 * How many requests a key may make in any sixty seconds, over all processes. The limit is cut into permits. A process
 * uses the ones it holds without asking anybody, and each comes back to it sixty seconds after its use; it asks the
 * database for more only when it has none left, and gives back what lies idle. So no permit is used twice within a
 * minute, whatever the clocks of the machines say, and what lies idle elsewhere stays below seven in a
 * hundred, of which two are made good.
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

/** A database that takes longer does not hold a request up: this process counts by itself until it answers. */
const DATABASE_TIMEOUT_MS = 500
/** After an error of the database it is left alone for a while. */
const ERROR_PAUSE_MS = 1_000
/** How often idle permits are looked for. */
const MAINTENANCE_INTERVAL_MS = 250
/** A clock that goes back by more than this was put back. */
const SET_BACK_MS = 1_000
/** Only a request that others overtake each time gets this far. */
const MAX_TURNS = 8

type Contact = {
  over: Promise<void>
  /** Resolves when it is over, or when waiting any longer is no use. */
  patience: Promise<void>
  isStalled: boolean
}

/** The limits as one process keeps them. */
export class KeyLimits {
  private readonly clock: Clock
  private readonly patienceMs: number
  private readonly exchange: (share: RateShare) => Promise<{ answer: ShareReply; at: number }>
  private readonly shares = new Map<string, RateShare>()
  private readonly contacts = new Map<RateShare, Contact>()
  private latest = Number.NEGATIVE_INFINITY
  private restUntil = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined

  constructor(sql: Sql, clock: Clock, patienceMs = DATABASE_TIMEOUT_MS) {
    this.clock = clock
    this.patienceMs = patienceMs
    const process = randomBase62(10)
    this.exchange = createBatchLoader(async (all: readonly RateShare[]) => {
      const now = this.time()
      const reports = all.map(share => buildReport(share, now))
      return (await exchangeShares(sql, process, reports, now)).map(answer => ({ answer, at: now }))
    })
  }

  /** One request of a key: its permit, or the refusal, with what is left. Throws only what is a bug of ours. */
  take(key: LimitedKey): Promise<Permit> | Permit {
    const share = this.findShare(key)
    return this.answer(share, this.time()) ?? this.ask(share)
  }

  /** Gives back idle permits and reports the held ones; called by a timer four times a second. */
  async maintain(): Promise<void> {
    const now = this.time()
    const met: Promise<void>[] = []
    for (const [id, share] of this.shares) {
      if (this.contacts.has(share) || share.waiting > 0 || now < this.restUntil) continue
      if (share.isLeaving && share.held === 0) this.shares.delete(id)
      else if (releaseIdlePermits(share, now)) met.push(this.contact(share).over)
    }
    if (this.shares.size === 0) this.stopMaintenance()
    await Promise.all(met)
  }

  /** Gives back all that is not used up; called at shutdown. */
  async releaseAll(): Promise<void> {
    this.stopMaintenance()
    const all = [...this.shares.values()]
    this.shares.clear()
    await Promise.all([...this.contacts.values()].map(one => one.over))
    const now = this.time()
    for (const share of all) {
      share.isLeaving = true
      share.held = share.uses.count(now)
    }
    await Promise.all(all.map(share => this.contact(share).over))
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

  /** The answer that needs no waiting, if there is one. */
  private answer(share: RateShare, now: number): Permit | undefined {
    const own = takePermit(share, now)
    if (own !== undefined) return own
    if (now < this.restUntil || this.contacts.get(share)?.isStalled) return takePermitOffline(share, now)
    return canAskForMore(share, now) ? undefined : refusePermit(share, now)
  }

  private async ask(share: RateShare): Promise<Permit> {
    share.waiting++
    try {
      for (let turn = 0; turn < MAX_TURNS; turn++) {
        // It may be one that was under way already and does not know of this request: hence turns.
        await this.contact(share).patience
        const permit = this.answer(share, this.time())
        if (permit !== undefined) return permit
      }
      return refusePermit(share, this.time())
    } finally {
      share.waiting--
    }
  }

  /** Asks the database for this share, or joins the question that is under way. */
  private contact(share: RateShare): Contact {
    const before = this.contacts.get(share)
    if (before !== undefined) return before
    const { promise: tired, resolve } = Promise.withResolvers<void>()
    const over = this.meet(share)
    const one: Contact = { over, patience: Promise.race([over, tired]), isStalled: false }
    const timeout = setTimeout(() => {
      one.isStalled = true
      resolve()
    }, this.patienceMs)
    const end = () => clearTimeout(timeout)
    one.patience.then(end, end)
    this.contacts.set(share, one)
    return one
  }

  private async meet(share: RateShare): Promise<void> {
    try {
      const { answer, at } = await this.exchange(share)
      applyReply(share, answer, at)
    } catch (error) {
      this.restUntil = this.time() + ERROR_PAUSE_MS
      if (explainDatabaseError(error)?.code !== 'unavailable') throw error
    } finally {
      this.contacts.delete(share)
    }
  }

  /** Now. When the clock was set back, what was measured before counts no more. */
  private time(): number {
    const now = this.clock.now().getTime()
    if (this.latest - now > SET_BACK_MS) {
      this.restUntil = Number.NEGATIVE_INFINITY
      for (const share of this.shares.values()) resetTimes(share)
    }
    this.latest = now
    return now
  }

  private startMaintenance(): void {
    if (this.timer !== undefined) return
    // What fails here is met again, and reported, by the next request that asks.
    this.timer = setInterval(() => this.maintain().catch(() => undefined), MAINTENANCE_INTERVAL_MS)
    this.timer.unref()
  }

  private stopMaintenance(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

const limits = perDatabase((_sql: Sql) => new WeakMap<Clock, KeyLimits>())

/** The limits of this process on this database. */
export function getKeyLimits(sql: Sql, clock: Clock): KeyLimits {
  const known = limits(sql).get(clock)
  if (known !== undefined) return known
  const made = new KeyLimits(sql, clock)
  limits(sql).set(clock, made)
  return made
}
