/** Tests that milestones and suspected copies are reported once, in the transaction that counts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { findNextMilestone, listMilestonesUpTo } from '../../src/scans/milestones.ts'
import { setScanSettings } from '../../src/scans/settings.ts'
import { COMPUTER, CRAWLER, type Look, type ScanStand, startScanStand } from './scan-stand.ts'

let stand: ScanStand
before(async () => {
  stand = await startScanStand({ trustedProxies: ['10.0.0.1'], countryHeader: 'x-country' })
})
after(() => stand.t.close())

const milestonesOf = async (id: string) =>
  (await stand.events('scan.milestone')).filter(event => event.product_id === id)
const suspicionsOf = async (id: string) =>
  (await stand.events('scan.clone_suspected')).filter(event => event.product_id === id)

/** A reader in a country, behind the proxy. */
const from = (country: string, device: number): Look => ({
  from: '10.0.0.1',
  headers: { 'x-forwarded-for': `203.0.113.${device}`, 'x-country': country },
})
const looks = async (id: string, all: readonly Look[]) => {
  for (const look of all) await stand.look(id, look)
}
const times = (n: number, look: (i: number) => Look): Look[] => Array.from({ length: n }, (_, i) => look(i))

describe('milestones', () => {
  test('are 10, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000 and so on', () => {
    assert.deepEqual(
      listMilestonesUpTo(10, 100_000_000).join(' '),
      '10 50 100 250 500 1000 2500 5000 10000 25000 50000 100000 250000 500000 1000000 2500000 5000000 10000000 25000000 50000000 100000000',
    )
  })

  test('are each reached exactly once, however the count grows', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 30 }), steps => {
        let count = 0
        let next = 10
        const told: number[] = []
        for (const step of steps) {
          count += step
          told.push(...listMilestonesUpTo(next, count))
          next = Math.max(next, findNextMilestone(count))
        }
        assert.deepEqual(told, listMilestonesUpTo(10, count))
      }),
    )
  })

  test('are announced once each with the count, also if one flush passes several', async () => {
    const id = await stand.newModel()
    await looks(
      id,
      times(9, () => ({})),
    )
    await stand.t.scans.flush()
    assert.deepEqual(await milestonesOf(id), [])
    await looks(
      id,
      times(95, () => ({})),
    )
    await stand.t.scans.flush()
    assert.deepEqual(await milestonesOf(id), [
      { product_id: id, count: 104, milestone: 10 },
      { product_id: id, count: 104, milestone: 50 },
      { product_id: id, count: 104, milestone: 100 },
    ])
    await looks(
      id,
      times(20, () => ({})),
    )
    await stand.t.scans.flush()
    assert.equal((await milestonesOf(id)).length, 3)
  })

  test('do not count crawlers', async () => {
    const id = await stand.newModel()
    await looks(
      id,
      times(12, () => ({ agent: CRAWLER })),
    )
    await stand.t.scans.flush()
    assert.deepEqual(await milestonesOf(id), [])
  })
})

describe('a cloned code', () => {
  const suspect: [string, Look[], object][] = [
    [
      '3 countries and 10 devices',
      times(10, i => from(['DE', 'FR', 'IT'][i % 3] ?? 'DE', i)),
      { count: 10, countries: 3, unique_devices: 10 },
    ],
    [
      '5 countries',
      times(5, i => from(['DE', 'FR', 'IT', 'ES', 'PT'][i] ?? 'DE', 1)),
      { count: 5, countries: 5, unique_devices: 1 },
    ],
    [
      '100 scans from 50 devices',
      times(100, i => from('DE', i % 50)),
      { count: 100, countries: 1, unique_devices: 50 },
    ],
  ]
  for (const [name, all, data] of suspect) {
    test(`is suspected from ${name}, not from one less`, async () => {
      const id = await stand.newItem()
      await looks(id, all.slice(0, -1))
      await stand.t.scans.flush()
      assert.deepEqual(await suspicionsOf(id), [])
      await looks(id, all.slice(-1))
      await stand.t.scans.flush()
      assert.deepEqual(await suspicionsOf(id), [{ product_id: id, ...data }])
      await looks(id, all)
      await stand.t.scans.flush()
      assert.equal((await suspicionsOf(id)).length, 1)
    })
  }

  test('is only suspected of items; unknown countries do not count', async () => {
    const many = times(12, i => from(['DE', 'FR', 'IT', 'ES', 'PT'][i % 5] ?? 'DE', i))
    await looks(stand.model, many)
    await looks(stand.batch, many)
    const id = await stand.newItem()
    await looks(
      id,
      times(12, i => from(['DE', 'FR', '', 'T1'][i % 4] ?? '', i)),
    )
    await stand.t.scans.flush()
    for (const one of [stand.model, stand.batch, id]) assert.deepEqual(await suspicionsOf(one), [])
  })

  test('is detected over 24 hourly buckets; a device counts once across midnight', async () => {
    stand.t.clock.set('2026-11-21T01:59:00Z')
    const id = await stand.newItem()
    await looks(
      id,
      times(3, i => from('DE', i)),
    )
    await stand.t.scans.flush()
    stand.t.clock.set('2026-11-21T23:30:00Z')
    await looks(
      id,
      times(5, i => from('FR', 10 + i)),
    )
    await stand.t.scans.flush()
    // The three readers in DE have left the window. The five in FR come again after midnight, with four more
    // in DE and IT.
    stand.t.clock.set('2026-11-22T01:00:00Z')
    await looks(
      id,
      times(5, i => from('FR', 10 + i)),
    )
    await looks(
      id,
      times(4, i => from(i < 2 ? 'DE' : 'IT', 20 + i)),
    )
    await stand.t.scans.flush()
    assert.deepEqual(await suspicionsOf(id), [])
    await looks(id, [from('IT', 30)])
    await stand.t.scans.flush()
    assert.deepEqual(await suspicionsOf(id), [
      { product_id: id, count: 15, countries: 3, unique_devices: 10 },
    ])
    stand.t.clock.release()
  })

  test('is reported again after seven days, not earlier', async () => {
    const id = await stand.newItem()
    const five = times(5, i => from(['DE', 'FR', 'IT', 'ES', 'PT'][i] ?? 'DE', i))
    for (const [time, told] of [
      ['2026-12-01T12:00:00Z', 1],
      ['2026-12-08T11:59:59Z', 1],
      ['2026-12-08T12:00:00Z', 2],
    ] as const) {
      stand.t.clock.set(time)
      await looks(id, five)
      await stand.t.scans.flush()
      assert.equal((await suspicionsOf(id)).length, told, time)
    }
    stand.t.clock.release()
  })

  test('follows the rules of its account', async () => {
    const ctx = { sql: stand.t.sql, clock: stand.t.clock }
    const rule = (cloneRules: object | null) =>
      setScanSettings(ctx, { accountId: stand.account.id, cloneRules })
    await rule({ many_countries: 2 })
    const id = await stand.newItem()
    await looks(id, [from('DE', 1), from('FR', 1)])
    await stand.t.scans.flush()
    assert.equal((await suspicionsOf(id)).length, 1)
    await rule(null)
    const quiet = await stand.newItem()
    await looks(
      quiet,
      times(6, i => from(['DE', 'FR', 'IT', 'ES', 'PT', 'NL'][i] ?? 'DE', i)),
    )
    await stand.t.scans.flush()
    assert.deepEqual(await suspicionsOf(quiet), [])
    await rule({})
  })
})

test('the events are stored with their account and have only the two types', async () => {
  const rows = await stand.t
    .sql`select distinct account_id, type from event where type like 'scan.%' order by type`
  assert.deepEqual(
    rows.map(row => [row.account_id, row.type]),
    [
      [stand.account.id, 'scan.clone_suspected'],
      [stand.account.id, 'scan.milestone'],
    ],
  )
  await stand.look(stand.model, { agent: COMPUTER })
})
