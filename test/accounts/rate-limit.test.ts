/**
 * Tests the limits of several processes on one database, with a clock that the test moves: never too many
 * requests, never a rejection too early.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { KeyLimits } from '../../src/accounts/limits/key-limits.ts'
import { deleteExpiredShares } from '../../src/accounts/limits/stored-shares.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, startHarness, TestClock } from '../harness.ts'
import { assertWithin } from '../waiting.ts'
import { countExchanges } from './count-exchanges.ts'

/** A permit that one process no longer needs reaches another after two idle checks and the longest pause. */
const HANDED_ON_MS = 2_500
const TEND_MS = 250
/** A busy machine must not make a process count on its own, unless the test is about that. */
const UNMOVED_MS = 60_000

/** Several processes' limits for one key. Checks every grant and rejection against the documented limit. */
class Cluster {
  readonly granted: number[] = []
  refused = 0
  private readonly key: { accountId: number; keyId: string; requestsPerMinute: number }
  readonly nodes: KeyLimits[]
  private readonly clock: TestClock
  constructor(t: Harness, count: number, requestsPerMinute: number, patienceMs = UNMOVED_MS) {
    this.clock = new TestClock()
    this.clock.set('2026-11-21T10:00:00Z')
    this.nodes = Array.from({ length: count }, () => new KeyLimits(t.sql, this.clock, patienceMs))
    this.key = { accountId: 1, keyId: newUuid(Date.now()), requestsPerMinute }
  }

  get now() {
    return this.clock.now().getTime()
  }
  get id() {
    return this.key.keyId
  }
  change(requestsPerMinute: number) {
    this.key.requestsPerMinute = requestsPerMinute
  }

  within(ms: number): number {
    let n = 0
    for (let i = this.granted.length - 1; i >= 0 && (this.granted[i] ?? 0) > this.now - ms; i--) n++
    return n
  }

  async one(node: number): Promise<boolean> {
    const decision = await this.nodes[node % this.nodes.length]?.take({ ...this.key })
    assert.ok(decision)
    if (decision.isAllowed) this.granted.push(this.now)
    else {
      this.refused++
      assert.equal(decision.remaining, 0)
      assert.ok(decision.nextFreeAt > this.now)
    }
    assert.equal(decision.limit, this.key.requestsPerMinute)
    return decision.isAllowed
  }

  check(wasRefused: boolean) {
    const { requestsPerMinute: limit } = this.key
    assert.ok(this.within(60_000) <= Math.floor(limit * 1.02), `${this.within(60_000)} of ${limit}`)
    if (!wasRefused) return
    const used = this.within(60_000 + HANDED_ON_MS)
    assert.ok(used >= limit * 0.95, `refused after ${used} of ${limit}`)
  }

  async oneByOne(node: number, count: number) {
    for (let i = 0; i < count; i++) this.check(!(await this.one(node)))
  }

  /** Sends `count` requests at the same time: to all processes, or to one. */
  async atOnce(count: number, node?: number) {
    const all = await Promise.all(Array.from({ length: count }, (_, i) => this.one(node ?? i)))
    this.check(all.includes(false))
  }

  rush(node: number, count: number) {
    return this.atOnce(count, node)
  }

  spread(_: number, count: number) {
    return this.atOnce(count)
  }

  async steady(node: number, count: number) {
    for (let i = 0; i < count % 100; i++) {
      await this.oneByOne(node + i, 1)
      await this.wait(200)
    }
  }

  idle(_: number, ms: number) {
    return this.wait(ms * 60)
  }

  async wait(ms: number) {
    for (let left = ms; left > 0; left -= TEND_MS) {
      this.clock.advance(Math.min(TEND_MS, left))
      for (const node of this.nodes) await node.maintain()
    }
  }

  async close() {
    await Promise.all(this.nodes.map(node => node.releaseAll()))
  }
}

describe('the rate limit of a key', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  test('one process allows exactly the limit, and each request counts for sixty seconds', async () => {
    const cluster = new Cluster(t, 1, 120)
    await cluster.oneByOne(0, 100)
    await cluster.wait(30_000)
    await cluster.oneByOne(0, 40)
    assert.equal(cluster.granted.length, 120)
    await cluster.wait(29_999)
    await cluster.oneByOne(0, 1)
    assert.equal(cluster.granted.length, 120)
    await cluster.wait(21)
    await cluster.oneByOne(0, 200)
    assert.equal(cluster.granted.length, 220)
    await cluster.close()
  })

  test('one process can use nearly the whole limit while three others had one request each', async () => {
    const cluster = new Cluster(t, 4, 300)
    for (const node of [1, 2, 3]) await cluster.oneByOne(node, 1)
    await cluster.oneByOne(0, 400)
    assert.ok(cluster.granted.length >= 285, String(cluster.granted.length))
    for (const node of [1, 2, 3]) await cluster.oneByOne(node, 20)
    assert.ok(cluster.granted.length <= 306, String(cluster.granted.length))
    await cluster.close()
  })

  test('four processes with 1,200 concurrent requests allow between 294 and 306', async () => {
    const cluster = new Cluster(t, 4, 300)
    await cluster.atOnce(1_200)
    assert.ok(cluster.granted.length >= 294 && cluster.granted.length <= 306, String(cluster.granted.length))
    await cluster.wait(59_900)
    await cluster.atOnce(600)
    assert.ok(cluster.granted.length <= 306, String(cluster.granted.length))
    await cluster.wait(700)
    await cluster.atOnce(1_200)
    assert.ok(cluster.granted.length >= 588 && cluster.granted.length <= 612, String(cluster.granted.length))
    await cluster.close()
  })

  test('never allows more than 102 % of the limit, and never rejects below 95 %, whatever the traffic', async () => {
    const hows = ['oneByOne', 'rush', 'spread', 'steady', 'idle', 'idle'] as const
    const move = fc.record({
      how: fc.constantFrom(...hows),
      node: fc.nat(7),
      count: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 150 }), fc.nat(1_200)),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(20, 120, 300, 600),
        fc.array(move, { minLength: 5, maxLength: 15 }),
        async (nodes, limit, moves) => {
          const cluster = new Cluster(t, nodes, limit)
          for (const { how, node, count } of moves) await cluster[how](node, count)
          await cluster.close()
        },
      ),
      { numRuns: IS_FULL ? 300 : 25, endOnFailure: true },
    )
  })

  for (const [limit, most] of [
    [300, 0.15],
    [1_000, 0.1],
    [6_000, 0.1],
  ] as const) {
    const skip = skipOnCitus('table')
    test(`${limit} requests a minute through four processes cost at most ${most} round trips each`, {
      skip,
    }, async () => {
      const cluster = new Cluster(t, 4, limit)
      const exchanges = await countExchanges(t.sql)
      const trips = () => exchanges(cluster.id)
      const requests = Math.floor(limit * 1.8)
      // Two minutes at nine tenths of the limit, then a minute at three times the limit.
      for (let i = 0; i < requests; i++) {
        await cluster.one(Math.floor(Math.random() * 4))
        await cluster.wait(66_666 / limit)
      }
      const steady = await trips()
      for (let i = 0; i < limit * 3; i++) {
        await cluster.one(Math.floor(Math.random() * 4))
        await cluster.wait(20_000 / limit)
      }
      const over = (await trips()) - steady
      assert.ok(steady / requests <= most, `${(steady / requests).toFixed(3)} within the limit`)
      assert.ok(over / (limit * 3) <= most, `${(over / (limit * 3)).toFixed(3)} over the limit`)
      await cluster.close()
    })
  }

  test('a process that stops returns its unused share at once, and the used part a minute later', async () => {
    const cluster = new Cluster(t, 2, 300)
    await cluster.oneByOne(0, 100)
    await cluster.nodes[0]?.releaseAll()
    await cluster.oneByOne(1, 250)
    assert.equal(cluster.granted.length, 300)
    await cluster.wait(60_500)
    await cluster.oneByOne(1, 310)
    assert.equal(cluster.granted.length, 600)
    await cluster.close()
  })

  test('a process that died keeps its share for at most a hundred seconds', async () => {
    const cluster = new Cluster(t, 1, 300)
    // With a clock that stands still, its timer never finds anything to report.
    const stopped = new TestClock()
    stopped.set(new Date(cluster.now))
    const dead = new KeyLimits(t.sql, stopped, UNMOVED_MS)
    for (let i = 0; i < 200; i++) await dead.take({ accountId: 1, keyId: cluster.id, requestsPerMinute: 300 })
    for (let i = 0; i < 150; i++) await cluster.one(0)
    assert.ok(cluster.granted.length >= 80 && cluster.granted.length <= 106, String(cluster.granted.length))
    await cluster.wait(100_001)
    cluster.granted.length = 0
    await cluster.oneByOne(0, 310)
    assert.equal(cluster.granted.length, 300)
    await cluster.close()
  })

  test('a change of plan applies from the next request', async () => {
    const cluster = new Cluster(t, 1, 120)
    await cluster.oneByOne(0, 130)
    assert.equal(cluster.granted.length, 120)
    cluster.change(300)
    await cluster.oneByOne(0, 200)
    assert.equal(cluster.granted.length, 300)
    await cluster.close()
  })

  test('a stalled database delays no request; requests allowed meanwhile are counted afterwards', async () => {
    const cluster = new Cluster(t, 2, 100, 100)
    await cluster.oneByOne(0, 1)
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lock = t.sql.begin(async sql => {
      await sql`lock table rate_share in access exclusive mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    await assertWithin(2_000, async () => {
      for (let i = 0; i < 300; i++) await cluster.one(i % 2)
    })
    assert.equal(cluster.granted.length, 200, 'each process by itself up to the limit')
    release.resolve()
    await lock
    const before = cluster.granted.length
    for (let i = 0; i < 100; i++) {
      await pause(5)
      await cluster.one(i % 2)
    }
    assert.equal(cluster.granted.length, before)
    await cluster.close()
  })

  test('if the database does not answer, no request within the limit is rejected', async () => {
    const lost = await startHarness()
    const limits = new KeyLimits(lost.sql, lost.clock)
    await lost.sql.end({ timeout: 0 })
    const key = { accountId: 1, keyId: newUuid(1), requestsPerMinute: 50 }
    let granted = 0
    for (let i = 0; i < 80; i++) if ((await limits.take(key)).isAllowed) granted++
    assert.equal(granted, 50)
    await limits.releaseAll()
    await lost.close()
  })

  test('a clock moved back or forward by a day locks nobody out', async () => {
    const clock = new TestClock()
    clock.set('2026-11-21T10:00:00Z')
    const limits = new KeyLimits(t.sql, clock)
    const key = { accountId: 1, keyId: newUuid(2), requestsPerMinute: 60 }
    const drain = async () => {
      let granted = 0
      for (let i = 0; i < 70; i++) if ((await limits.take(key)).isAllowed) granted++
      return granted
    }
    assert.equal(await drain(), 60)
    clock.advance(-86_400_000)
    assert.equal(await drain(), 0)
    clock.advance(60_100)
    await limits.maintain()
    assert.equal(await drain(), 60)
    clock.advance(86_400_000)
    assert.equal(await drain(), 60)
    await limits.releaseAll()
  })

  test('rows that are no longer needed are deleted', async () => {
    const cluster = new Cluster(t, 1, 120)
    await cluster.oneByOne(0, 5)
    const rows = async () => (await t.sql`select 1 from rate_share where key_id = ${cluster.id}`).length
    await deleteExpiredShares(t.sql, new Date(cluster.now))
    assert.equal(await rows(), 1)
    await deleteExpiredShares(t.sql, new Date(cluster.now + 101_000))
    assert.equal(await rows(), 0)
    await cluster.oneByOne(0, 120)
    assert.equal(cluster.granted.length, 120)
    await cluster.close()
  })
})
