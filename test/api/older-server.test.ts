/**
 * Tests that this version, with statements already prepared, keeps working after a newer version has added a
 * column to every table.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAccessLink, listAccessLinks } from '../../src/passports/access/access-links.ts'
import { refreshesEnded } from '../../src/passports/units/refresh-job.ts'
import { getScanSettings, setScanSettings } from '../../src/scans/settings.ts'
import { ADDRESSES, newProduct } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

/** More units than a refresh handles within its request. */
const MANY = 501

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

/** Makes one call of each kind that reads or writes a table; every call must succeed. */
async function round(name: string): Promise<void> {
  const id = await s.model({ sku: `${name}-1` })
  const again = newProduct({ sku: `${name}-2` }, 'battery')
  for (let i = 0; i < 2; i++) await s.call('POST', '', again, keyed(`${name}-create`))
  await s.call('PATCH', `/${id}`, { data: { weightKg: 2 } }, keyed(`${name}-change`))
  const batch = await s.batch(id, `${name}-L`)
  const item = await s.item(batch, `${name}-1`)
  await s.call('PATCH', `/${item}`, { data: { weightKg: 4 } })
  await s.items(id, `${name}-many-`, MANY)
  await s.correct(id, { weightKg: 3 })
  assert.equal((await s.call('POST', `/${id}/refresh`)).pending, MANY + 2)
  await refreshesEnded(s.t.sql)
  assert.equal((await s.call('GET', `/${id}/refresh`)).outdated, 0)
  for (const verb of ['archive', 'restore']) await s.call('POST', `/${batch}/${verb}`)
  for (const path of ['?limit=2', `?sku=${name}-1`, `/${id}`, `/${id}/versions`, `/${id}/children`]) {
    await s.call('GET', path)
  }
  await s.call('POST', '/bulk', { match_by: 'sku', items: [newProduct({ sku: `${name}-3` }, 'battery')] })
  const { ctx } = s.account
  const audience = 'authority'
  const expiresAt = new Date('2030-01-01')
  const link = await createAccessLink(ctx, {
    passportId: undefined,
    label: name,
    audience,
    expiresAt,
    addresses: ADDRESSES,
  })
  assert.ok((await listAccessLinks(ctx)).some(one => one.id === link.id))
  assert.equal((await s.t.ask('GET', `/p/${item}`, { headers: { accept: 'text/html' } })).status, 200)
  await s.t.scans.flush()
  await setScanSettings(ctx, { accountId: s.account.id, categories: { battery: name === 'before' } })
  assert.ok((await getScanSettings(ctx, s.account.id)).on)
}

test('calls work as before after a newer version has added columns to every table', async () => {
  await round('before')
  const tables = await s.t.sql<{ schema: string; name: string }[]>`
    select schemaname::text as schema, tablename::text as name from pg_tables where schemaname = any(current_schemas(false))`
  assert.ok(tables.length > 40, `${tables.length} tables`)
  const { sql } = s.t.setup
  for (const { schema, name } of tables) {
    await sql`
      alter table ${sql(schema)}.${sql(name)} add column next_note text, add column next_count integer default 0`
  }
  await round('after')
})
