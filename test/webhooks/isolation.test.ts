/** Tests that bad receivers delay nobody, in their own or another account, whatever they send. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAttempts } from '../../src/webhooks/delivery-log.ts'
import type { TestAccount } from '../harness.ts'
import { type BadReceivers, startBadReceivers } from './bad-receivers.ts'
import { type Receiver, type Stand, startReceiver, startStand, until } from './stand.ts'

const EVENTS = 40
/** Endpoints per account; five of the first account's are bad. */
const PER_ACCOUNT = [17, 17, 16]

let stand: Stand
let receiver: Receiver
let bad: BadReceivers

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  bad = await startBadReceivers()
})

after(async () => {
  await stand.close()
  await bad.close()
  await receiver.close()
})

test('five hanging endpoints of one account do not delay the other 45', async () => {
  const accounts: TestAccount[] = []
  for (const [n, count] of PER_ACCOUNT.entries()) {
    const account = await stand.account()
    accounts.push(account)
    const urls = n === 0 ? bad.urls : []
    for (const url of urls) await stand.endpoint(account, { url })
    for (let i = urls.length; i < count; i++) await stand.endpoint(account, { url: receiver.url })
  }
  const worker = stand.worker()
  worker.start()
  for (const account of accounts) await stand.announce(account, EVENTS)
  await until('all of the good ones have theirs', () => receiver.received.length >= 45 * EVENTS, 14_000)
  assert.equal(receiver.received.length, 45 * EVENTS)
  // The hanging receiver has not reached its first timeout. It uses few permits once the last responses are
  // read.
  await until('the bad ones hold few places', () => worker.getMetrics().inFlight < 20)
  const { inFlight, outcomes } = worker.getMetrics()
  assert.equal(outcomes.timeout, undefined)
  assert.ok(inFlight >= 1)
  const [first] = accounts
  assert.ok(first)
  const outcomesOf = async () =>
    new Set((await listAttempts(first.ctx, { limit: 500 })).filter(one => !one.ok).map(one => one.outcome))
  await until('failures are told', async () => (await outcomesOf()).has('connection_closed'))
  assert.deepEqual([...(await outcomesOf())].sort(), ['connection_closed', 'status_500'])
  // An endless response is cut after 16 KiB, and its status 200 counts.
  assert.equal(outcomes.protocol, undefined)
  await worker.stop()
})
