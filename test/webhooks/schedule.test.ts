/** When deliveries are tried, under a clock that the test holds. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listDeliveries } from '../../src/webhooks/deliveries.ts'
import { getWebhook } from '../../src/webhooks/endpoint.ts'
import { type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

const MINUTE = 60_000
const START = '2026-11-21T10:00:00.000Z'

let stand: Stand
let receiver: Receiver

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
})

after(async () => {
  await receiver.close()
  await stand.close()
})

/** Minutes after the start, at each step of a minute, at which something was received. */
async function attemptsWithin(minutes: number, random: () => number): Promise<number[]> {
  const worker = stand.worker({ random })
  const at: number[] = []
  for (let minute = 0; minute <= minutes; minute++) {
    const had = receiver.received.length
    await worker.drain()
    for (const _ of receiver.received.slice(had)) at.push(minute)
    stand.clock.advance(MINUTE)
  }
  return at
}

describe('the schedule', () => {
  test('tries at 0, 1 min, 6 min, 36 min, 2 h 36 min and 8 h 36 min, then gives up; all of it is in the log', async () => {
    stand.clock.set(START)
    const account = await stand.account()
    const webhook = await stand.endpoint(account, { url: receiver.url })
    receiver.respond = (_, response) => response.writeHead(500).end('not today')
    await stand.announce(account)
    const began = receiver.received.length
    const at = await attemptsWithin(600, () => 0.5)
    assert.deepEqual(at, [0, 1, 6, 36, 156, 516])
    const log = await listDeliveries(account.ctx, { webhookId: webhook.id, limit: 50 })
    assert.deepEqual(
      log.map(one => [one.attempt, one.status, one.outcome, one.answer]),
      [6, 5, 4, 3, 2, 1].map(n => [n, 500, 'status_500', 'not today']),
    )
    assert.equal(log[0]?.next_attempt_at, null)
    assert.equal(new Set(receiver.received.slice(began).map(one => one.headers['webhook-id'])).size, 1)
    assert.equal(await waiting(account.id), 0)
    assert.equal((await getWebhook(account.ctx, webhook.id)).failing_since, START)
  })
})

const waiting = async (accountId: number) => {
  const [row] = await stand.sql<{ n: number }[]>`
    select count(*)::int as n from webhook_delivery where account_id = ${accountId}`
  return row?.n
}
