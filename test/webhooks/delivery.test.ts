/** Tests what a receiver gets, what the log stores of it, and what metrics say. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { listAttempts } from '../../src/webhooks/delivery-log.ts'
import { pauseWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { getQueueSize } from '../../src/webhooks/queue-size.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { type Deliveries, HOUR, serviceSignature, startDeliveries, verifies } from './deliveries.ts'
import type { Receiver, Stand } from './stand.ts'

const SAMPLE = new URL('../../docs/webhooks.md', import.meta.url)

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

async function endpoint() {
  account = await stand.account()
  return stand.endpoint(account, { url: receiver.url })
}

describe('a delivery', () => {
  test('has the documented headers and body, and verifies by both signatures', async () => {
    const { secret } = await endpoint()
    const [eventId = ''] = await stand.announce(account, 1, 'product.archived')
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(got.headers['content-type'], 'application/json')
    assert.equal(got.headers['x-service-event'], 'product.archived')
    assert.equal(got.headers['x-service-signature'], serviceSignature(secret, got))
    assert.equal(got.headers['webhook-id'], idFromUuid(eventId))
    assert.ok(verifies(secret, got))
    const line = /^\{"event":.*\}$/m.exec(readFileSync(SAMPLE, 'utf8'))?.[0] ?? ''
    const shape = (text: string) => text.replace(/(?<=": ?)("[^"]*"|\d+)/g, '_')
    assert.equal(shape(got.text), shape(line), 'the sample in docs/webhooks.md is what is sent')
    const body = JSON.parse(got.text)
    assert.deepEqual(Object.keys(body), ['event', 'data', 'sent_at'])
    assert.equal(body.event, 'product.archived')
    assert.deepEqual(body.data, { id: eventId, category: 'textile', version_no: 2 })
    assert.match(body.sent_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    assert.equal(Math.floor(Date.parse(body.sent_at) / 1000), Number(got.headers['webhook-timestamp']))
    assert.throws(() => new Webhook(secret).verify(`${got.text} `, got.headers))
  })

  test('1,000 events arrive once each, from two workers at once over three accounts', async () => {
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      await endpoint()
      ids.push(...(await stand.announce(account, n === 0 ? 800 : 100)))
    }
    const workers = [stand.worker(), stand.worker()]
    for (const worker of workers) worker.start()
    await waitUntil('all have come', () => receiver.received.length >= 1_000)
    await waitUntil('none waits', async () => (await getQueueSize(stand)).due === 0)
    for (const worker of workers) await worker.stop()
    assert.deepEqual(
      receiver.received.map(one => one.headers['webhook-id']).sort(),
      ids.map(idFromUuid).sort(),
    )
  })

  test('has an outcome named by the answer; only 2xx counts as received', async () => {
    const { id } = await endpoint()
    const answers: [number, string][] = [
      [200, 'delivered'],
      [299, 'delivered'],
      [302, 'status_302'],
      [304, 'status_304'],
      [404, 'status_404'],
    ]
    for (const [status, outcome] of answers) {
      receiver.respond = (_, response) =>
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      await stand.announce(account)
      await worker.drain()
      const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
      assert.deepEqual([newest?.outcome, newest?.status, newest?.ok], [outcome, status, status < 300])
      assert.equal(newest?.detail?.includes('redirect') ?? false, status === 302, String(status))
    }
    receiver.respond = request => request.socket.destroy()
    await stand.announce(account)
    await worker.drain()
    const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    assert.deepEqual([newest?.outcome, newest?.status], ['connection_closed', null])
    assert.match(newest?.detail ?? '', /^The connection ended before an answer came/)
    const { last_delivery } = await getWebhook(account.ctx, id)
    assert.equal(last_delivery?.ok, false)
    assert.equal(last_delivery?.attempt, 1)
  })

  test('logs the first KiB of any answer', async () => {
    const { id } = await endpoint()
    const answers: [string | Buffer, string][] = [
      ['x'.repeat(5_000), 'x'.repeat(1_024)],
      [Buffer.from([0x61, 0, 0xff, 0x62]), 'a\ufffd\ufffdb'],
    ]
    for (const [sent, kept] of answers) {
      receiver.respond = (_, response) => response.end(sent)
      await stand.announce(account)
      await worker.drain()
      const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
      assert.deepEqual([newest?.answer, newest?.ok], [kept, true])
    }
  })
})

test('metrics: due and waiting deliveries, age of the oldest, and outcomes', async () => {
  stand.clock.set('2026-11-21T10:00:00Z')
  const { id } = await endpoint()
  await stand.announce(account, 3)
  stand.clock.advance(90_000)
  const before = worker.getMetrics().outcomes
  assert.deepEqual(await getQueueSize(stand), { due: 3, waiting: 0, oldestDueSeconds: 90 })
  receiver.respond = (_, response) => response.writeHead(500).end()
  await worker.drain()
  assert.deepEqual(await getQueueSize(stand), { due: 0, waiting: 3, oldestDueSeconds: 0 })
  assert.deepEqual(worker.getMetrics(), {
    inFlight: 0,
    outcomes: { ...before, status_500: (before.status_500 ?? 0) + 3 },
  })
  stand.clock.advance(HOUR)
  assert.equal((await getQueueSize(stand)).due, 3)
  const setBackoff = (until: Date | null) =>
    stand.sql`update webhook_endpoint set wait_until = ${until} where account_id = ${account.id}`
  await setBackoff(new Date(stand.clock.now().getTime() + 1))
  assert.deepEqual(await getQueueSize(stand), { due: 0, waiting: 3, oldestDueSeconds: 0 })
  await setBackoff(stand.clock.now())
  assert.equal((await getQueueSize(stand)).due, 3)
  await pauseWebhook(account.ctx, id)
  assert.deepEqual(await getQueueSize(stand), { due: 0, waiting: 3, oldestDueSeconds: 0 })
})
