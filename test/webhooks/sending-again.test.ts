/** Tests how an event is sent again: resend, replay and test events. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { listAttempts, replayFailed, resendDelivery } from '../../src/webhooks/delivery-log.ts'
import { pauseWebhook, resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { sendTestEvent } from '../../src/webhooks/send-test-event.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { type Deliveries, HOUR, startDeliveries, verifies } from './deliveries.ts'
import type { Receiver, Stand } from './stand.ts'

let deliveries: Deliveries
let stand: Stand
let receiver: Receiver
let worker: DeliveryWorker
let account: TestAccount

before(async () => {
  deliveries = await startDeliveries()
  ;({ stand, receiver, worker } = deliveries)
})
afterEach(() => deliveries.reset())
after(() => deliveries.close())

async function endpoint(events?: string[]) {
  account = await stand.account()
  return stand.endpoint(account, { url: receiver.url, ...(events === undefined ? {} : { events }) })
}

describe('sending again', () => {
  const sent = (replayed: number) => ({ replayed, held: 0 })

  test('resend starts six new attempts, also for waiting events and for those being sent', async () => {
    stand.clock.set('2026-11-21T10:00:00Z')
    const { id } = await endpoint()
    const [eventId = ''] = await stand.announce(account)
    receiver.respond = (_, response) => response.writeHead(500).end()
    for (let attempt = 0; attempt < 3; attempt++) {
      await worker.drain()
      stand.clock.advance(HOUR)
    }
    const attempts = async () => {
      const rows = await stand.sql<{ attempts: number }[]>`select attempts from webhook_delivery`
      return rows.map(row => row.attempts)
    }
    const again = async () => {
      const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
      return resendDelivery(account.ctx, newest?.id ?? '')
    }
    assert.deepEqual(await attempts(), [3])
    assert.deepEqual(await again(), { event_id: idFromUuid(eventId), webhook_status: 'active' })
    assert.deepEqual(await attempts(), [0])

    await stand.sql`update webhook_delivery set attempts = 3`
    // The replay comes during the fourth attempt and overrides the attempt's count and next time.
    receiver.respond = (_, response) => void again().then(() => response.writeHead(500).end())
    const before = receiver.received.length
    const answered = worker.drain()
    await waitUntil('it is in hand', () => receiver.received.length > before)
    receiver.respond = (_, response) => response.writeHead(204).end()
    await answered
    // The first delivery may have ended just before the event was due again.
    await worker.drain()
    assert.deepEqual([receiver.received.length, await attempts()], [before + 2, []])
    const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    assert.deepEqual([newest?.attempt, newest?.ok], [1, true])
  })

  test('replay starts six new attempts for events that were given up', async () => {
    stand.clock.set('2026-11-21T10:00:00Z')
    const { id } = await endpoint()
    await stand.announce(account)
    receiver.respond = (_, response) => response.writeHead(500).end()
    for (let attempt = 0; attempt < 6; attempt++) {
      await worker.drain()
      stand.clock.advance(7 * HOUR)
    }
    const since = new Date(0)
    assert.deepEqual(await replayFailed(account.ctx, { webhookId: id, since }), sent(1))
    await worker.drain()
    assert.deepEqual(await replayFailed(account.ctx, { webhookId: id, since }), sent(1))
    const [row] = await stand.sql`select attempts, due_at from webhook_delivery`
    assert.deepEqual({ ...row }, { attempts: 0, due_at: stand.clock.now() })
    assert.deepEqual(await replayFailed(account.ctx, { webhookId: id, since }), sent(0))
  })

  test('waits while a webhook is paused, and is sent when it resumes', async () => {
    const { id } = await endpoint()
    await stand.announce(account)
    await worker.drain()
    await pauseWebhook(account.ctx, id)
    const [first] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    assert.equal((await resendDelivery(account.ctx, first?.id ?? '')).webhook_status, 'paused')
    await stand.sql`update webhook_attempt set given_up = true, outcome = 'status_500' where account_id = ${account.id}`
    await stand.sql`delete from webhook_delivery`
    assert.deepEqual(await replayFailed(account.ctx, { since: new Date(0) }), { replayed: 1, held: 1 })
    await worker.drain()
    assert.equal(receiver.received.length, 1)
    await resumeWebhook(account.ctx, id)
    await worker.drain()
    assert.equal(receiver.received.length, 2)
  })

  test('resend sends an event again with the same id, also a delivered one', async () => {
    const { id } = await endpoint()
    await stand.announce(account)
    await worker.drain()
    const [first] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    await resendDelivery(account.ctx, first?.id ?? '')
    await worker.drain()
    assert.equal(receiver.received.length, 2)
    assert.equal(new Set(receiver.received.map(one => one.headers['webhook-id'])).size, 1)
    const other = await stand.account()
    await assert.rejects(resendDelivery(other.ctx, first?.id ?? ''), { code: 'not_found' })
  })

  test('replay sends the events given up since a time and not delivered since', async () => {
    stand.clock.set('2026-11-21T10:00:00Z')
    const { id } = await endpoint()
    receiver.respond = (_, response) => response.writeHead(500).end()
    const give = async () => {
      await stand.announce(account, 2)
      for (let attempt = 0; attempt < 6; attempt++) {
        await worker.drain()
        stand.clock.advance(7 * HOUR)
      }
    }
    await give()
    const between = stand.clock.now()
    await give()
    receiver.respond = (_, response) => response.writeHead(204).end()
    receiver.received.length = 0
    assert.deepEqual(await replayFailed(account.ctx, { webhookId: id, since: between }), sent(2))
    await worker.drain()
    assert.equal(receiver.received.length, 2)
    assert.deepEqual(await replayFailed(account.ctx, { since: between }), sent(0))
    assert.deepEqual(await replayFailed(account.ctx, { since: new Date('2026-11-21T09:00:00Z') }), sent(2))
    await worker.drain()
    assert.equal(receiver.received.length, 4)
    const other = await stand.account()
    assert.deepEqual(await replayFailed(other.ctx, { since: new Date(0) }), sent(0))
    await assert.rejects(replayFailed(other.ctx, { webhookId: id, since: new Date(0) }), {
      code: 'not_found',
    })
  })

  test('replay sends an event that was delivered once, sent again, and then given up', async () => {
    stand.clock.set('2026-11-21T10:00:00Z')
    const { id } = await endpoint()
    await stand.announce(account)
    await worker.drain()
    const [delivered] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    assert.equal(delivered?.ok, true)
    receiver.respond = (_, response) => response.writeHead(500).end()
    stand.clock.advance(HOUR)
    await resendDelivery(account.ctx, delivered?.id ?? '')
    for (let attempt = 0; attempt < 6; attempt++) {
      await worker.drain()
      stand.clock.advance(7 * HOUR)
    }
    assert.deepEqual(await replayFailed(account.ctx, { webhookId: id, since: new Date(0) }), sent(1))
  })

  test("a test of another account's endpoint is refused, and nothing is sent", async () => {
    const { id } = await endpoint()
    const other = await stand.account()
    await assert.rejects(sendTestEvent(other.ctx, senders(), id), { code: 'not_found' })
    assert.equal(receiver.received.length, 0)
  })

  test('a test event is sent at once, signed and logged, but is not the last delivery', async () => {
    const { id, secret } = await endpoint(['scan.milestone'])
    await pauseWebhook(account.ctx, id)
    const done = await sendTestEvent(account.ctx, senders(), id)
    assert.deepEqual([done.event, done.ok, done.attempt], ['webhook.test', true, 1])
    const [got] = receiver.received
    assert.ok(got && verifies(secret, got))
    assert.equal((await getWebhook(account.ctx, id)).last_delivery, null)
    await assert.rejects(resendDelivery(account.ctx, done.id), { code: 'validation' })
  })
})

const senders = () => ({ secretCipher: stand.setup.secretCipher, outbound: stand.outbound })
