/** Tests many of the largest passports at once: they are read and changed in chunks, and none is lost. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { exportContents, exportPassports } from '../../src/passports/copies/export-rows.ts'
import { type BulkState, readStatesInBatches } from '../../src/passports/core/state.ts'
import { exportModels } from '../../src/transfer/spreadsheets/export/export-models.ts'
import { ADDRESSES, newProduct } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

/** Together more than two chunks. */
const MODELS = 36
const LARGE = Array.from({ length: 90 }, (_, i) => `${i} ${'x'.repeat(10_000)}`)

let s: UnitStand
let models: string[]
before(async () => {
  s = await startUnitStand()
  models = []
  for (let i = 0; i < MODELS; i++) {
    const body = newProduct({ sku: `large-${i}`, own: LARGE })
    const { status, json } = await s.t.ask('POST', '/api/v1/products', { key: s.account.key, body })
    assert.equal(status, 201)
    models.push(json.data.id)
  }
})
after(() => s.close())

const uuid = (id: string) => parseId(id) ?? ''
const bulk = async (items: object[], query = '') => {
  const { status, json } = await s.t.ask('POST', `/api/v1/products/bulk${query}`, {
    key: s.account.key,
    body: { items },
  })
  assert.equal(status, 200)
  return json.data
}

describe('many of the largest passports', () => {
  test('are listed in chunks, each once, newest first', async () => {
    const pieces: string[][] = []
    for await (const states of readStatesInBatches(s.account.ctx, [
      ...models.map(uuid),
      uuid(models[0] ?? ''),
    ])) {
      pieces.push(states.map(state => state.row.id))
    }
    assert.ok(pieces.length >= 2 && pieces.length < MODELS, `${pieces.length} pieces`)
    assert.deepEqual(pieces.flat(), models.map(uuid).toReversed())
  })

  test('units of the largest model share its content: 40 are one chunk, whether they have own fields or not', async () => {
    const model = models[1] ?? ''
    const units = await s.items(model, 'shared', 40)
    await s.call('PATCH', `/${units[3]}`, { data: { weightGrams: 3 } })
    const pieces: BulkState[][] = []
    for await (const states of readStatesInBatches(s.account.ctx, units.map(uuid))) pieces.push(states)
    assert.equal(pieces.length, 1)
    const [states = []] = pieces
    assert.deepEqual(
      states.map(({ row }) => row.id),
      units.map(uuid).toReversed(),
    )
    assert.equal(new Set(states.map(({ inherited }) => inherited)).size, 1)
    assert.deepEqual(states.at(-4)?.own, { weightGrams: 3 })
    assert.deepEqual(states[0]?.inherited.own, LARGE)
  })

  test('are updated in one call, in the order of rows, beside new ones; a second row for one is rejected', async () => {
    const changes = models.map((_, i) => ({ data: { sku: `large-${i}`, weightGrams: i + 1 } }))
    const rows = [...changes, newProduct({ sku: 'new-1' }), { data: { sku: 'large-0', weightGrams: 7 } }]
    const dry = await bulk(rows, '?dry_run=true')
    const done = await bulk(rows)
    for (const { summary, updated, errors } of [dry, done]) {
      assert.deepEqual(summary, {
        requested: MODELS + 2,
        created: 1,
        updated: MODELS,
        unchanged: 0,
        failed: 1,
      })
      assert.deepEqual(
        updated.map((one: { index: number; sku: string }) => [one.index, one.sku]),
        models.map((_, i) => [i, `large-${i}`]),
      )
      assert.deepEqual([errors[0].index, errors[0].errors[0].code], [MODELS + 1, 'duplicate'])
    }
    const again = await bulk(changes)
    assert.equal(again.summary.unchanged, MODELS)
    for (const [i, id] of models.entries()) {
      const { version_no, data } = await s.call('GET', `/${id}`)
      assert.deepEqual([version_no, data.weightGrams, data.own], [2, i + 1, LARGE])
    }
  })

  test('are exported once each, as a spreadsheet and in an account export', async () => {
    const category = findCategory('textile')
    assert.ok(category)
    const wish = {
      category,
      status: undefined,
      q: 'large',
      format: 'csv',
      separator: ',',
      addresses: ADDRESSES,
      title: '',
    } as const
    let rows = 0
    for await (const piece of exportModels(s.account.ctx, wish))
      rows += piece.toString().match(/\/p\/[0-9a-z]{26}/g)?.length ?? 0
    assert.equal(rows, MODELS)
    const owners = new Set<string>()
    for await (const { owner } of exportContents(s.t.sql, s.account.ctx.accountId)) owners.add(owner)
    for (const id of models) assert.ok(owners.has(uuid(id)))
    const seen: string[] = []
    for await (const { passport } of exportPassports(s.t.sql, s.account.ctx.accountId))
      seen.push(passport.uuid)
    assert.equal(new Set(seen).size, seen.length)
    for (const id of models) assert.ok(seen.includes(uuid(id)))
  })

  test('500 units of a large model can be issued, changed and refreshed, and so can large units', async () => {
    const model = models[0] ?? ''
    const items = Array.from({ length: 500 }, (_, i) => ({ serial: `S${i}` }))
    const { json } = await s.ask('POST', `/${model}/children`, { level: 'item', items })
    assert.equal(json.data.summary.created, 500)
    const own = Array.from({ length: 20 }, (_, i) => ({ serial: `S${i}`, data: { mine: LARGE } }))
    for (let i = 0; i < own.length; i += 5) {
      const changed = await s.ask('POST', `/${model}/children/update`, { items: own.slice(i, i + 5) })
      assert.equal(changed.json.data.summary.updated, 5, changed.text)
    }
    const few = items.slice(0, 100).map(({ serial }) => ({ serial, data: { color: 'red' } }))
    const changed = await s.ask('POST', `/${model}/children/update`, { items: few })
    assert.equal(changed.json.data.summary.updated, 100)
    assert.equal(changed.json.data.updated[0].product_name, 'Test product')
    await s.correct(model, { weightGrams: 99 })
    const { refreshed, failed } = await s.call('POST', `/${model}/refresh`)
    assert.deepEqual([refreshed, failed], [500, []])
    assert.deepEqual(await s.call('GET', `/${model}/refresh`), { outdated: 0 })
  })
})
