/** Tests that the stored sums of models equal their days, also for scans from before those sums existed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { deleteOldScans } from '../../src/scans/delete-old-scans.ts'
import { CRAWLER, type ScanStand, startScanStand } from './scan-stand.ts'

const MIGRATION = new URL('../../migrations/0019_scan_pages.sql', import.meta.url)

let stand: ScanStand
before(async () => {
  stand = await startScanStand()
})
after(() => stand.t.close())

const rows = () =>
  stand.t.sql`
    select account_id, first_day::text, scans, model_id, days, magnitude from scan_model_span
    order by model_id, days, first_day`

test('the migration computes the same spans from days as the writer from scans', async () => {
  const { sql, clock } = stand.t
  const other = await stand.newModel('battery')
  for (const [day, times] of [
    ['2026-03-01', 3],
    ['2026-03-02', 1],
    ['2026-05-20', 9],
  ] as const) {
    clock.set(`${day}T10:00:00Z`)
    for (let i = 0; i < times; i++)
      for (const id of [stand.model, stand.batch, stand.item]) await stand.look(id)
    await stand.look(other)
    await stand.look(other, { agent: CRAWLER })
    await stand.t.scans.flush()
  }
  const written = await rows()
  const whole = written.filter(row => row.days === 1 && row.first_day === '2026-05-20')
  assert.deepEqual(whole.map(row => [row.scans, row.magnitude]).sort(), [
    [1, 1],
    [27, 5],
  ])
  await sql`delete from scan_model_span`
  const backfill = /insert into scan_model_span.*?;/s.exec(readFileSync(MIGRATION, 'utf8'))?.[0] ?? ''
  await sql.unsafe(backfill)
  assert.deepEqual(await rows(), written)
  clock.release()
})

test('a span is deleted when all of it is older than 400 days', async () => {
  const { clock } = stand.t
  const spans = async () => new Set((await rows()).map(row => row.days))
  assert.deepEqual(await spans(), new Set([1, 8, 64]))
  clock.set('2027-06-26T12:00:00Z')
  assert.ok(await deleteOldScans(stand.t))
  assert.deepEqual(await spans(), new Set([8, 64]))
  clock.set('2027-09-15T12:00:00Z')
  assert.ok(await deleteOldScans(stand.t))
  assert.deepEqual(await spans(), new Set())
  clock.release()
})
