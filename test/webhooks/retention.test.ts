/** Tests when the log, events, waiting deliveries and removed endpoints are deleted. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { pauseWebhook, removeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { deleteExpiredWebhookRows } from '../../src/webhooks/retention.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { DAY, type Deliveries, startDeliveries } from './deliveries.ts'
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

async function endpoint() {
  account = await stand.account()
  return stand.endpoint(account, { url: receiver.url })
}

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
