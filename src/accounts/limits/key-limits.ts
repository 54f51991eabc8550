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
import { exchangeShares } from './rate-ledger.ts'
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

export type KeyLimits = {
  /** One request of a key: its permit, or the refusal, with what is left. Throws only what is a bug of ours. */
  take: (key: LimitedKey) => Promise<Permit> | Permit
  /** Gives back what lies idle and tells again what is held; called by a timer four times a second. */
  maintain: () => Promise<void>
  /** Gives back all that is not used up; called at shutdown. */
  releaseAll: () => Promise<void>
}

/** The limits as one process keeps them. */
export function createKeyLimits(sql: Sql, clock: Clock, patienceMs = DATABASE_TIMEOUT_MS): KeyLimits {
  const process = randomBase62(10)
  const shares = new Map<string, RateShare>()
  const contacts = new Map<RateShare, Contact>()
  let latest = Number.NEGATIVE_INFINITY
  let restUntil = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const time = (): number => {
    const now = clock.now().getTime()
    if (latest - now > SET_BACK_MS) {
      restUntil = Number.NEGATIVE_INFINITY
      for (const share of shares.values()) resetTimes(share)
    }
    latest = now
    return now
  }

  const exchange = createBatchLoader(async (all: readonly RateShare[]) => {
    const now = time()
    const told = all.map(share => buildReport(share, now))
    return (await exchangeShares(sql, process, told, now)).map(answer => ({ answer, at: now }))
  })

  const meet = async (share: RateShare): Promise<void> => {
    try {
      const { answer, at } = await exchange(share)
      applyReply(share, answer, at)
    } catch (error) {
      restUntil = time() + ERROR_PAUSE_MS
      if (explainDatabaseError(error)?.code !== 'unavailable') throw error
    } finally {
      contacts.delete(share)
    }
  }

  const contact = (share: RateShare): Contact => {
    const before = contacts.get(share)
    if (before !== undefined) return before
    const { promise: tired, resolve } = Promise.withResolvers<void>()
    const over = meet(share)
    const one: Contact = { over, patience: Promise.race([over, tired]), isStalled: false }
    const timeout = setTimeout(() => {
      one.isStalled = true
      resolve()
    }, patienceMs)
    const end = () => clearTimeout(timeout)
    one.patience.then(end, end)
    contacts.set(share, one)
    return one
  }

  const findShare = (key: LimitedKey): RateShare => {
    let share = shares.get(key.keyId)
    if (share === undefined) {
      share = createShare(key)
      shares.set(key.keyId, share)
      startMaintenance()
    }
    if (share.key.requestsPerMinute !== key.requestsPerMinute) resetTimes(share)
    share.key = key
    return share
  }

  /** The answer that needs no waiting, if there is one. */
  const answer = (share: RateShare, now: number): Permit | undefined => {
    const own = takePermit(share, now)
    if (own !== undefined) return own
    if (now < restUntil || contacts.get(share)?.isStalled) return takePermitOffline(share, now)
    return canAskForMore(share, now) ? undefined : refusePermit(share, now)
  }

  const ask = async (share: RateShare): Promise<Permit> => {
    share.waiting++
    try {
      for (let turn = 0; turn < MAX_TURNS; turn++) {
        // It may be one that was under way already and does not know of this request: hence turns.
        await contact(share).patience
        const permit = answer(share, time())
        if (permit !== undefined) return permit
      }
      return refusePermit(share, time())
    } finally {
      share.waiting--
    }
  }

  const startMaintenance = () => {
    if (timer !== undefined) return
    // What fails here is met again, and told, by the next request that asks.
    timer = setInterval(() => maintain().catch(() => undefined), MAINTENANCE_INTERVAL_MS)
    timer.unref()
  }

  const maintain = async (): Promise<void> => {
    const now = time()
    const met: Promise<void>[] = []
    for (const [id, share] of shares) {
      if (contacts.has(share) || share.waiting > 0 || now < restUntil) continue
      if (share.isLeaving && share.held === 0) shares.delete(id)
      else if (releaseIdlePermits(share, now)) met.push(contact(share).over)
    }
    if (shares.size === 0) stopMaintenance()
    await Promise.all(met)
  }

  const stopMaintenance = () => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    take(key) {
      const share = findShare(key)
      return answer(share, time()) ?? ask(share)
    },
    maintain,
    async releaseAll() {
      stopMaintenance()
      const all = [...shares.values()]
      shares.clear()
      await Promise.all([...contacts.values()].map(one => one.over))
      const now = time()
      for (const share of all) {
        share.isLeaving = true
        share.held = share.uses.count(now)
      }
      await Promise.all(all.map(share => contact(share).over))
    },
  }
}

const limits = perDatabase((_sql: Sql) => new WeakMap<Clock, KeyLimits>())

/** The limits of this process on this database. */
export function getKeyLimits(sql: Sql, clock: Clock): KeyLimits {
  const known = limits(sql).get(clock)
  if (known !== undefined) return known
  const made = createKeyLimits(sql, clock)
  limits(sql).set(clock, made)
  return made
}
