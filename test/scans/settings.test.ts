/** Tests switched-off counting: nothing is derived, and what was stored is deleted in time. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deleteOldScans } from '../../src/scans/delete-old-scans.ts'
import { createScanRecorder } from '../../src/scans/recorder.ts'
import { getScanSettings, setScanSettings } from '../../src/scans/settings.ts'
import { TEST_SHARD } from '../database.ts'
import { CRAWLER, type ScanStand, startScanStand } from './scan-stand.ts'

const TABLES = [
  'scan_day',
  'scan_account_span',
  'scan_model_span',
  'scan_total',
  'scan_visitor',
  'scan_item_hour',
  'scan_salt',
] as const

let stand: ScanStand
before(async () => {
  stand = await startScanStand()
})
after(() => stand.t.close())

const ctx = () => ({ sql: stand.t.sql, clock: stand.t.clock })
const rowsOf = async (table: string) =>
  Number((await stand.t.sql`select count(*) as n from ${stand.t.sql(table)}`)[0]?.n)

describe('switches', () => {
  test('when off, nothing is written, not even a salt', async () => {
    await setScanSettings(ctx(), { accountId: stand.account.id, on: false })
    for (let i = 0; i < 12; i++) await stand.look(stand.item)
    await stand.look(stand.item, { agent: CRAWLER })
    await stand.t.scans.flush()
    for (const table of TABLES.slice(0, -1)) assert.equal(await rowsOf(table), 0, table)
    assert.deepEqual(await stand.events('scan.milestone'), [])
    await setScanSettings(ctx(), { accountId: stand.account.id, on: true })
  })

  test('of a category apply within two seconds, off and on again', async () => {
    const battery = await stand.newModel('battery')
    const chair = await stand.newModel('furniture')
    await setScanSettings(ctx(), { accountId: stand.account.id, categories: { battery: false } })
    stand.t.clock.advance(2_000)
    await stand.look(battery)
    await stand.look(chair)
    assert.equal((await stand.scansOf(battery)).total, 0)
    assert.equal((await stand.scansOf(chair)).total, 1)
    const settings = await setScanSettings(ctx(), {
      accountId: stand.account.id,
      categories: { battery: true },
    })
    assert.deepEqual(settings.off_categories, [])
    stand.t.clock.advance(2_000)
    await stand.look(battery)
    assert.equal((await stand.scansOf(battery)).total, 1)
    stand.t.clock.release()
  })

  test('keep the settings that a change does not name', async () => {
    const accountId = (await stand.t.account()).id
    await setScanSettings(ctx(), { accountId, categories: { textile: false, battery: false } })
    await setScanSettings(ctx(), { accountId, cloneRules: { countries: 4 } })
    await setScanSettings(ctx(), { accountId, on: false })
    const settings = await setScanSettings(ctx(), { accountId, categories: { battery: true } })
    assert.deepEqual(settings, await getScanSettings(ctx(), accountId))
    assert.equal(settings.on, false)
    assert.deepEqual(settings.off_categories, ['textile'])
    assert.equal(settings.clone_rules?.countries, 4)
    assert.equal(settings.clone_rules?.scans, 100)
  })

  test('are refused for an unknown account or invalid rules', async () => {
    await assert.rejects(getScanSettings(ctx(), 999_999), { code: 'not_found' })
    await assert.rejects(setScanSettings(ctx(), { accountId: 999_999, on: false }), { code: 'not_found' })
    const rules = (cloneRules: object) => setScanSettings(ctx(), { accountId: stand.account.id, cloneRules })
    for (const scans of [0, -1, 1.5, 100_001, Number.NaN])
      await assert.rejects(rules({ scans }), { code: 'validation' })
  })
})

describe('deletion of old scans', () => {
  test('deletes salts and readers after two days, item hours after one, daily counts after 400', async () => {
    stand.t.clock.set('2026-01-10T23:30:00Z')
    const item = await stand.newItem()
    await stand.look(item)
    await stand.t.scans.flush()
    const visitors = await rowsOf('scan_visitor')
    const clean = async (time: string) => {
      stand.t.clock.set(time)
      assert.ok(await deleteOldScans(ctx()))
    }
    const saltOf = async (day: string) =>
      (await stand.t.sql`select 1 from scan_salt where day = ${day}::text::date`).length
    await clean('2026-01-11T22:59:00Z')
    assert.equal((await rowsOf('scan_item_hour')) > 0, true)
    assert.equal(await rowsOf('scan_visitor'), visitors)
    assert.equal(await saltOf('2026-01-10'), 1)
    await clean('2026-01-11T23:59:59Z')
    const ofItem = await stand.t.sql`select 1 from scan_item_hour where hour < '2026-01-11'`
    assert.equal(ofItem.length, 0)
    assert.equal(await saltOf('2026-01-10'), 1)
    await clean('2026-01-12T00:10:00Z')
    assert.equal(await saltOf('2026-01-10'), 0)
    const left = await stand.t.sql`select 1 from scan_visitor where day = '2026-01-10'`
    assert.equal(left.length, 0)
    assert.equal((await stand.t.sql`select 1 from scan_day where day = '2026-01-10'`).length > 0, true)
    await clean('2027-02-14T12:00:00Z')
    assert.equal((await stand.t.sql`select 1 from scan_day where day = '2026-01-10'`).length > 0, true)
    await clean('2027-02-15T12:00:00Z')
    assert.equal((await stand.t.sql`select 1 from scan_day where day = '2026-01-10'`).length, 0)
    const spans = await stand.t
      .sql`select days from scan_account_span where first_day <= '2026-01-10' order by days`
    assert.deepEqual(
      spans.map(row => row.days),
      [64],
    )
    await clean('2027-06-01T12:00:00Z')
    assert.equal(
      (await stand.t.sql`select 1 from scan_account_span where first_day <= '2026-01-10'`).length,
      0,
    )
    assert.equal((await stand.t.sql`select 1 from scan_total`).length > 0, true)
    stand.t.clock.release()
  })

  test('is done by one process at a time, and again after ten minutes', async () => {
    stand.t.clock.set('2028-01-01T12:00:00Z')
    const all = await Promise.all(Array.from({ length: 8 }, () => deleteOldScans(ctx())))
    assert.equal(all.filter(one => one !== undefined).length, 1)
    stand.t.clock.advance(599_999)
    assert.equal(await deleteOldScans(ctx()), undefined)
    stand.t.clock.advance(1)
    assert.ok(await deleteOldScans(ctx()))
    stand.t.clock.release()
  })
})

test('a process that has cached the settings applies a change', async () => {
  const { sql, clock, setup } = stand.t
  const log = stand.t.app.log as never
  const other = createScanRecorder({ sql: setup.sql, clock, log, geoMmdbPath: undefined })
  const passport = {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    account_id: (await stand.t.account()).id,
    category: 'textile',
    level: 'm' as const,
    model_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    parent_id: null,
    shard: TEST_SHARD,
  }
  const note = () => other.record(passport, { address: '203.0.113.1', userAgent: 'x' }, clock.now())
  const total = async () =>
    Number((await sql`select scans from scan_total where passport_id = ${passport.id}`)[0]?.scans ?? 0)
  note()
  await other.flush()
  assert.equal(await total(), 1)
  await setScanSettings(ctx(), { accountId: passport.account_id, on: false })
  note()
  await other.flush()
  note()
  await other.flush()
  assert.equal(await total(), 1)
})
