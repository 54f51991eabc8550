/** Tests that the answer of each write equals what a read gives right after it: it shows the call's own effect. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { newProduct, nextGtin } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

let s: UnitStand
before(async () => {
  s = await startUnitStand('enterprise')
})
after(() => s.close())

type Written = { id: string; version_no: number; outdated?: boolean }
type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends a write, with a key or without, and compares the record in its answer with the one that is read. */
async function write(method: Method, path: string, body: unknown, isKeyed: boolean): Promise<Written> {
  const headers = isKeyed ? { 'idempotency-key': randomUUID() } : {}
  const written = await s.call(method, path, body, { headers })
  assert.deepEqual(written, await s.call('GET', `/${written.id}`), `${method} ${path}`)
  return written
}

/** The same for rows of a bulk answer, which are summaries. */
async function writeRows(path: string, body: unknown, list: string, isKeyed: boolean): Promise<Written[]> {
  const headers = isKeyed ? { 'idempotency-key': randomUUID() } : {}
  const rows = (await s.call('POST', path, body, { headers }))[list]
  assert.ok(rows.length > 0, path)
  for (const { index: _, warnings: __, ...row } of rows) {
    const read = await s.call('GET', `/${row.id}`)
    for (const name of Object.keys(row))
      if (Object.hasOwn(read, name)) assert.deepEqual(row[name], read[name], `${path}: ${name} of ${row.id}`)
  }
  return rows
}

for (const isKeyed of [false, true]) {
  const how = isKeyed ? 'with an Idempotency-Key' : 'without a key'

  test(`writes of one product ${how}`, async () => {
    const { id } = await write('POST', '', newProduct({ gtin: nextGtin() }), isKeyed)
    await write('PATCH', `/${id}`, { data: { weightGrams: 1 }, change_type: 'correction' }, isKeyed)
    await write('POST', `/${id}/versions/1/revert`, {}, isKeyed)
    await write('POST', `/${id}/archive`, undefined, isKeyed)
    await write('PATCH', `/${id}`, { data: { weightGrams: 2 } }, isKeyed)
    await write('POST', `/${id}/restore`, undefined, isKeyed)
    const sku = `put-${isKeyed}`
    await write('PUT', `/by-sku/${sku}`, newProduct({ sku }), isKeyed)
    await write('PUT', `/by-sku/${sku}`, { data: { weightGrams: 3 } }, isKeyed)
    await write('PUT', `/by-sku/${sku}`, { data: { weightGrams: 3 } }, isKeyed)
  })

  test(`writes of units ${how}, also of those that the call itself makes outdated`, async () => {
    const model = await s.model()
    const batch = await write('POST', `/${model}/children`, { level: 'batch', lot: 'L' }, isKeyed)
    const item = await write('POST', `/${batch.id}/children`, { level: 'item', serial: 'S' }, isKeyed)
    const bulk = { level: 'item', items: [{ serial: 'S2' }, { serial: 'S3' }] }
    await writeRows(`/${batch.id}/children`, bulk, 'created', isKeyed)
    for (const units of [
      [{ serial: 'S' }, { lot: 'L' }, { serial: 'S2' }],
      [{ lot: 'L' }, { serial: 'S' }],
    ]) {
      const items = units.map((unit, i) => ({ ...unit, data: { warrantyMonths: 10 + i + units.length } }))
      const body = { items, change_type: 'correction' }
      const rows = await writeRows(`/${model}/children/update`, body, 'updated', isKeyed)
      assert.equal(rows.find(({ id }) => id === item.id)?.outdated, true)
    }
    await write('PATCH', `/${item.id}`, { data: { warrantyMonths: null } }, isKeyed)
    await s.call('POST', `/${model}/refresh`)
    await write('POST', `/${item.id}/versions/1/revert`, { change_type: 'correction' }, isKeyed)
    await write('PATCH', `/${batch.id}`, { data: { warrantyMonths: 1 }, change_type: 'correction' }, isKeyed)
    await write('POST', `/${item.id}/archive`, undefined, isKeyed)
  })

  test(`rows of bulk calls ${how}`, async () => {
    const rows = (weightGrams: number, from: number) =>
      [0, 1, 2].map(i => newProduct({ sku: `rows-${isKeyed}-${from + i}`, weightGrams }))
    await writeRows('/bulk', { items: rows(1, 0) }, 'created', isKeyed)
    const body = { items: [...rows(2, 0), ...rows(1, 3)], change_type: 'correction' }
    await writeRows('/bulk', body, 'updated', isKeyed)
    await writeRows('/bulk', { items: rows(2, 0) }, 'unchanged', isKeyed)
  })
}
