/** Tests that bad receivers delay nobody, in their own or another account, whatever they send. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { listAttempts } from '../../src/webhooks/delivery-log.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { endPools, getTestShard } from '../database.ts'
import type { TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { type BadReceivers, startBadReceivers } from './bad-receivers.ts'
import { LOG, POLICY, type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

const EVENTS = 40
/** Good endpoints of each account; the first gets five bad ones, too. */
const PER_ACCOUNT = [12, 17, 16]
/** One hanging response would take 15 seconds, about ten times as long as all deliveries on an idle machine. */
const MAX_SLOWER = 4

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
  for (const count of PER_ACCOUNT) {
    const account = await stand.account()
    accounts.push(account)
    for (let i = 0; i < count; i++) await stand.endpoint(account, { url: receiver.url })
  }
  const [first] = accounts
  assert.ok(first)
  const worker = stand.worker()
  worker.start()
  const deliverAll = async () => {
    const wanted = receiver.received.length + 45 * EVENTS
    const began = performance.now()
    for (const account of accounts) await stand.announce(account, EVENTS)
    await waitUntil('all of the good ones have theirs', () => receiver.received.length >= wanted)
    assert.equal(receiver.received.length, wanted)
    return performance.now() - began
  }
  const undisturbedMs = await deliverAll()
  for (const url of bad.urls) await stand.endpoint(first, { url })
  const disturbedMs = await deliverAll()
  assert.ok(disturbedMs < MAX_SLOWER * undisturbedMs, `${disturbedMs} ms, before ${undisturbedMs}`)
  // The hanging receiver uses few permits once the last responses are read.
  await waitUntil('the bad ones hold few places', () => worker.getMetrics().inFlight < 20)
  const { inFlight, outcomes } = worker.getMetrics()
  assert.ok(inFlight >= 1)
  const outcomesOf = async () =>
    new Set((await listAttempts(first.ctx, { limit: 500 })).filter(one => !one.ok).map(one => one.outcome))
  await waitUntil('failures are told', async () => (await outcomesOf()).has('connection_closed'))
  // The hanging ones time out after 15 seconds, which a busy machine may need for what comes before.
  const failures = [...(await outcomesOf())].filter(outcome => outcome !== 'timeout')
  assert.deepEqual(failures.sort(), ['connection_closed', 'status_500'])
  // An endless response is cut after 16 KiB, and its status 200 counts.
  assert.equal(outcomes.protocol, undefined)
  await worker.stop()
})

test('a worker holds at most 2,048 deliveries at a time, of all endpoints', async () => {
  await stand.sql`delete from webhook_delivery`
  const held: ServerResponse[] = []
  const silent = await startReceiver((_, response) => void held.push(response))
  let statements = 0
  const pools = await stand.openPools({ max: 3, forQueue: true, onStatementEnd: () => statements++ })
  const { clock } = stand
  const outbound = openOutbound(POLICY)
  const { secretCipher } = stand.setup
  const worker = new DeliveryWorker({ sql: getTestShard(pools), clock, log: LOG, secretCipher, outbound })
  try {
    for (let n = 0; n < 2; n++) {
      const account = await stand.account()
      for (let i = 0; i < 20; i++) await stand.endpoint(account, { url: silent.url })
      await stand.announce(account, 64)
    }
    const drained = worker.drain()
    // Each endpoint begins with four permits.
    await waitUntil('every endpoint has its requests', () => worker.getMetrics().inFlight === 160)
    const before = statements
    // A claim takes two statements, and five claims are enough to take all.
    await waitUntil('it has tried to claim more', () => statements > before + 20)
    // It sends what it has claimed, also if the rows are gone.
    await stand.sql`delete from webhook_delivery`
    silent.respond = (_, response) => response.writeHead(204).end()
    const had = silent.received.length
    for (const response of held) response.writeHead(204).end()
    await drained
    assert.equal(had, 160)
    assert.equal(silent.received.length, 2_048)
  } finally {
    await worker.stop()
    await silent.close()
    await endPools(pools)
  }
})
