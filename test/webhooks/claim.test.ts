/** A claim costs what it takes, not what waits: a million deliveries, half of them one endpoint's. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Claimed, claim, findWaiting, lease, START, type Waiting } from '../../src/webhooks/claim.ts'
import { IS_FULL } from '../full.ts'
import { type Stand, startStand } from './stand.ts'

const MANY = IS_FULL ? 1_000_000 : 20_000
const ROUNDS = 20
const ENDPOINTS = 20
const ROOM = 64

let stand: Stand

before(async () => {
  stand = await startStand()
})

after(() => stand.close())

/** Half of all for the first endpoint of the first account, the other half evenly over 19 of another. */
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

test(`${ROUNDS} rounds over ${MANY} waiting deliveries are fair, take each once, and read only what they take`, async () => {
  await fill()
  const now = new Date(Date.now() + 1_000)
  const { queue } = stand
  const taken = new Map<string, number>()
  const seen = new Set<string>()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const waiting = await findWaiting(queue, now, START)
    const rooms = waiting.map(row => ({
      accountId: row.account_id,
      endpointId: row.id,
      room: ROOM,
      held: [],
    }))
    const claimed = await claim(queue, now, rooms)
    times.push(performance.now() - began)
    assert.equal(claimed.length, 512)
    assert.equal(waiting.length, ENDPOINTS)
    count(claimed, waiting)
    await queue`delete from webhook_delivery where event_id = any(${claimed.map(one => one.event_id)}::text[]::uuid[])
      and endpoint_id = any(${claimed.map(one => one.endpoint_id)}::text[]::uuid[])`
  }
  const counts = [...taken.values()]
  assert.equal(counts.length, ENDPOINTS)
  // 512 over 20 endpoints: 25 or 26 each in every round, whatever each has waiting.
  assert.ok(Math.max(...counts) - Math.min(...counts) <= ROUNDS, counts.join(' '))
  await assertPlan(now)
  if (MANY >= 1_000_000) {
    const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0
    console.log(
      `claim of 512 among ${MANY}: median ${median.toFixed(1)} ms, slowest ${times.at(-1)?.toFixed(1)} ms`,
    )
  }

  function count(claimed: readonly Claimed[], waiting: readonly Waiting[]) {
    for (const one of claimed) {
      const key = `${one.endpoint_id} ${one.event_id}`
      assert.ok(!seen.has(key), 'taken twice')
      seen.add(key)
      taken.set(one.endpoint_id, (taken.get(one.endpoint_id) ?? 0) + 1)
    }
    assert.ok(waiting.every(row => row.is_due))
  }
})

/** By index from start to end: neither the queue nor the events are read from one end to the other. */
async function assertPlan(now: Date): Promise<void> {
  const scans = async () => {
    const [row] = await stand.queue<{ n: number }[]>`
      select pg_stat_force_next_flush()::text, coalesce(sum(seq_scan), 0)::int as n from pg_stat_user_tables
      where relname in ('webhook_delivery', 'event', 'webhook_endpoint')`
    return row?.n
  }
  const before = await scans()
  const waiting = await findWaiting(stand.queue, now, START)
  await claim(stand.queue, now, [
    { accountId: waiting[0]?.account_id ?? 0, endpointId: waiting[0]?.id ?? '', room: 5, held: [] },
  ])
  assert.equal(await scans(), before)
}

test('an account is one holder’s at a time, until it ends or is given back', async () => {
  const now = new Date('2026-11-21T10:00:00Z')
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const [a, b] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b']
  const take = (holder: string, when: Date, until: Date) =>
    lease(stand.queue, when, [901, 902], { holder, until })
  assert.deepEqual((await take(a, now, at(10))).sort(), [901, 902])
  assert.deepEqual(await take(b, at(9), at(19)), [])
  assert.deepEqual((await take(a, at(9), at(19))).sort(), [901, 902])
  assert.deepEqual(await take(b, at(18), at(28)), [])
  assert.deepEqual((await take(b, at(19), at(29))).sort(), [901, 902])
  assert.deepEqual(await take(a, at(20), at(30)), [])
})
