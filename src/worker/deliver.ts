/**
 * Delivers webhooks: claims due deliveries of each endpoint, sends them within the concurrency limits, and
 * stores the results. A process has one worker for each shard. Each account is leased to one process at a
 * time; the leases of a killed process expire.
 */

import { idFromUuid, newUuid } from '../kernel/crypto/ids.ts'
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { Log } from '../kernel/errors/log.ts'
import type { Outbound } from '../kernel/http-out/outbound-http.ts'
import type { Clock } from '../kernel/values/clock.ts'
import {
  type ClaimedDelivery,
  FIRST_CURSOR,
  LEASE_MS,
  listPendingEndpoints,
  MAX_CLAIMED_PER_STATEMENT,
  MAX_ENDPOINTS_PER_PAGE,
  type PendingEndpoint,
  selectDueDeliveries,
} from '../webhooks/claim.ts'
import {
  type AccountConcurrency,
  acquirePermit,
  adaptLimit,
  createProcessConcurrency,
  FAST_MS,
  type ProcessConcurrency,
} from '../webhooks/concurrency-limits.ts'
import { getNextAttemptAt, HEALTHY, recordFailure, shouldDisable } from '../webhooks/retry-schedule.ts'
import { type DeliveryAttempt, sendDelivery } from '../webhooks/send.ts'
import type { AttemptResult } from '../webhooks/settle.ts'
import {
  countClaimable,
  createEndpointQueue,
  type EndpointQueue,
  getEndpointKey,
  isBackingOff,
  needsMore,
  updateEndpointQueue,
} from './endpoint-queue.ts'
import { createLeases, type Leases } from './leases.ts'
import { ResultWriter } from './result-writer.ts'
import { createThrottledLogger } from './throttled-logger.ts'

/** The interval while nothing is due: the longest time that a new event waits. */
const POLL_MS = 100
/** The interval for a while after something was due, because events come in bursts. */
const BURST_POLL_MS = 20
const BURST_MS = 2_000
/** The interval while more is due than could be claimed. */
const BUSY_POLL_MS = 50
const MAX_CLAIMED_PER_WORKER = 2_048
const STOP_TIMEOUT_MS = 2_000
const DROP_QUEUE_AFTER_MS = 60_000

type DeliverySetup = {
  /** A separate connection pool, so that deliveries and requests do not wait for each other. */
  sql: Sql
  clock: Clock
  log: Log
  secretCipher: SecretCipher
  outbound: Outbound
  /** Shared by the workers of the process; if missing, the worker has its own. */
  processConcurrency?: ProcessConcurrency
  /** A UUID, the same for all workers of the process. */
  leaseHolder?: string
  random?: () => number
  leaseMs?: number
}

/** A request in flight, with the revision of the endpoint to which it was sent. */
type SentDelivery = { claimed: ClaimedDelivery; revision: number; release: () => void }

export class DeliveryWorker {
  private readonly setup: DeliverySetup
  private readonly queues = new Map<string, EndpointQueue>()
  private readonly accounts = new Map<number, AccountConcurrency>()
  /** The home shards of accounts that are on several. */
  private readonly homes = new Map<number, number>()
  private readonly leases: Leases
  private readonly writer: ResultWriter
  private readonly processConcurrency: ProcessConcurrency
  /** Queues that wait for a permit of their account or of the process. */
  private readonly blocked = new Set<EndpointQueue>()
  private readonly outcomes: Record<string, number> = {}
  private claimedCount = 0
  private cursor = FIRST_CURSOR
  /** No endpoints are listed before this time; only queues that run low are refilled. */
  private nextPageAt = 0
  private lastClaimAt = Number.NEGATIVE_INFINITY
  private isStopping = false
  private wake: () => void = () => {}
  private loop: Promise<void> | undefined

  constructor(setup: DeliverySetup) {
    this.setup = setup
    const { sql, clock, log, leaseMs = LEASE_MS } = setup
    this.processConcurrency = setup.processConcurrency ?? createProcessConcurrency()
    const { leaseHolder: holder = newUuid(clock.now().getTime()) } = setup
    this.leases = createLeases(sql, { holder, ms: leaseMs }, this.homes)
    this.writer = new ResultWriter({ sql, clock, log, onWritten: result => this.onWritten(result) })
  }

  start(): void {
    this.loop ??= this.run()
  }

  /** For tests: delivers until nothing is due. */
  async drain(): Promise<void> {
    for (;;) {
      const { claimed, isLastPage } = await this.claimNextPage()
      if (claimed === 0 && isLastPage && this.claimedCount === 0 && this.writer.isIdle) return
      if (this.claimedCount > 0) await this.sleep(BUSY_POLL_MS)
    }
  }

  /** Requests in flight of the process, and attempts of this worker by outcome. */
  getMetrics(): { inFlight: number; outcomes: Readonly<Record<string, number>> } {
    return { inFlight: this.processConcurrency.inFlight, outcomes: { ...this.outcomes } }
  }

  async stop(): Promise<void> {
    await this.finishSending()
    await this.releaseLeases()
  }

  releaseLeases(): Promise<void> {
    return this.leases.release()
  }

  /** Stops claiming, waits two seconds for requests in flight, and aborts the rest. */
  async finishSending(): Promise<void> {
    this.isStopping = true
    this.wake()
    await this.loop
    for (const queue of this.queues.values()) this.releaseWaiting(queue)
    const until = performance.now() + STOP_TIMEOUT_MS
    while (this.claimedCount > 0 && performance.now() < until) await this.sleep(BUSY_POLL_MS)
    await this.setup.outbound.close()
    await this.writer.stop()
  }

  private async run(): Promise<void> {
    const { log } = this.setup
    const logger = createThrottledLogger(log, 'warn', { work: 'webhooks' }, 'webhooks could not be claimed')
    while (!this.isStopping) {
      let pause = POLL_MS
      try {
        pause = await this.runOnce()
        logger.recovered()
      } catch (error) {
        logger.failed(error)
      }
      await this.sleep(pause)
    }
  }

  /** Claims due deliveries. Returns the milliseconds until the next call. */
  private async runOnce(): Promise<number> {
    const isBurst = performance.now() < this.lastClaimAt + BURST_MS
    const idlePollMs = isBurst ? BURST_POLL_MS : POLL_MS
    if (performance.now() < this.nextPageAt)
      return (await this.refillQueues()) > 0 ? BUSY_POLL_MS : idlePollMs
    const { claimed, isLastPage } = await this.claimNextPage()
    const now = performance.now()
    if (claimed > 0) this.lastClaimAt = now
    if (!isLastPage) return 0
    this.nextPageAt = now + (claimed > 0 ? POLL_MS : idlePollMs)
    return claimed > 0 ? BUSY_POLL_MS : idlePollMs
  }

  /** Resolves after `ms`, or earlier when `wake` is called: for free permits or on `stop`. */
  private sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Lists the next page of endpoints and claims their due deliveries. */
  private async claimNextPage(): Promise<{ claimed: number; isLastPage: boolean }> {
    const { sql, clock, secretCipher } = this.setup
    const now = clock.now()
    const busy = Array.from(this.queues.values()).filter(queue => queue.claimedIds.size > 0)
    if (await this.leases.renew(busy.map(queue => queue.accountId))) {
      // Another process may have leased an account that was renewed too late.
      for (const queue of busy) if (!this.leases.isOurs(queue.accountId)) this.releaseWaiting(queue)
    }
    const rows = await listPendingEndpoints(sql, now, this.cursor)
    const last = rows.at(-1)
    const isLastPage = last === undefined || rows.length < MAX_ENDPOINTS_PER_PAGE
    this.cursor = isLastPage ? FIRST_CURSOR : { accountId: last.account_id, endpointId: last.id }
    if (isLastPage) this.dropUnusedQueues(now)
    for (const { account_id: id, shards } of rows) {
      if (shards?.[0] !== undefined) this.homes.set(id, shards[0])
    }
    for (const row of rows) {
      const queue = this.queues.get(getEndpointKey(row.account_id, row.id))
      if (queue === undefined) continue
      if (row.status === 'a') updateEndpointQueue(queue, row, secretCipher, now)
      else {
        this.releaseWaiting(queue)
        queue.hasMore = false
      }
    }
    const due = rows.filter(row => row.is_due)
    await this.leases.acquire(due.map(row => row.account_id))
    const ours = due.filter(row => this.leases.isOurs(row.account_id))
    const queues = ours.map(row => this.getOrCreateQueue(row, secretCipher, now))
    const claimed = await this.claimForQueues(queues, now)
    for (const queue of [...this.blocked]) this.sendWaiting(queue)
    return { claimed, isLastPage }
  }

  /** Claims for endpoints that had more due than the last claim took, without listing the others. */
  private refillQueues(): Promise<number> {
    const now = this.setup.clock.now()
    const queues = Array.from(this.queues.values()).filter(
      queue => needsMore(queue) && this.leases.isOurs(queue.accountId),
    )
    return this.claimForQueues(queues, now)
  }

  private async claimForQueues(queues: readonly EndpointQueue[], now: Date): Promise<number> {
    const { sql, clock } = this.setup
    const ready = queues.filter(
      queue => queue.secrets !== undefined && !isBackingOff(queue, now) && countClaimable(queue) > 0,
    )
    const maxClaims = Math.min(MAX_CLAIMED_PER_STATEMENT, MAX_CLAIMED_PER_WORKER - this.claimedCount)
    if (ready.length === 0 || maxClaims <= 0) return 0
    const requests = ready.map(queue => ({
      accountId: queue.accountId,
      endpointId: queue.endpointId,
      limit: countClaimable(queue),
      claimedIds: [...queue.claimedIds],
    }))
    const claimed = await selectDueDeliveries(sql, clock.now(), requests, maxClaims)
    const counts = new Map<EndpointQueue, number>()
    for (const one of claimed) {
      const queue = this.queues.get(getEndpointKey(one.account_id, one.endpoint_id))
      if (queue === undefined) continue
      queue.waiting.push(one)
      queue.claimedIds.add(one.event_id)
      counts.set(queue, (counts.get(queue) ?? 0) + 1)
      this.claimedCount++
    }
    for (const [i, queue] of ready.entries()) {
      queue.hasMore = (counts.get(queue) ?? 0) === requests[i]?.limit || claimed.length === maxClaims
      this.sendWaiting(queue)
    }
    return claimed.length
  }

  private getOrCreateQueue(row: PendingEndpoint, secretCipher: SecretCipher, now: Date): EndpointQueue {
    const key = getEndpointKey(row.account_id, row.id)
    const found = this.queues.get(key)
    if (found !== undefined) return found
    // On several shards, the workers of all of them keep to one limit.
    const shared = row.shards ? this.processConcurrency : undefined
    const accounts = shared?.accounts ?? this.accounts
    const account = accounts.get(row.account_id) ?? { shared: 0 }
    accounts.set(row.account_id, account)
    const queue = createEndpointQueue(row, account, secretCipher, now)
    if (shared !== undefined) queue.concurrency = shared.endpoints.get(key) ?? queue.concurrency
    shared?.endpoints.set(key, queue.concurrency)
    if (queue.secrets === undefined) {
      const message = 'the secret of this webhook cannot be decrypted with this SECRET_KEY: nothing is sent'
      this.setup.log.error({ webhook: idFromUuid(row.id) }, message)
    }
    this.queues.set(key, queue)
    return queue
  }

  private dropUnusedQueues(now: Date): void {
    const before = now.getTime() - DROP_QUEUE_AFTER_MS
    for (const [key, queue] of this.queues) {
      if (queue.claimedIds.size === 0 && queue.usedAt < before) this.queues.delete(key)
    }
    const used = new Set(Array.from(this.queues.values(), queue => queue.accountId))
    for (const id of this.accounts.keys()) if (!used.has(id)) this.accounts.delete(id)
  }

  /** Releases claimed deliveries that are not being sent yet; they stay queued in the database. */
  private releaseWaiting(queue: EndpointQueue): void {
    this.claimedCount -= queue.waiting.length
    for (const claimed of queue.waiting) queue.claimedIds.delete(claimed.event_id)
    queue.waiting = []
    this.blocked.delete(queue)
  }

  private sendWaiting(queue: EndpointQueue): void {
    const now = this.setup.clock.now()
    if (this.isStopping || isBackingOff(queue, now) || !this.leases.isOurs(queue.accountId))
      this.releaseWaiting(queue)
    this.blocked.delete(queue)
    while (queue.waiting.length > 0) {
      const release = acquirePermit(queue.concurrency, queue.account, this.processConcurrency)
      if (release === undefined) {
        // A queue at its own limit is not blocked: its next response calls sendWaiting again.
        const isLast = queue.shards === null && queue.concurrency.inFlight >= queue.concurrency.limit
        if (!isLast) this.blocked.add(queue)
        return
      }
      const next = queue.waiting.shift()
      if (next !== undefined) void this.send(queue, next, release)
    }
  }

  private async send(queue: EndpointQueue, claimed: ClaimedDelivery, release: () => void): Promise<void> {
    const { outbound, clock, log } = this.setup
    const { url, secrets, revision } = queue
    try {
      if (secrets === undefined) throw new Error('a queue without secrets has claimed an event')
      const { event_id: eventId, type } = claimed
      const request = { url, secrets, eventId, type, data: claimed.data }
      const attempt = await sendDelivery(outbound, clock, request)
      this.finish(queue, { claimed, revision, release }, attempt)
    } catch (error) {
      // The id stays in claimedIds, so this event is not tried again before a restart.
      release()
      log.error({ err: error, event: idFromUuid(claimed.event_id) }, 'a webhook event could not be sent')
    }
  }

  private finish(
    queue: EndpointQueue,
    { claimed, revision, release }: SentDelivery,
    attempt: DeliveryAttempt,
  ): void {
    const { clock, random = Math.random } = this.setup
    const ok = attempt.outcome === 'delivered'
    release()
    this.outcomes[attempt.outcome] = (this.outcomes[attempt.outcome] ?? 0) + 1
    if (attempt.outcome === 'stopped') {
      // Aborted by our own shutdown, so it does not count as an attempt; another process sends it.
      queue.claimedIds.delete(claimed.event_id)
      this.claimedCount--
      return
    }
    adaptLimit(queue.concurrency, { ok, ms: attempt.durationMs })
    const now = clock.now()
    const attempts = claimed.attempts + 1
    const { retryAfterMs } = attempt
    const nextAt = ok ? undefined : getNextAttemptAt(now, { attempts, retryAfterMs, random: random() })
    // An attempt says nothing about an endpoint that was edited after it began.
    if (revision === queue.revision) this.updateHealth(queue, attempt, now)
    this.writer.add({
      accountId: queue.accountId,
      endpointId: queue.endpointId,
      eventId: claimed.event_id,
      type: claimed.type,
      attemptNumber: attempts,
      kind: 'e',
      attempt,
      nextAt,
    })
    this.sendWaiting(queue)
    if (this.blocked.size > 0) for (const other of [...this.blocked]) this.sendWaiting(other)
    if (needsMore(queue)) this.wake()
  }

  private updateHealth(queue: EndpointQueue, attempt: DeliveryAttempt, now: Date): void {
    const ok = attempt.outcome === 'delivered'
    if (ok && queue.health.failures === 0) return
    queue.health = ok ? HEALTHY : recordFailure(queue.health, now, { isSlow: attempt.durationMs >= FAST_MS })
    const isFailing = shouldDisable(queue.health, now)
    const disabledReason = attempt.isGone ? 'gone' : isFailing ? 'failing' : null
    const { accountId, endpointId, revision, health, shards } = queue
    this.writer.addHealth({ accountId, endpointId, revision, health, disabledReason, shards })
    if (disabledReason !== null) this.releaseWaiting(queue)
  }

  private onWritten({ accountId, endpointId, eventId }: AttemptResult): void {
    const queue = this.queues.get(getEndpointKey(accountId, endpointId))
    this.claimedCount--
    queue?.claimedIds.delete(eventId)
    if (this.claimedCount === 0) this.wake()
  }
}
