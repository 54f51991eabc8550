/** Tests what a receiver gets, what the log stores, and how to send an event again. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { idFromUuid, parseId } from '../../src/kernel/ids.ts'
import { createSecretCipher } from '../../src/kernel/secret-cipher.ts'
import { listAttempts, replayFailed, resendDelivery } from '../../src/webhooks/delivery-log.ts'
import { pauseWebhook, removeWebhook, resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { getQueueSize } from '../../src/webhooks/queue-size.ts'
import { deleteExpiredWebhookRows } from '../../src/webhooks/retention.ts'
import { activateSecret, reencryptSecrets, rotateSecret } from '../../src/webhooks/rotate-secret.ts'
import { createWebhookSecret, getSecretPlace } from '../../src/webhooks/secret.ts'
import { sendTestEvent } from '../../src/webhooks/send-test-event.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { waitForLocks, waitUntil } from '../waiting.ts'
import { type Received, type Receiver, SECRET_KEY, type Stand, startReceiver, startStand } from './stand.ts'

const SAMPLE = new URL('../../docs/webhooks.md', import.meta.url)
const HOUR = 3_600_000
const DAY = 24 * HOUR

let stand: Stand
let receiver: Receiver
let account: TestAccount
let worker: DeliveryWorker

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  worker = stand.worker()
})

afterEach(async () => {
  stand.clock.release()
  await stand.sql`delete from webhook_delivery`
  receiver.received.length = 0
  receiver.respond = (_, response) => response.writeHead(204).end()
})

after(async () => {
  await receiver.close()
  await stand.close()
})

async function endpoint(events?: string[]) {
  account = await stand.account()
  return stand.endpoint(account, { url: receiver.url, ...(events === undefined ? {} : { events }) })
}

const serviceSignature = (secret: string, { text }: Received) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
const verifies = (secret: string, { text, headers }: Received) => {
  new Webhook(secret).verify(text, headers)
  return true
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

describe('secrets', () => {
  test('rotation: both sign the standard header for a day; the old one signs the documented header until the new one is activated', async () => {
    stand.clock.set(new Date())
    const { id, secret: old } = await endpoint()
    const { secret: fresh } = await rotateSecret(account.ctx, stand.setup, id)
    const next = async () => {
      await stand.announce(account)
      await worker.drain()
      const got = receiver.received.at(-1)
      assert.ok(got)
      return got
    }
    const during = await next()
    assert.equal(during.headers['webhook-signature']?.split(' ').length, 2)
    assert.ok(verifies(old, during) && verifies(fresh, during))
    assert.equal(during.headers['x-service-signature'], serviceSignature(old, during))

    await activateSecret(account.ctx, id)
    const activated = await next()
    assert.ok(verifies(old, activated) && verifies(fresh, activated))
    assert.equal(activated.headers['x-service-signature'], serviceSignature(fresh, activated))

    await rotateSecret(account.ctx, stand.setup, id)
    assert.equal(
      (await next()).headers['x-service-signature'],
      serviceSignature(fresh, receiver.received.at(-1) as Received),
    )
    // The library rejects signatures older than five minutes by its own clock, so this one is checked by
    // hand.
    stand.clock.advance(DAY)
    const over = await next()
    assert.equal(over.headers['webhook-signature']?.split(' ').length, 1)
    assert.notEqual(over.headers['x-service-signature'], serviceSignature(fresh, over))
  })

  test('the daily clean-up deletes an old secret after its 24 hours, and not before', async () => {
    stand.clock.set(new Date())
    const { id } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const hasOld = async () => {
      await deleteExpiredWebhookRows(stand)
      const [row] = await stand.sql<{ has: boolean }[]>`
        select old_secret is not null as has from webhook_endpoint where account_id = ${account.id}`
      return row?.has
    }
    assert.equal(await hasOld(), true)
    stand.clock.advance(DAY - 1)
    assert.equal(await hasOld(), true)
    stand.clock.advance(1)
    assert.equal(await hasOld(), false)
  })

  test('rotated twice: a secret that was never activated is dropped', async () => {
    const { id, secret: first } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const { secret: third } = await rotateSecret(account.ctx, stand.setup, id)
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(first, got) && verifies(third, got))
    assert.equal(got.headers['x-service-signature'], serviceSignature(first, got))
  })

  test('rotated twice, the second time after the first old secret has expired: the first new one is the old one', async () => {
    stand.clock.set(new Date(Date.now() - DAY))
    const { id, secret: first } = await endpoint()
    const { secret: second } = await rotateSecret(account.ctx, stand.setup, id)
    stand.clock.advance(DAY)
    const { secret: third } = await rotateSecret(account.ctx, stand.setup, id)
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(second, got) && verifies(third, got))
    assert.throws(() => verifies(first, got), /No matching signature/)
    assert.equal(got.headers['x-service-signature'], serviceSignature(second, got))
  })

  test('are encrypted, and encrypted again after a change of the key', async () => {
    const { id, secret } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const everything = async () => JSON.stringify(await stand.sql`select * from webhook_endpoint`)
    assert.ok(!(await everything()).includes(secret.slice(6)))
    const next = 'another key that only tests know, long enough too'
    await assert.rejects(
      reencryptSecrets(stand, createSecretCipher(next)),
      /neither SECRET_KEY nor OLD_SECRET_KEY can decrypt/,
    )
    const done = await reencryptSecrets(stand, createSecretCipher(next, [SECRET_KEY]))
    assert.ok(done.sealed_anew >= 1)
    assert.deepEqual((await reencryptSecrets(stand, createSecretCipher(next))).sealed_anew, 0)
    await stand.announce(account)
    // Encrypted with a key that this worker does not have: the worker sends nothing and loses nothing.
    await worker.drain()
    assert.equal(receiver.received.length, 0)
    await reencryptSecrets(stand, createSecretCipher(SECRET_KEY, [next]))
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(secret, got))
  })

  test('a secret that is rotated while all are encrypted again stays the new one', async () => {
    const { id } = await endpoint()
    const uuid = parseId(id) ?? ''
    const next = 'another key that only tests know, long enough too'
    const fresh = createWebhookSecret()
    const encrypted = stand.setup.secretCipher.encrypt(fresh, getSecretPlace(account.id, uuid))
    const { done } = await stand.sql.begin(async tx => {
      // As a rotation does it, before its transaction ends.
      await tx`update webhook_endpoint set secret = ${encrypted}, revision = revision + 1 where id = ${uuid}`
      const done = reencryptSecrets(stand, createSecretCipher(next, [SECRET_KEY]))
      done.catch(() => undefined)
      await waitForLocks(stand.sql, 1)
      return { done }
    })
    await done
    await reencryptSecrets(stand, createSecretCipher(SECRET_KEY, [next]))
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(fresh, got))
  })
})

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

test('after 30 days the log, events and waiting deliveries are deleted, and so is a removed endpoint', async () => {
  stand.clock.set(new Date(Date.now() - 40 * DAY))
  const { id } = await endpoint()
  const gone = await stand.endpoint(account, { url: receiver.url })
  await stand.announce(account, 5)
  await worker.drain()
  await pauseWebhook(account.ctx, id)
  await stand.announce(account, 5)
  await removeWebhook(account.ctx, gone.id)
  const counts = async () => {
    const [row] = await stand.sql<Record<string, number>[]>`
      select (select count(*) from webhook_attempt where account_id = ${account.id})::int as attempts,
        (select count(*) from webhook_delivery where account_id = ${account.id})::int as deliveries,
        (select count(*) from event where account_id = ${account.id})::int as events,
        (select count(*) from webhook_endpoint where account_id = ${account.id})::int as endpoints`
    return { ...row }
  }
  assert.deepEqual(await counts(), { attempts: 10, deliveries: 10, events: 10, endpoints: 2 })
  const clear = () => deleteExpiredWebhookRows({ sql: stand.queue, clock: stand.clock })
  await clear()
  assert.deepEqual(await counts(), { attempts: 10, deliveries: 5, events: 10, endpoints: 2 })
  stand.clock.advance(30 * DAY - 1)
  await clear()
  assert.deepEqual(await counts(), { attempts: 10, deliveries: 5, events: 10, endpoints: 2 })
  stand.clock.advance(DAY)
  await clear()
  await clear()
  assert.deepEqual(await counts(), { attempts: 0, deliveries: 0, events: 0, endpoints: 1 })
  assert.deepEqual(Object.values(await clear()), [0, 0, 0, 0])
})

test('a removed endpoint without a log stays for 30 days, to the millisecond', async () => {
  stand.clock.set(new Date())
  const { id } = await endpoint()
  await removeWebhook(account.ctx, id)
  const clear = async () => {
    await deleteExpiredWebhookRows({ sql: stand.queue, clock: stand.clock })
    return (await stand.sql`select from webhook_endpoint where account_id = ${account.id}`).length
  }
  stand.clock.advance(30 * DAY)
  assert.equal(await clear(), 1)
  stand.clock.advance(1)
  assert.equal(await clear(), 0)
})
