import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nextGtin } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Row = { index: number; id: string; code: string; error: string; errors: Detail[]; version_no: number }
type Detail = { pointer: string; code: string; index: number }

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const update = (parent: string, items: unknown, more: object = {}) =>
  s.ask('POST', `/${parent}/children/update`, { items, ...more })
const soh = (serial: string, stateOfHealth: unknown) => ({ serial, data: { stateOfHealth } })

describe('POST /products/{id}/children/update', () => {
  test('422: all errors of a row', async () => {
    const row = { serial: 'a', lot: 'L', extra: 1, more: 2, data: 5 }
    const { status, json } = await update(await s.model(), [row])
    assert.equal(status, 422)
    assert.deepEqual(
      json.errors.map((one: Detail) => [one.index, one.pointer, one.code]),
      [
        [0, '/items/0/extra', 'unknown_field'],
        [0, '/items/0/more', 'unknown_field'],
        [0, '/items/0/lot', 'duplicate'],
        [0, '/items/0/data', 'type'],
      ],
    )
  })

  test('200: unknown fields beside data, in the order of their rows', async () => {
    const model = await s.model()
    await s.item(model, 'a')
    await s.item(model, 'b')
    const rows = [
      { serial: 'b', data: { stateOfHelth: 1 } },
      { serial: 'c', data: { x: 1 } },
      { serial: 'a', data: { y: 1 } },
    ]
    for (const query of ['?dry_run=true', '']) {
      const { json } = await s.ask('POST', `/${model}/children/update${query}`, { items: rows })
      assert.deepEqual(
        json.warnings.map((one: Detail) => [one.index, one.pointer, one.code]),
        [
          [0, '/items/0/data/stateOfHelth', 'unknown_field'],
          [2, '/items/2/data/y', 'unknown_field'],
        ],
      )
    }
  })

  test('200: a new version of each unit, summaries in the order of index, with type, note and event', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L')
    const [a, b] = [await s.item(model, 'a'), await s.item(batch, 'b', { stateOfHealth: 99 })]
    const rows = [soh('b', 97.5), soh('a', 98), { lot: 'L', data: { weightKg: 5 } }]
    const { status, json } = await update(model, rows, { change_type: 'correction', note: 'overnight' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json.data), ['updated', 'errors', 'summary'])
    assert.deepEqual(json.data.summary, { requested: 3, updated: 3, failed: 0 })
    assert.deepEqual(
      json.data.updated.map((one: Row) => [one.index, one.id, one.version_no]),
      [
        [0, b, 2],
        [1, a, 2],
        [2, batch, 2],
      ],
    )
    assert.ok(!('data' in json.data.updated[0]))
    assert.equal((await s.call('GET', `/${b}`)).data.stateOfHealth, 97.5)
    const [newest] = await s.call('GET', `/${a}/versions`)
    assert.deepEqual(
      [newest.change_type, newest.changed, newest.note],
      ['correction', ['stateOfHealth'], 'overnight'],
    )
    const events = await s.t.sql`select type from event where data->>'id' = ${a} order by id`
    assert.deepEqual(
      events.map(one => one.type),
      ['product.created', 'product.updated'],
    )
    assert.equal((await s.call('GET', `/${b}`)).outdated, true)
  })

  test('200: valid rows are stored, and each of the others is reported', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'M')
    await s.item(await s.batch(model, 'L'), 'a')
    await s.item(await s.model(), 'elsewhere')
    const rows = [
      soh('a', 90),
      soh('a', 80),
      soh('nowhere', 1),
      soh('elsewhere', 1),
      'x',
      null,
      {},
      { serial: 'a' },
      { lot: 'L', data: { gtin: nextGtin() } },
      { serial: 'a', lot: 'L', data: {} },
      { serial: 5, data: {} },
      { serial: 'a\u0000', data: {} },
      { serial: '\ud800', data: {} },
      { serial: 'a', data: {}, extra: 1 },
      { lot: 'M', serial: null, data: { weightKg: 4 } },
      { lot: 'a', data: {} },
      { serial: 'L', data: {} },
    ]
    const { status, json } = await update(model, rows)
    assert.equal(status, 200, JSON.stringify(json))
    assert.deepEqual(
      json.data.updated.map((one: Row) => one.index),
      [0, 14],
    )
    assert.deepEqual(
      json.data.errors.map((one: Row) => [
        one.index,
        one.code,
        one.errors?.map(({ pointer, code, index }) => `${pointer} ${code} ${index}`).join() ?? null,
      ]),
      [
        [1, 'validation', '/items/1/serial duplicate 1'],
        [2, 'not_found', null],
        [3, 'not_found', null],
        [4, 'validation', '/items/4 type 4'],
        [5, 'validation', '/items/5 type 5'],
        [6, 'validation', '/items/6/serial required 6,/items/6/data required 6'],
        [7, 'validation', '/items/7/serial duplicate 7,/items/7/data required 7'],
        [8, 'validation', '/items/8/data/gtin immutable 8'],
        [9, 'validation', '/items/9/lot duplicate 9'],
        [10, 'validation', '/items/10/serial type 10'],
        [11, 'not_found', null],
        [12, 'not_found', null],
        [13, 'validation', '/items/13/extra unknown_field 13'],
        [15, 'not_found', null],
        [16, 'not_found', null],
      ],
    )
    assert.equal((await s.call('GET', `/${batch}`)).data.weightKg, 4)
  })

  test('422 if no row was valid; each error says where', async () => {
    const model = await s.model()
    const id = await s.item(model, 'a')
    const { status, json } = await update(model, [soh('a', 101), soh('b', 1)])
    assert.deepEqual([status, json.code], [422, 'validation'])
    assert.deepEqual(
      json.errors.map((one: Detail) => [one.index, one.pointer, one.code]),
      [
        [0, '/items/0/data/stateOfHealth', 'max'],
        [1, '/items/1', 'not_found'],
      ],
    )
    assert.equal((await s.call('GET', `/${id}`)).version_no, 1)
  })

  test('422: 0 and 501 rows, no list, a wrong change_type, an unknown member; 404 for a product of another account', async () => {
    const model = await s.model()
    await s.item(model, 'a')
    const many = Array.from({ length: 501 }, (_, i) => soh(`x${i}`, 1))
    for (const items of [[], many, {}, undefined]) assert.equal((await update(model, items)).status, 422)
    assert.equal((await update(model, [soh('a', 1)], { change_type: 'x' })).status, 422)
    assert.equal((await update(model, [soh('a', 1)], { level: 'item' })).status, 422)
    const stranger = await s.t.account()
    const asked = await s.ask(
      'POST',
      `/${model}/children/update`,
      { items: [soh('a', 1)] },
      { key: stranger.key },
    )
    assert.equal(asked.status, 404)
  })

  test('a batch accepts only its own items; an item accepts none', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L')
    const inside = await s.item(batch, 'in')
    await s.item(model, 'out')
    const { json } = await update(batch, [soh('in', 5), soh('out', 5), { lot: 'L', data: {} }])
    assert.deepEqual(
      [json.data.updated.map((one: Row) => one.index), json.data.errors.map((one: Row) => one.code)],
      [[0], ['not_found', 'not_found']],
    )
    assert.equal((await update(inside, [soh('in', 5)])).status, 422)
  })

  test('500 rows, then null removes what they set, also if units or their parent are archived', async () => {
    const model = await s.model({ stateOfHealth: 100 })
    const ids = await s.items(model, 'u', 500)
    await s.call('POST', `/${ids[0]}/archive`)
    await s.call('POST', `/${model}/archive`)
    const changed = await update(
      model,
      ids.map((_, i) => soh(`u${i}`, i / 10)),
    )
    assert.deepEqual(changed.json.data.summary, { requested: 500, updated: 500, failed: 0 })
    const [first, last] = [await s.call('GET', `/${ids[0]}`), await s.call('GET', `/${ids[499]}`)]
    assert.deepEqual([first.data.stateOfHealth, first.status, last.data.stateOfHealth], [0, 'archived', 49.9])
    const dropped = await update(
      model,
      ids.map((_, i) => soh(`u${i}`, null)),
    )
    assert.equal(dropped.json.data.summary.updated, 500)
    const again = await s.call('GET', `/${ids[499]}`)
    assert.deepEqual([again.data.stateOfHealth, again.version_no], [100, 3])
    const [{ n } = { n: 0 }] = await s.t.sql<{ n: number }[]>`
      select count(*)::int as n from passport where own is not null and account_id = ${s.account.id} and lot is null
        and serial like 'u%'`
    assert.equal(n, 0)
  })

  test('concurrent lists of changes for the same units, by model and by batch: every unit has all changes', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'Z')
    const ids = await s.items(batch, 'z', 60)
    const night = (parent: string, data: object) =>
      update(
        parent,
        ids.map((_, i) => ({ serial: `z${i}`, data })),
      )
    const answers = await Promise.all([
      night(model, { stateOfHealth: 80 }),
      night(batch, { weightKg: 8 }),
      night(model, { nominalVoltage: 36 }),
      night(batch, { note: 'checked' }),
    ])
    for (const { json } of answers) assert.equal(json.data.summary.updated, 60)
    for (const id of ids) {
      const { data, version_no } = await s.call('GET', `/${id}`)
      assert.deepEqual(
        [data.stateOfHealth, data.weightKg, data.nominalVoltage, data.note, version_no],
        [80, 8, 36, 'checked', 5],
      )
    }
  })
})
