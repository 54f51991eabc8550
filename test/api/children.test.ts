import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { CORES, newProduct, nextGtin } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Detail = { field: string; pointer: string; code: string; message: string; index?: number }

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const children = (parent: string, body: unknown, key?: string) =>
  s.ask('POST', `/${parent}/children`, body, key === undefined ? {} : { key })
const item = (serial: string, data?: object) => ({ serial, ...(data ? { data } : {}) })
const total = async (query: string, key = s.account.key) =>
  (await s.ask('GET', `?${query}`, undefined, { key })).json.meta.total

describe('POST /products/{id}/children, one unit', () => {
  test('201: the full record, as a later GET returns it; all four GS1 addresses', async () => {
    const gtin = nextGtin()
    const path = `https://carnet.example/01/0${gtin}`
    const model = await s.model({ gtin, weightKg: 3 })
    const parent = await s.call('GET', `/${model}`)
    assert.equal(parent.gs1_url, path)
    const answer = await children(model, { level: 'batch', lot: 'A/1%2', data: { weightKg: 4 } })
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.etag, '"v1"')
    const batch = answer.json.data
    assert.equal(answer.headers.location, `https://carnet.example/api/v1/products/${batch.id}`)
    assert.deepEqual(batch, {
      id: batch.id,
      category: 'battery',
      level: 'batch',
      status: 'active',
      gtin,
      lot: 'A/1%2',
      serial: null,
      version_no: 1,
      updated_at: batch.created_at,
      created_at: batch.created_at,
      passport_url: `https://carnet.example/p/${batch.id}`,
      gs1_url: `${path}/10/A%2F1%252`,
      qr_url: `https://carnet.example/api/v1/products/${batch.id}/qr`,
      parent_id: model,
      outdated: false,
      data: { ...parent.data, weightKg: 4 },
    })
    const under = (await children(batch.id, { level: 'item', serial: 'S+1' })).json.data
    assert.deepEqual(
      [under.level, under.lot, under.serial, under.gtin, under.parent_id, under.gs1_url, under.data.weightKg],
      ['item', 'A/1%2', 'S+1', gtin, batch.id, `${path}/10/A%2F1%252/21/S%2B1`, 4],
    )
    const direct = (await children(model, { level: 'item', serial: 'S2' })).json.data
    assert.deepEqual(
      [direct.lot, direct.parent_id, direct.gs1_url, direct.data],
      [null, model, `${path}/21/S2`, parent.data],
    )
    for (const record of [batch, under, direct])
      assert.deepEqual(await s.call('GET', `/${record.id}`), record)
  })

  test('201: without a GTIN there is no GS1 address; all 82 characters are accepted', async () => {
    const { id: model } = await s.call('POST', '', newProduct({}, 'battery'))
    const all = `!"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`
    for (let from = 0; from < all.length; from += 20) {
      const { data } = (await children(model, { level: 'batch', lot: all.slice(from, from + 20) })).json
      assert.deepEqual([data.lot, data.gtin, data.gs1_url], [all.slice(from, from + 20), null, null])
    }
  })

  test('201: null means not sent; the batch’s own lot may be repeated; data may be empty', async () => {
    const model = await s.model({ weightKg: 3 })
    const batch = (
      await children(model, { level: 'batch', lot: 'L', serial: null, data: { weightKg: null } })
    ).json.data
    assert.equal(batch.data.weightKg, 3)
    for (const [serial, lot] of [
      ['1', 'L'],
      ['2', null],
    ]) {
      const answer = await children(batch.id, { level: 'item', serial, lot, data: {} })
      assert.deepEqual([answer.status, answer.json?.data?.lot], [201, 'L'], answer.text)
    }
  })

  test('201: warns about the unit’s own unknown fields, not the model’s; strict rejects only the unit’s own', async () => {
    const model = await s.model({ colour: 'red' })
    const strict = { headers: { prefer: 'handling=strict' } }
    const answer = await children(model, { level: 'item', serial: '1', data: { wieght: 2, weightKg: 2 } })
    assert.deepEqual(
      answer.json.warnings.map((one: Detail) => [one.field, one.code]),
      [['wieght', 'unknown_field']],
    )
    const ok = await s.ask(
      'POST',
      `/${model}/children`,
      { level: 'item', serial: '2', data: { weightKg: 2 } },
      strict,
    )
    assert.equal(ok.status, 201, ok.text)
    assert.equal((await s.ask('PATCH', `/${ok.json.data.id}`, { data: { weightKg: 3 } }, strict)).status, 200)
    for (const refused of [
      await s.ask('POST', `/${model}/children`, { level: 'item', serial: '3', data: { wieght: 2 } }, strict),
      await s.ask('PATCH', `/${ok.json.data.id}`, { data: { wieght: 3 } }, strict),
    ]) {
      assert.equal(refused.status, 422)
      assert.deepEqual(
        refused.json.errors.map((one: Detail) => [one.pointer, one.code]),
        [['/data/wieght', 'unknown_field']],
      )
    }
  })

  test('a later change does not reach existing units; a new unit has it', async () => {
    const model = await s.model({ weightKg: 3 })
    const gtin = nextGtin()
    const batch = await s.batch(model, 'L')
    const old = await s.item(batch, 'old')
    await s.call('PATCH', `/${model}`, { data: { weightKg: 9, gtin } })
    const [was, now] = [await s.call('GET', `/${old}`), await s.call('GET', `/${await s.item(model, 'new')}`)]
    assert.deepEqual([was.data.weightKg, now.data.weightKg, now.gtin], [3, 9, gtin])
    assert.notEqual(was.gtin, gtin)
    assert.ok(was.gs1_url.includes(was.gtin))
    const later = await s.call('GET', `/${await s.item(batch, 'later')}`)
    assert.deepEqual([later.data.weightKg, later.gtin], [3, was.gtin])
    await s.call('PATCH', `/${batch}`, { data: { weightKg: 5 } })
    assert.equal((await s.call('GET', `/${later.id}`)).data.weightKg, 3)
    assert.equal((await s.call('GET', `/${await s.item(batch, 'latest')}`)).data.weightKg, 5)
  })

  for (const [name, body, field, code] of [
    ['no level', { serial: '1' }, 'level', 'required'],
    ['a model', { level: 'model', serial: '1' }, 'level', 'enum'],
    ['an item without serial', { level: 'item' }, 'serial', 'required'],
    ['an item with a null for serial', { level: 'item', serial: null }, 'serial', 'required'],
    ['a batch without lot', { level: 'batch' }, 'lot', 'required'],
    ['a number for a serial', { level: 'item', serial: 5 }, 'serial', 'type'],
    ['a serial that cannot become a text', { level: 'item', serial: { toString: 1 } }, 'serial', 'type'],
    ['a lot that cannot become a text', { level: 'batch', lot: { toString: 1 } }, 'lot', 'type'],
    ['an empty serial', { level: 'item', serial: '' }, 'serial', 'length'],
    ['21 characters', { level: 'item', serial: 'x'.repeat(21) }, 'serial', 'length'],
    ['a dot', { level: 'item', serial: '.' }, 'serial', 'pattern'],
    ['two dots', { level: 'batch', lot: '..' }, 'lot', 'pattern'],
    ['a space', { level: 'item', serial: 'a b' }, 'serial', 'pattern'],
    ['an umlaut', { level: 'item', serial: 'ä' }, 'serial', 'pattern'],
    ['a hash', { level: 'item', serial: '#1' }, 'serial', 'pattern'],
    ['a NUL', { level: 'item', serial: 'a\u0000' }, 'serial', 'pattern'],
    ['a lone surrogate', { level: 'item', serial: '\ud800' }, 'serial', 'pattern'],
    ['a lot for an item of a model', { level: 'item', serial: '1', lot: 'L' }, 'lot', 'immutable'],
    ['a serial for a batch', { level: 'batch', serial: '1', lot: 'L' }, 'serial', 'immutable'],
    ['a GTIN', { level: 'item', serial: '1', data: { gtin: '9520000000011' } }, 'gtin', 'immutable'],
    ['data that is none', { level: 'item', serial: '1', data: [] }, 'data', 'type'],
    ['a wrong value', { level: 'item', serial: '1', data: { weightKg: -1 } }, 'weightKg', 'min'],
    ['a member too many', { level: 'item', serial: '1', parent: 'x' }, 'parent', 'unknown_field'],
  ] as const) {
    test(`422: ${name}`, async () => {
      const model = await s.model()
      const { status, json } = await children(model, body)
      assert.equal(status, 422)
      assert.equal(json.code, 'validation')
      assert.deepEqual(
        json.errors.map((one: Detail) => [one.field, one.code]),
        [[field, code]],
      )
      assert.equal((await s.ask('GET', `/${model}/children`)).json.meta.total, 0)
    })
  }

  test('422: reports all errors at once', async () => {
    const { json } = await children(await s.model(), {
      level: 'item',
      lot: 'x',
      data: { gtin: 'x' },
    })
    assert.deepEqual(json.errors.map((one: Detail) => one.pointer).sort(), ['/data/gtin', '/lot', '/serial'])
  })

  test('422: a batch under a batch, anything under an item, another lot under a batch', async () => {
    const batch = await s.batch(await s.model(), 'L')
    const unit = await s.item(batch, '1')
    for (const [parent, body, field] of [
      [batch, { level: 'batch', lot: 'M' }, 'level'],
      [unit, { level: 'batch', lot: 'M' }, 'level'],
      [unit, { level: 'item', serial: '2' }, 'level'],
      [batch, { level: 'item', serial: '2', lot: 'M' }, 'lot'],
    ] as const) {
      const { status, json } = await children(parent, body)
      assert.deepEqual([status, json.errors[0].field], [422, field])
    }
  })

  test('422: a lot or serial already used under the model, in any of its batches; allowed under another model', async () => {
    const model = await s.model()
    const [a, b] = [await s.batch(model, 'A'), await s.batch(model, 'B')]
    await s.item(a, 'X')
    for (const [parent, body, field] of [
      [model, { level: 'batch', lot: 'A' }, 'lot'],
      [a, { level: 'item', serial: 'X' }, 'serial'],
      [b, { level: 'item', serial: 'X' }, 'serial'],
      [model, { level: 'item', serial: 'X' }, 'serial'],
    ] as const) {
      const { status, json } = await children(parent, body)
      assert.equal(status, 422)
      assert.deepEqual(
        [json.errors[0].field, json.errors[0].code, json.errors[0].pointer],
        [field, `${field}_taken`, `/${field}`],
      )
    }
    const other = await s.model()
    await s.item(await s.batch(other, 'A'), 'X')
    await s.item(model, 'x')
    await s.batch(model, 'X')
  })

  test('409: under an archived parent; its units stay, and after a restore units can be issued again', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L')
    await s.call('POST', `/${model}/archive`)
    for (const body of [
      { level: 'item', serial: '1' },
      { level: 'item', items: [item('1')] },
    ]) {
      const { status, json } = await children(model, body)
      assert.deepEqual([status, json.code], [409, 'archived'])
    }
    assert.equal((await s.call('GET', `/${batch}`)).status, 'active')
    await s.item(batch, '1')
    await s.call('POST', `/${model}/restore`)
    await s.item(model, '2')
  })

  test('409: under a batch that another process archives after it was read', async () => {
    const batch = await s.batch(await s.model(), 'L')
    const { answers } = await s.t.sql.begin(async tx => {
      await tx`select from passport where id = ${requireUuid(batch, 'product')} for update`
      const archived = s.ask('POST', `/${batch}/archive`)
      await waitForLocks(s.t.sql, 1)
      const issued = children(batch, { level: 'item', serial: '1' })
      await waitForLocks(s.t.sql, 2)
      return { answers: Promise.all([archived, issued]) }
    })
    const [archived, issued] = await answers
    assert.deepEqual([archived.status, issued.status, issued.json.code], [200, 409, 'archived'])
    await s.call('POST', `/${batch}/restore`)
    await s.item(batch, '1')
  })

  test('404: a parent of another account, whatever is sent', async () => {
    const stranger = await s.t.account()
    const model = await s.model()
    for (const body of [{ level: 'item', serial: '1' }, { level: 'item', items: [item('1')] }, 'nonsense'])
      assert.equal((await children(model, body, stranger.key)).status, 404)
    assert.equal((await s.ask('GET', `/${model}/children`, undefined, { key: stranger.key })).status, 404)
  })

  test('403 plan_limit: each level has its own quota', async () => {
    const { key, model, usage } = await s.narrow(1, 0)
    assert.equal((await children(model, { level: 'batch', lot: 'A' }, key)).status, 201)
    for (const body of [
      { level: 'batch', lot: 'B' },
      { level: 'item', serial: '1' },
    ]) {
      const { status, json } = await children(model, body, key)
      assert.deepEqual([status, json.code], [403, 'plan_limit'])
    }
    assert.deepEqual([await usage('b'), await usage('i')], [1, 0])
    const taken = await children(model, { level: 'batch', lot: 'A' }, key)
    assert.deepEqual([taken.status, taken.json.errors?.[0].code], [422, 'lot_taken'])
  })
})

describe('archiving, reading and announcing units', () => {
  test('archiving and restoring a unit updates counters and sends events, but makes no version', async () => {
    const account = await s.t.account()
    const more = { key: account.key }
    const model = await s.model({}, account.key)
    const { id } = await s.call('POST', `/${model}/children`, { level: 'item', serial: '1' }, more)
    await s.call('PATCH', `/${id}`, { data: { stateOfHealth: 90 } }, more)
    const archived = await s.call('POST', `/${id}/archive`, undefined, more)
    assert.deepEqual([archived.status, archived.version_no], ['archived', 2])
    assert.equal(await total('level=item&status=archived', account.key), 1)
    assert.equal(await total('level=item&status=active', account.key), 0)
    assert.equal(await total('status=active', account.key), 1)
    await s.call('PATCH', `/${id}`, { data: { stateOfHealth: 89 } }, more)
    await s.call('POST', `/${id}/restore`, undefined, more)
    assert.equal(await total('level=item&status=active', account.key), 1)
    const events = await s.t.sql`select type, data from event where data->>'id' = ${id} order by id`
    assert.deepEqual(
      events.map(one => [one.type, one.data.version_no]),
      [
        ['product.created', 1],
        ['product.updated', 2],
        ['product.archived', 2],
        ['product.updated', 3],
        ['product.restored', 3],
      ],
    )
  })

  test('a unit inherits the complete minimal data of a category', async () => {
    for (const category of ['textile', 'furniture'] as const) {
      const { id } = await s.call('POST', '', newProduct({}, category))
      const unit = await s.call('POST', `/${id}/children`, { level: 'item', serial: '1' })
      assert.deepEqual([unit.category, unit.data], [category, CORES[category]])
    }
  })
})
