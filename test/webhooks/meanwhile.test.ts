/** Tests deliveries whose event, endpoint or health somebody else changes while they are being sent or stored. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { listAttempts, resendDelivery } from '../../src/webhooks/delivery-log.ts'
import { changeWebhook, pauseWebhook, resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { getWebhook } from '../../src/webhooks/webhook.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

const START = '2026-11-21T10:00:00.000Z'
const HOUR = 3_600_000
const DAY = 24 * HOUR

let stand: Stand
let receiver: Receiver
let account: TestAccount
let id: string
let worker: DeliveryWorker
/** Requests that the receiver has not answered yet. */
let held: ServerResponse[]

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
})

after(async () => {
  await receiver.close()
  await stand.close()
})

/** A new account with one endpoint and so many events; nothing else is due. */
async function begin(events: number): Promise<void> {
  await stand.sql`delete from webhook_delivery`
  stand.clock.set(START)
  account = await stand.account()
  id = (await stand.endpoint(account, { url: receiver.url })).id
  worker = stand.worker({ random: () => 0.5 })
  held = []
  receiver.respond = (_, response) => void held.push(response)
  await stand.announce(account, events)
}

/** Begins to deliver. `work` runs once the receiver has `count` requests, and answers them. */
async function whileSending(count: number, work: () => Promise<void>): Promise<void> {
  const drained = worker.drain()
  await waitUntil('the requests have come', () => held.length === count)
  try {
    await work()
  } finally {
    for (const response of held.splice(0)) response.destroy()
  }
  await drained
}

const countAttempts = () => Object.values(worker.getMetrics().outcomes).reduce((sum, n) => sum + n, 0)

/** Answers the oldest request, and waits until the worker knows the outcome. */
async function answer(status: number): Promise<void> {
  const before = countAttempts()
  held.shift()?.writeHead(status).end()
  await waitUntil('the answer has come', () => countAttempts() > before)
}

/** Locks the endpoint's row during `work`, so that its health cannot be stored meanwhile. */
const withLockedEndpoint = (work: () => Promise<void>) =>
  stand.sql.begin(async tx => {
    await tx`select from webhook_endpoint where account_id = ${account.id} for update`
    await work()
  })

/** Lets nothing be added to the log of attempts during `work`. */
const withLockedLog = (work: () => Promise<void>) =>
  stand.sql.begin(async tx => {
    await tx`lock table webhook_attempt in exclusive mode`
    await work()
  })

const listWaitingForLock = () => stand.sql<{ pid: number }[]>`
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const waitForWrite = () =>
  waitUntil('results are being stored', async () => (await listWaitingForLock()).length > 0)

/** Lets the statement fail that stores results. */
async function cancelWrite(): Promise<void> {
  for (const { pid } of await listWaitingForLock()) await stand.sql`select pg_cancel_backend(${pid}::int)`
  await waitUntil('it has failed', async () => (await listWaitingForLock()).length === 0)
}

/** The worker sends an event that comes now once it has listed the endpoint again, with all edits. */
async function sendNext(): Promise<void> {
  const before = held.length
  await stand.announce(account)
  await waitUntil('the next request has come', () => held.length > before)
}

const resume = () => resumeWebhook(account.ctx, id)

const readHealth = async () => {
  const { status, disabled_reason, failing_since } = await getWebhook(account.ctx, id)
  return { status, disabled_reason, failing_since }
}
const HEALTHY = { status: 'active', disabled_reason: null, failing_since: null }
const GONE = { status: 'disabled', disabled_reason: 'gone' }

const countSwitchOffs = async () =>
  (
    await stand.sql`select from audit_entry where account_id = ${account.id} and action = 'webhook_switched_off'`
  ).length

test('resend during the last attempt starts six new ones', async () => {
  await begin(1)
  await whileSending(1, () => answer(500))
  await stand.sql`update webhook_delivery set attempts = 5`
  const [first] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
  stand.clock.advance(HOUR)
  await whileSending(1, async () => {
    await resendDelivery(account.ctx, first?.id ?? '')
    receiver.respond = (_, response) => response.writeHead(204).end()
    await answer(500)
  })
  // The sixth attempt may have ended just before the event was due again.
  await worker.drain()
  const log = await listAttempts(account.ctx, { webhookId: id, limit: 9 })
  assert.deepEqual(
    log.map(one => [one.attempt, one.ok]),
    [
      [1, true],
      [6, false],
      [1, false],
    ],
  )
})

describe('an attempt says nothing about an endpoint that is edited before it ends', () => {
  const change = () => changeWebhook(account.ctx, stand.setup, id, { url: receiver.url })
  const pause = () => pauseWebhook(account.ctx, id)

  for (const [edit, status] of [
    [change, 'active'],
    [pause, 'paused'],
    [resume, 'active'],
  ] as const) {
    test(`${edit.name}, just before`, async () => {
      await begin(2)
      await whileSending(2, async () => {
        await edit()
        await answer(410)
        await answer(500)
      })
      assert.deepEqual(await readHealth(), { ...HEALTHY, status })
      assert.equal(await countSwitchOffs(), 0)
    })
  }

  for (const edit of [change, resume]) {
    test(`${edit.name}, and the worker knows it`, async () => {
      await begin(2)
      await whileSending(2, async () => {
        await edit()
        await sendNext()
        await answer(410)
        await answer(500)
        await answer(204)
      })
      assert.deepEqual(await readHealth(), HEALTHY)
      assert.equal(await countSwitchOffs(), 0)
    })
  }

  test('five days of failures before it was resumed do not count', async () => {
    await begin(1)
    const since = new Date(Date.parse(START) - 6 * DAY)
    await stand.sql`update webhook_endpoint set failures = 30, failing_since = ${since} where account_id = ${account.id}`
    await whileSending(1, async () => {
      await resumeWebhook(account.ctx, id)
      await answer(500)
    })
    assert.deepEqual(await readHealth(), HEALTHY)
  })
})

test('a paused endpoint gets nothing more once the worker knows it', async () => {
  await begin(9)
  await whileSending(4, async () => {
    await pauseWebhook(account.ctx, id)
    // Another account's event goes out after the endpoints are listed again.
    const other = await stand.account()
    await stand.endpoint(other, { url: receiver.url })
    await stand.announce(other)
    await waitUntil('endpoints are listed', () => held.length === 5)
    for (let n = 0; n < 5; n++) await answer(204)
  })
  assert.equal(countAttempts(), 5)
  const waiting =
    await stand.sql`select from webhook_delivery where account_id = ${account.id} and attempts = 0`
  assert.equal(waiting.length, 5)
})

test('what another process has sent is not sent again, once the worker knows that it lost the lease', async () => {
  await begin(9)
  worker = stand.worker({ random: () => 0.5, leaseMs: 4_000 })
  const other = await stand.account()
  await stand.endpoint(other, { url: receiver.url })
  await stand.announce(other)
  const from = receiver.received.length
  const listSent = () =>
    receiver.received.slice(from).map(({ headers }) => parseId(headers['webhook-id'] ?? '') ?? '')
  await whileSending(5, async () => {
    // Another process takes the lease and sends what this worker has claimed but does not send yet.
    const taken = await stand.sql.begin(async tx => {
      await tx`update webhook_lease set holder = gen_random_uuid() where account_id = ${account.id}`
      return tx<{ id: string }[]>`
        delete from webhook_delivery where account_id = ${account.id} and event_id <> all(${listSent()}::text[]::uuid[])
        returning event_id as id`
    })
    assert.equal(taken.length, 5)
    const readRenewal = async () => {
      const [lease] = await stand.sql<{ at: string }[]>`
        select taken_at::text as at from webhook_lease where account_id = ${other.id}`
      return lease?.at
    }
    const renewal = await readRenewal()
    await waitUntil('leases are renewed', async () => (await readRenewal()) !== renewal)
    // Then it ends, and this worker may send for the account again.
    await stand.sql`delete from webhook_lease where account_id = ${account.id}`
    await stand.announce(account)
    await stand.announce(other)
    await waitUntil('endpoints are listed', () => held.length === 6)
    receiver.respond = (_, response) => response.writeHead(204).end()
    for (let n = 0; n < 6; n++) await answer(204)
    await waitUntil('the new event has come', () => listSent().length >= 7)
    const sent = new Set(listSent())
    assert.deepEqual(
      taken.filter(({ id }) => sent.has(id)),
      [],
    )
  })
  assert.equal(listSent().length, 7)
})

test('an endpoint that is switched off gets nothing more, also before that is stored', async () => {
  await begin(9)
  await whileSending(4, () =>
    stand.sql.begin(async tx => {
      await tx`lock table webhook_endpoint in access exclusive mode`
      await waitForWrite()
      for (let n = 0; n < 4; n++) await answer(410)
      assert.equal(worker.getMetrics().inFlight, 0)
      receiver.respond = (_, response) => response.writeHead(204).end()
    }),
  )
})

test('an attempt that our own stop ends does not count', async () => {
  await begin(2)
  worker.start()
  await waitUntil('the requests have come', () => held.length === 2)
  await worker.stop()
  const rows = await stand.sql<{ attempts: number; due_at: Date }[]>`
    select attempts, due_at from webhook_delivery where account_id = ${account.id}`
  assert.deepEqual(
    rows.map(row => [row.attempts, row.due_at.toISOString()]),
    [
      [0, START],
      [0, START],
    ],
  )
  assert.deepEqual(await listAttempts(account.ctx, { webhookId: id, limit: 9 }), [])
  assert.deepEqual(await readHealth(), HEALTHY)
})

describe('410', () => {
  test('is not undone by a success that comes before it is stored', async () => {
    await begin(3)
    await whileSending(3, () =>
      withLockedEndpoint(async () => {
        await answer(500)
        await waitForWrite()
        await answer(410)
        await answer(204)
      }),
    )
    assert.deepEqual(await readHealth(), { ...GONE, failing_since: null })
  })

  test('is not undone by a success that comes while storing it fails', async () => {
    await begin(2)
    await whileSending(2, () =>
      withLockedEndpoint(async () => {
        await answer(410)
        await waitForWrite()
        await answer(204)
        await cancelWrite()
      }),
    )
    assert.deepEqual(await readHealth(), { ...GONE, failing_since: null })
    assert.equal((await listAttempts(account.ctx, { webhookId: id, limit: 9 })).length, 2)
  })

  test('of an attempt before an edit is not stored with the health after it', async () => {
    for (const isStoring of [true, false]) {
      const events = isStoring ? 1 : 2
      await begin(events)
      await whileSending(events, () =>
        withLockedLog(async () => {
          // Either the 410 is being stored, or it waits until something else is.
          if (!isStoring) await answer(500)
          if (!isStoring) await waitForWrite()
          await answer(410)
          await waitForWrite()
          await resume()
          await sendNext()
          await answer(500)
          if (isStoring) await cancelWrite()
        }),
      )
      assert.deepEqual(await readHealth(), { ...HEALTHY, failing_since: START }, `${isStoring}`)
      assert.equal(await countSwitchOffs(), 0)
    }
  })

  test('switches off once, and what comes later changes nothing', async () => {
    await begin(3)
    await whileSending(3, async () => {
      await answer(410)
      await waitUntil('it is switched off', async () => (await readHealth()).status === 'disabled')
      await answer(410)
      await answer(204)
    })
    assert.deepEqual(await readHealth(), { ...GONE, failing_since: START })
    assert.equal(await countSwitchOffs(), 1)
  })
})

test('the newest health is stored, also if storing an earlier one fails', async () => {
  await begin(2)
  await whileSending(2, () =>
    withLockedEndpoint(async () => {
      await answer(500)
      await waitForWrite()
      await answer(204)
      await cancelWrite()
    }),
  )
  assert.deepEqual(await readHealth(), HEALTHY)
})
