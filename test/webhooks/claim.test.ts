/**
 * Tests that a claim's cost depends on the deliveries it takes, not on those that wait: a million, half of
 * them for one endpoint.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import {
  acquireLeases,
  type ClaimedDelivery,
  FIRST_CURSOR,
  listPendingEndpoints,
  MAX_ENDPOINTS_PER_PAGE,
  type PendingEndpoint,
  releaseLeases,
  selectDueDeliveries,
} from '../../src/webhooks/claim.ts'
import { countStuckDeliveries, unstickDeliveries } from '../../src/webhooks/unstick.ts'
import { createLeases } from '../../src/worker/leases.ts'
import { IS_FULL } from '../full.ts'
import { waitUntil } from '../waiting.ts'
import { type Stand, startStand } from './stand.ts'

const MANY = IS_FULL ? 1_000_000 : 20_000
const ROUNDS = 20
const ENDPOINTS = 20
const ROOM = 64

let stand: Stand

before(async () => {
  stand = await startStand()
})

afterEach(async () => {
  await stand.sql`delete from webhook_delivery`
})

after(() => stand.close())

/**
 * Half of the deliveries are for the first account's endpoint, the others are spread over 19 endpoints of a
 * second account.
 */
async function fill(): Promise<{ big: string }> {
  const [one, two] = [await stand.account(), await stand.account()]
  const url = 'https://shop.example/'
  const big = await stand.endpoint(one, { url })
  for (let n = 1; n < ENDPOINTS; n++) await stand.endpoint(two, { url, events: ['scan.milestone'] })
  for (let done = 0; done < MANY / 2; done += 50_000) {
    await stand.announce(one, Math.min(50_000, MANY / 2))
  }
  const each = Math.ceil(MANY / 2 / (ENDPOINTS - 1))
  for (let done = 0; done < each; done += 3_000) {
    await stand.announce(two, Math.min(3_000, each - done), 'scan.milestone')
  }
  return { big: big.id }
}

test(`${ROUNDS} rounds over ${MANY} waiting deliveries are fair, lease each once, and read only those`, async () => {
  await fill()
  const now = new Date(Date.now() + 1_000)
  const { queue } = stand
  const taken = new Map<string, number>()
  const seen = new Set<string>()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const waiting = await listPendingEndpoints(queue, now, FIRST_CURSOR)
    const requests = waiting.map(row => ({
      accountId: row.account_id,
      endpointId: row.id,
      limit: ROOM,
      claimedIds: [],
    }))
    const claimed = await selectDueDeliveries(queue, now, requests)
    times.push(performance.now() - began)
    assert.equal(claimed.length, 512)
    assert.equal(waiting.length, ENDPOINTS)
    count(claimed, waiting)
    await queue`delete from webhook_delivery where event_id = any(${claimed.map(one => one.event_id)}::text[]::uuid[])
      and endpoint_id = any(${claimed.map(one => one.endpoint_id)}::text[]::uuid[])`
  }
  const counts = [...taken.values()]
  assert.equal(counts.length, ENDPOINTS)
  // 512 over 20 endpoints: 25 or 26 each in every round, however many each has waiting.
  assert.ok(Math.max(...counts) - Math.min(...counts) <= ROUNDS, counts.join(' '))
  await assertPlan(now)
  if (MANY >= 1_000_000) {
    const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0
    console.log(
      `claim of 512 among ${MANY}: median ${median.toFixed(1)} ms, slowest ${times.at(-1)?.toFixed(1)} ms`,
    )
  }

  function count(claimed: readonly ClaimedDelivery[], waiting: readonly PendingEndpoint[]) {
    for (const one of claimed) {
      const key = `${one.endpoint_id} ${one.event_id}`
      assert.ok(!seen.has(key), 'taken twice')
      seen.add(key)
      taken.set(one.endpoint_id, (taken.get(one.endpoint_id) ?? 0) + 1)
    }
    assert.ok(waiting.every(row => row.is_due))
  }
})

/** Asserts that claims use indexes and scan neither the queue nor the events. */
async function assertPlan(now: Date): Promise<void> {
  const scans = async () => {
    const [row] = await stand.queue<{ n: number }[]>`
      select pg_stat_force_next_flush()::text, coalesce(sum(seq_scan), 0)::int as n from pg_stat_user_tables
      where relname in ('webhook_delivery', 'event', 'webhook_endpoint')`
    return row?.n
  }
  const before = await scans()
  const waiting = await listPendingEndpoints(stand.queue, now, FIRST_CURSOR)
  await selectDueDeliveries(stand.queue, now, [
    { accountId: waiting[0]?.account_id ?? 0, endpointId: waiting[0]?.id ?? '', limit: 5, claimedIds: [] },
  ])
  assert.equal(await scans(), before)
}

test('a page of endpoints has 256, and the next one goes on after its last', async () => {
  const account = await stand.account()
  const [eventId] = await stand.announce(account)
  const added = MAX_ENDPOINTS_PER_PAGE + 3
  await stand.sql`
    insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
    select now(), ${account.id}, 0, false, gen_random_uuid(), ${eventId ?? ''}::text::uuid from generate_series(1, ${added}::int)`
  const before = { ...FIRST_CURSOR, accountId: account.id }
  const page = await listPendingEndpoints(stand.queue, new Date(), before)
  assert.equal(page.length, MAX_ENDPOINTS_PER_PAGE)
  const last = page.at(-1)
  const next = await listPendingEndpoints(stand.queue, new Date(), {
    accountId: last?.account_id ?? 0,
    endpointId: last?.id ?? '',
  })
  const ids = [...page, ...next].map(row => row.id)
  assert.deepEqual(ids, [...new Set(ids)].sort())
  assert.equal(ids.length, added)
})

test('background events of one endpoint come after all events of the others', async () => {
  const [one, two] = [await stand.account(), await stand.account()]
  const endpoints = [
    await stand.endpoint(one, { url: 'https://shop.example/' }),
    await stand.endpoint(two, { url: 'https://shop.example/' }),
  ]
  await stand.announce(one, 4)
  await stand.announce(two, 4)
  await stand.sql`
    update webhook_delivery set background = true, due_at = now() - interval '1 hour' where account_id = ${one.id}`
  const claim = async (max: number) => {
    const requests = [one, two].map(({ id }, i) => ({
      accountId: id,
      endpointId: parseId(endpoints[i]?.id ?? '') ?? '',
      limit: 4,
      claimedIds: [],
    }))
    const claimed = await selectDueDeliveries(stand.queue, new Date(Date.now() + 1_000), requests, max)
    return claimed.map(({ account_id }) => account_id)
  }
  assert.deepEqual(await claim(3), Array(3).fill(two.id))
  assert.deepEqual(await claim(6), [...Array(4).fill(two.id), ...Array(2).fill(one.id)])
})

const HOLDER = '00000000-0000-7000-8000-00000000000'
const [A, B, C] = [`${HOLDER}a`, `${HOLDER}b`, `${HOLDER}c`]
const take = async (holder: string) =>
  (await acquireLeases(stand.queue, [901, 902], { holder, ms: 10_000 })).sort()
const setEnd = (seconds: number) =>
  stand.queue`update webhook_lease set until = now() + ${seconds}::int * interval '1 s'`

test('an account is leased by one process at a time, until the lease ends or is released', async () => {
  assert.deepEqual(await take(A), [901, 902])
  assert.deepEqual(await take(B), [])
  await setEnd(1)
  assert.deepEqual(await take(B), [])
  assert.deepEqual(await take(A), [901, 902])
  await setEnd(0)
  assert.deepEqual(await take(B), [901, 902])
  assert.deepEqual(await take(A), [])
  await releaseLeases(stand.queue, B)
  assert.deepEqual(await take(A), [901, 902])
})

test('a lease is free from the moment at which it ends', async () => {
  await inTransaction(stand.queue, async sql => {
    // `now()` is the same in all statements of a transaction.
    await sql`update webhook_lease set until = now(), holder = ${A} where account_id in (901, 902)`
    const taken = await acquireLeases(sql, [901, 902], { holder: B, ms: 10_000 })
    assert.deepEqual(taken.sort(), [901, 902])
  })
  await releaseLeases(stand.queue, B)
  assert.deepEqual(await take(A), [901, 902])
})

test('a process knows when its lease has ended, and that another process has it', async () => {
  const account = await stand.account()
  const short = createLeases(stand.queue, { holder: C, ms: 1 }, new Map())
  await short.acquire([account.id])
  const long = createLeases(stand.queue, { holder: C, ms: 10_000 }, new Map())
  await long.acquire([account.id])
  const after = performance.now() + 2
  await waitUntil('a millisecond has passed', () => performance.now() > after)
  assert.deepEqual([short.isOurs(account.id), long.isOurs(account.id)], [false, true])

  await stand.queue`update webhook_lease set holder = ${B} where account_id = ${account.id}`
  assert.equal(await long.renew([account.id]), true)
  assert.equal(long.isOurs(account.id), false)
  assert.equal(await long.renew([account.id]), false, 'it was renewed a moment ago')
  await long.acquire([account.id])
  assert.equal(long.isOurs(account.id), false)
  await long.release()
  const [lease] = await stand.queue<{ holder: string }[]>`
    select holder from webhook_lease where account_id = ${account.id}`
  assert.equal(lease?.holder, B)
  await releaseLeases(stand.queue, B)
})

test('a lease is free if it ends so late that a clock must have been ahead', async () => {
  await setEnd(20)
  assert.deepEqual(await take(B), [])
  for (const ahead of [3_600, 365 * 86_400]) {
    await setEnd(ahead)
    assert.deepEqual(await take(B), [901, 902])
    await setEnd(ahead)
    assert.deepEqual(await take(A), [901, 902])
  }
})

for (const ahead of [3_600_000, 365 * 86_400_000]) {
  test(`deliveries written while the clock was ${ahead / 3_600_000} hours ahead are sent`, async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: 'https://shop.example/' })
    stand.clock.set(new Date(Date.now() + ahead))
    await stand.announce(account, 3)
    stand.clock.release()
    const waiting = await listPendingEndpoints(stand.queue, new Date(Date.now() + 1_000), FIRST_CURSOR)
    assert.equal(waiting.find(one => one.account_id === account.id)?.is_due, true)
    // The same rows as if the database had written them while its clock was ahead.
    await stand.sql`update webhook_delivery set due_at = now() + ${ahead}::bigint * interval '1 ms' where account_id = ${account.id}`
    await stand.sql`update webhook_endpoint set wait_until = now() + ${ahead}::bigint * interval '1 ms' where account_id = ${account.id}`
    await stand.sql`insert into webhook_lease values (${account.id}, ${A}, now() + ${ahead}::bigint * interval '1 ms')`
    const stuck = { leases: 1, deliveries: 3, endpoints: 1 }
    assert.deepEqual(await countStuckDeliveries(stand), stuck)
    assert.deepEqual(await unstickDeliveries(stand), stuck)
    assert.deepEqual(await countStuckDeliveries(stand), { leases: 0, deliveries: 0, endpoints: 0 })
    const freed = await listPendingEndpoints(stand.queue, new Date(Date.now() + 1_000), FIRST_CURSOR)
    assert.equal(freed.find(one => one.account_id === account.id)?.is_due, true)
  })
}

test('deliveries that the schedule postponed stay postponed', async () => {
  const account = await stand.account()
  await stand.endpoint(account, { url: 'https://shop.example/' })
  await stand.announce(account, 2)
  await stand.sql`update webhook_delivery set attempts = 5, due_at = now() + interval '6 hours 30 minutes'
    where account_id = ${account.id}`
  assert.deepEqual(await unstickDeliveries(stand), { leases: 0, deliveries: 0, endpoints: 0 })
})

test('an endpoint whose first failure is in the future has it now', async () => {
  const account = await stand.account()
  await stand.endpoint(account, { url: 'https://shop.example/' })
  const setFailing = (ahead: string) => stand.sql`
    update webhook_endpoint set failures = 3, failing_since = now() + ${ahead}::text::interval where account_id = ${account.id}`
  await setFailing('30 seconds')
  assert.equal((await unstickDeliveries(stand)).endpoints, 0)
  await setFailing('1 hour')
  assert.equal((await countStuckDeliveries(stand)).endpoints, 1)
  assert.equal((await unstickDeliveries(stand)).endpoints, 1)
  const [row] = await stand.sql<{ ended: boolean }[]>`
    select failing_since <= now() as ended from webhook_endpoint where account_id = ${account.id}`
  assert.equal(row?.ended, true)
})
