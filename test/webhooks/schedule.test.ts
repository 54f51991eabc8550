/** Tests retries, backoff and disabling of endpoints, with a clock that the test sets. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createLog } from '../../src/kernel/errors/log.ts'
import { listAttempts, replayFailed, resendDelivery } from '../../src/webhooks/delivery-log.ts'
import { resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import {
  getNextAttemptAt,
  HEALTHY,
  parseRetryAfter,
  recordFailure,
} from '../../src/webhooks/retry-schedule.ts'
import { sendTestEvent, TEST_EVENT } from '../../src/webhooks/send-test-event.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import type { TestAccount } from '../harness.ts'
import { type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = '2026-11-21T10:00:00.000Z'

let stand: Stand
let receiver: Receiver
let account: TestAccount

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
})

afterEach(async () => {
  await stand.sql`delete from webhook_delivery`
  receiver.received.length = 0
  receiver.respond = (_, response) => response.writeHead(204).end()
})

after(async () => {
  await receiver.close()
  await stand.close()
})

/** A new account with one endpoint at 10:00; nothing else is pending. */
async function endpoint(): Promise<string> {
  await stand.sql`delete from webhook_delivery`
  stand.clock.set(START)
  account = await stand.account()
  return (await stand.endpoint(account, { url: receiver.url })).id
}

const answering = (status: number, headers: Record<string, string> = {}, text = '') => {
  receiver.respond = (_, response) => response.writeHead(status, headers).end(text)
}

const waiting = async () => {
  const [row] = await stand.sql<{ n: number; attempts: number; due_at: Date }[]>`
    select count(*)::int as n, max(attempts)::int as attempts, min(due_at) as due_at from webhook_delivery
    where account_id = ${account.id}`
  return row ?? { n: 0, attempts: 0, due_at: new Date(0) }
}

describe('the schedule', () => {
  test('tries after 0, 1, 6 and 36 min, 2 h 36 min and 8 h 36 min, then gives up, and logs each attempt', async () => {
    const id = await endpoint()
    answering(500, {}, 'not today')
    await stand.announce(account)
    const worker = stand.worker({ random: () => 0.5 })
    const at: number[] = []
    for (let minute = 0; minute <= 600; minute++) {
      const had = receiver.received.length
      await worker.drain()
      for (const _ of receiver.received.slice(had)) at.push(minute)
      stand.clock.advance(MINUTE)
    }
    assert.deepEqual(at, [0, 1, 6, 36, 156, 516])
    const log = await listAttempts(account.ctx, { webhookId: id, limit: 50 })
    assert.deepEqual(
      log.map(one => [one.attempt, one.status, one.outcome, one.answer, one.ok]),
      [6, 5, 4, 3, 2, 1].map(n => [n, 500, 'status_500', 'not today', false]),
    )
    assert.deepEqual(
      log.map(one => one.next_attempt_at !== null),
      [false, true, true, true, true, true],
    )
    assert.equal(new Set(receiver.received.map(one => one.headers['webhook-id'])).size, 1)
    assert.equal(new Set(receiver.received.map(one => one.text)).size, 6)
    assert.equal((await waiting()).n, 0)
    assert.equal((await getWebhook(account.ctx, id)).failing_since, START)
  })

  test('varies each delay by ten per cent at most', () => {
    const now = new Date(START)
    const steps = [1, 5, 30, 120, 360]
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (attempts, random) => {
          const at = getNextAttemptAt(now, { attempts, retryAfterMs: undefined, random })
          const minutes = ((at?.getTime() ?? 0) - now.getTime()) / MINUTE
          const step = steps[attempts - 1] ?? 0
          return minutes >= step * 0.8999 && minutes <= step * 1.1001
        },
      ),
    )
    assert.equal(getNextAttemptAt(now, { attempts: 6, retryAfterMs: 1, random: 0.5 }), undefined)
  })

  test('postpones by Retry-After, never to an earlier time and by at most six hours', async () => {
    const cases: [string, number][] = [
      ['600', 10 * MINUTE],
      ['1', MINUTE],
      ['999999', 6 * HOUR],
      ['Sat, 21 Nov 2026 10:20:00 GMT', 20 * MINUTE],
      ['soon', MINUTE],
      ['-5', MINUTE],
    ]
    for (const [value, wait] of cases) {
      await endpoint()
      answering(429, { 'retry-after': value })
      await stand.announce(account)
      await stand.worker({ random: () => 0.5 }).drain()
      assert.equal((await waiting()).due_at.getTime(), new Date(START).getTime() + wait, value)
    }
    assert.equal(parseRetryAfter(undefined, new Date(START)), undefined)
  })
})

describe('an endpoint that only fails', () => {
  test('fast failures: every event is tried at once and on its schedule', async () => {
    const id = await endpoint()
    answering(503)
    await stand.announce(account, 100)
    const worker = stand.worker({ random: () => 0.5 })
    const at: number[] = []
    for (let minute = 0; minute <= 40; minute++) {
      if (minute === 3) await stand.announce(account, 100)
      const had = receiver.received.length
      await worker.drain()
      for (const _ of receiver.received.slice(had)) at.push(minute)
      stand.clock.advance(MINUTE)
    }
    const counts = [0, 1, 3, 4, 6, 9, 36, 39].map(minute => at.filter(one => one === minute).length)
    assert.deepEqual(counts, Array(8).fill(100))
    assert.equal(at.length, 800)
    answering(204)
    stand.clock.advance(3 * HOUR)
    await worker.drain()
    assert.equal((await waiting()).n, 0)
    assert.equal((await getWebhook(account.ctx, id)).failing_since, null)
    assert.equal(new Set((await deliveredOf(id)).map(row => row.event_id)).size, 200)
  })

  test('backs off from the twentieth slow failure in a row, and not after a fast one', () => {
    const now = new Date(START)
    const after = (failures: number, isSlow: boolean) =>
      recordFailure({ ...HEALTHY, failures, failingSince: now }, now, { isSlow }).waitUntil
    assert.deepEqual([after(18, true), after(19, false)], [null, null])
    for (const failures of [19, 20]) assert.deepEqual(after(failures, true), new Date(now.getTime() + MINUTE))
  })

  /** An endpoint that backs off after nineteen failures and a twentieth that takes more than a second. */
  async function leftInPeace(): Promise<string> {
    const id = await endpoint()
    receiver.received.length = 0
    await stand.announce(account, 5)
    const since = stand.clock.now()
    await stand.sql`
      update webhook_endpoint set failures = 19, failing_since = ${since} where account_id = ${account.id}`
    receiver.respond = (_, response) => void setTimeout(() => response.writeHead(500).end(), 1_050)
    const worker = stand.worker({ random: () => 0.5 })
    await worker.drain()
    assert.ok(receiver.received.length <= 4, `${receiver.received.length} attempts`)
    const { left_in_peace_until } = await getWebhook(account.ctx, id)
    assert.equal(left_in_peace_until, new Date(since.getTime() + MINUTE).toISOString())
    receiver.received.length = 0
    answering(204)
    stand.clock.advance(30_000)
    await worker.drain()
    assert.equal(receiver.received.length, 0)
    // Leases use the database's clock, so they are released and not waited for.
    await worker.stop()
    return id
  }

  test('slow failures: the endpoint backs off for a minute, and waiting deliveries lose no attempts', async () => {
    const id = await leftInPeace()
    stand.clock.advance(31_000)
    assert.equal((await getWebhook(account.ctx, id)).left_in_peace_until, null)
    await stand.worker().drain()
    assert.equal((await waiting()).n, 0)
  })

  test('a received test, a resend and a replay end the backoff; a failed test does not', async () => {
    const ends: [string, (id: string) => Promise<unknown>][] = [
      ['a test', id => sendTestEvent(account.ctx, { ...stand.setup, outbound: stand.outbound }, id)],
      [
        'a resend',
        async webhookId => {
          const log = await listAttempts(account.ctx, { webhookId, limit: 10 })
          return resendDelivery(account.ctx, log.find(one => one.event !== TEST_EVENT)?.id ?? '')
        },
      ],
      ['a replay', () => replayFailed(account.ctx, { since: new Date(0) })],
    ]
    for (const [name, end] of ends) {
      const id = await leftInPeace()
      const untouched = (await waiting()).n
      answering(500)
      await ends[0]?.[1](id)
      assert.notEqual((await getWebhook(account.ctx, id)).left_in_peace_until, null, name)
      answering(204)
      await end(id)
      assert.equal((await getWebhook(account.ctx, id)).left_in_peace_until, null, name)
      receiver.received.length = 0
      await stand.worker().drain()
      assert.ok(receiver.received.length > 0 && (await waiting()).n < untouched, name)
    }
  })

  test('is disabled after five days of failures, with an entry in the audit log', async () => {
    const id = await endpoint()
    answering(500)
    const worker = stand.worker({ random: () => 0.5 })
    for (let hour = 0; hour < 5 * 24; hour++) {
      await stand.announce(account)
      await worker.drain()
      assert.equal((await getWebhook(account.ctx, id)).status, 'active', `after ${hour} hours`)
      stand.clock.advance(HOUR)
    }
    await stand.announce(account)
    await worker.drain()
    const off = await getWebhook(account.ctx, id)
    assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'failing'])
    const told = await stand.sql<{ action: string; label: string }[]>`
      select e.action, a.label from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
      where e.account_id = ${account.id} and e.action = 'webhook_switched_off'`
    assert.deepEqual([...told], [{ action: 'webhook_switched_off', label: 'Carnet' }])
    const before = receiver.received.length
    await stand.announce(account)
    stand.clock.advance(24 * HOUR)
    await worker.drain()
    assert.equal(receiver.received.length, before)

    answering(204)
    await resumeWebhook(account.ctx, id)
    await worker.drain()
    const { status, disabled_reason, failing_since } = await getWebhook(account.ctx, id)
    assert.deepEqual([status, disabled_reason, failing_since], ['active', null, null])
    assert.equal((await waiting()).n, 0)
  })

  test('is not disabled if a success interrupts the five days', async () => {
    const id = await endpoint()
    const worker = stand.worker({ random: () => 0.5 })
    for (let day = 0; day < 8; day++) {
      answering(day === 4 ? 204 : 500)
      await stand.announce(account)
      await worker.drain()
      stand.clock.advance(24 * HOUR)
    }
    assert.equal((await getWebhook(account.ctx, id)).status, 'active')
  })
})

test('410 disables the endpoint at once and keeps its waiting deliveries', async () => {
  const id = await endpoint()
  answering(410)
  await stand.announce(account, 3)
  const said: unknown[] = []
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  const worker = stand.worker({ log: Object.assign(log, { warn: (...line: unknown[]) => said.push(line) }) })
  await worker.drain()
  assert.deepEqual(said, [[{ account: account.id, webhook: id, reason: 'gone' }, 'a webhook was disabled']])
  const off = await getWebhook(account.ctx, id)
  assert.deepEqual([off.status, off.disabled_reason, off.last_delivery?.status], ['disabled', 'gone', 410])
  assert.equal((await waiting()).n, 3)
  await stand.announce(account)
  assert.equal((await waiting()).n, 3, 'a switched-off endpoint collects nothing more')
  answering(204)
  await resumeWebhook(account.ctx, id)
  stand.clock.advance(2 * MINUTE)
  await worker.drain()
  assert.equal((await waiting()).n, 0)
})

const deliveredOf = (id: string) =>
  listAttempts(account.ctx, { webhookId: id, limit: 500 }).then(all => all.filter(one => one.ok))
