import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nextGtin } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Row = Record<string, unknown> & { id: string; index: number; code: string; errors: Detail[] }
type Detail = { field: string; pointer: string; code: string; message: string; index?: number }

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const children = (parent: string, body: unknown, key?: string) =>
  s.ask('POST', `/${parent}/children`, body, key === undefined ? {} : { key })
const item = (serial: string, data?: object) => ({ serial, ...(data ? { data } : {}) })
const bulk = (parent: string, items: unknown, level = 'item', key?: string) =>
  children(parent, { level, items }, key)
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => item(`${prefix}${i}`))
const total = async (query: string, key = s.account.key) =>
  (await s.ask('GET', `?${query}`, undefined, { key })).json.meta.total

describe('POST /products/{id}/children, in bulk', () => {
  test('201: summaries in the order of index; events, counters and lists agree with them', async () => {
    const account = await s.t.account()
    const model = await s.model({ productName: 'Pack' }, account.key)
    const items = [item('b', { productName: 'Own', weightKg: 7 }), item('a'), item('c')]
    const { status, json } = await bulk(model, items, 'item', account.key)
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(json.data), ['created', 'errors', 'summary'])
    assert.deepEqual(json.data.summary, { requested: 3, created: 3, failed: 0 })
    assert.deepEqual(json.data.errors, [])
    const [first] = json.data.created
    const { index, ...summary } = first
    assert.deepEqual([index, summary.product_name, summary.serial], [0, 'Own', 'b'])
    assert.ok(!('data' in first))
    const listed = await s.ask('GET', `/${model}/children`, undefined, { key: account.key })
    assert.deepEqual(
      listed.json.data.toReversed(),
      json.data.created.map(({ index: _, ...row }: Row) => row),
    )
    assert.equal(await total('level=item', account.key), 3)
    assert.equal(await total('level=all', account.key), 4)
    assert.equal(await total('', account.key), 1)
    const events = await s.t
      .sql`select type, data from event where account_id = ${account.id} order by id offset 1`
    assert.deepEqual(
      events.map(one => [one.type, one.data]),
      json.data.created.map(({ id }: Row) => ['product.created', { id, category: 'battery', version_no: 1 }]),
    )
  })

  test('201: a mixed call stores the valid rows and reports each of the others', async () => {
    const { key, model } = await s.narrow(0, 5)
    await bulk(model, [item('there')], 'item', key)
    const rows = [
      item('g0'),
      item('bad one'),
      item('g0'),
      item('there'),
      'nothing',
      null,
      item('g6', { weightKg: 1 }),
      item('w', { weightKg: 'x' }),
      { serial: 'q', lot: 'L' },
      {},
      item('g10'),
      item('g11'),
      item('over'),
      item('over2'),
      item('gtin', { gtin: nextGtin() }),
      { ...item('s'), extra: 1 },
    ]
    const { status, json } = await bulk(model, rows, 'item', key)
    assert.equal(status, 201)
    assert.deepEqual(
      json.data.created.map((one: Row) => [one.index, one.serial]),
      [
        [0, 'g0'],
        [6, 'g6'],
        [10, 'g10'],
        [11, 'g11'],
      ],
    )
    assert.deepEqual(json.data.summary, { requested: 16, created: 4, failed: 12 })
    assert.deepEqual(
      json.data.errors.map((one: Row) => [
        one.index,
        one.code,
        one.errors?.map(({ pointer, code, index }) => `${pointer} ${code} ${index}`).join() ?? null,
      ]),
      [
        [1, 'validation', '/items/1/serial pattern 1'],
        [2, 'validation', '/items/2/serial serial_taken 2'],
        [3, 'validation', '/items/3/serial serial_taken 3'],
        [4, 'validation', '/items/4 type 4'],
        [5, 'validation', '/items/5 type 5'],
        [7, 'validation', '/items/7/data/weightKg type 7'],
        [8, 'validation', '/items/8/lot immutable 8'],
        [9, 'validation', '/items/9/serial required 9'],
        [12, 'plan_limit', null],
        [13, 'plan_limit', null],
        [14, 'validation', '/items/14/data/gtin immutable 14'],
        [15, 'validation', '/items/15/extra unknown_field 15'],
      ],
    )
    for (const one of json.data.errors) assert.ok(one.error.length > 10)
    assert.equal(await total('level=item', key), 5)
  })

  test('a row whose text cannot be stored does not affect the other rows', async () => {
    const model = await s.model()
    const { status, json } = await bulk(model, [
      item('1', { 'a\u0000b': 1 }),
      item('2', { note: '\ud800' }),
      item('3', { note: 1e308 }),
      item('4', { note: 'x\u0000' }),
      item('5', { deep: { '\udfff': 1 } }),
      item('6'),
    ])
    assert.equal(status, 201)
    assert.deepEqual(
      json.data.created.map((one: Row) => one.index),
      [2, 5],
    )
  })

  test('413: lists of items may have 8 MiB, a single unit 1 MiB', async () => {
    const model = await s.model()
    const large = { level: 'item', serial: '1', data: { own: Array(150).fill('x'.repeat(9_000)) } }
    const single = await s.ask('POST', `/${model}/children`, large)
    assert.deepEqual([single.status, single.json.code], [413, 'payload_too_large'])
    assert.match(single.json.error, /at most 1 MiB when it has no items/)
    for (const body of [[large], 'x'.repeat(2 ** 20)]) {
      assert.equal((await s.ask('POST', `/${model}/children?foo=1`, body)).status, 413)
      assert.equal((await s.ask('POST', `/${model}/children/update`, body)).status, 413)
    }
    const half = { ...large, data: { own: Array(100).fill('x'.repeat(9_000)) } }
    assert.equal((await s.ask('POST', `/${model}/children`, half)).status, 201)
    const more = ['2', '3', '4'].map(serial => ({ serial, data: half.data }))
    assert.equal((await bulk(model, more)).status, 201)
    // A row has the limit of a single body, 1 MiB.
    const one = await bulk(model, [item('5'), { serial: '6', data: large.data }, item('7')])
    assert.deepEqual([one.status, one.json.data.summary.created], [201, 2])
    const [error] = one.json.data.errors
    assert.deepEqual([error.index, error.errors[0].code, error.errors[0].pointer], [1, 'max', '/items/1'])
    assert.equal(error.errors[0].message, 'The row is longer than 1 MiB; shorten it.')
  })

  test('201: a warning is listed with its row', async () => {
    const { json } = await bulk(await s.model(), [item('1'), item('2', { wieghtKg: 3 })])
    const [plain, warned] = json.data.created
    assert.ok(!('warnings' in plain))
    assert.deepEqual([warned.warnings[0].field, warned.warnings[0].code], ['wieghtKg', 'unknown_field'])
  })

  test('201: all warnings are also listed beside data with the index of their row, at most 100', async () => {
    const few = await bulk(await s.model(), [
      item('1'),
      item('2', { wieghtKg: 3 }),
      item('3', { b: 1, c: 1 }),
    ])
    assert.deepEqual(
      few.json.warnings.map((one: Row & { pointer: string }) => [one.index, one.pointer, one.code]),
      [
        [1, '/items/1/data/wieghtKg', 'unknown_field'],
        [2, '/items/2/data/b', 'unknown_field'],
        [2, '/items/2/data/c', 'unknown_field'],
      ],
    )
    assert.equal(few.json.truncated, undefined)
    const rows = Array.from({ length: 101 }, (_, i) => item(`${i}`, { wieghtKg: i }))
    const many = await bulk(await s.model(), rows)
    assert.deepEqual([many.json.warnings.length, many.json.truncated], [100, true])
    assert.equal(many.json.data.created.at(-1).warnings.length, 1)
  })

  test('batches can be issued in bulk, and so can items of a batch', async () => {
    const model = await s.model()
    const { json } = await bulk(model, [{ lot: 'A' }, { lot: 'B' }, { lot: 'A' }, {}], 'batch')
    assert.deepEqual(
      json.data.errors.map((one: Row) => [one.index, one.errors[0]?.code]),
      [
        [2, 'lot_taken'],
        [3, 'required'],
      ],
    )
    const [a] = json.data.created
    const under = (await bulk(a.id, [...numbered('S', 3), { serial: 'S9', lot: 'A' }])).json.data
    assert.deepEqual(
      under.created.map((one: Row) => [one.lot, one.serial, one.parent_id]),
      [
        ['A', 'S0', a.id],
        ['A', 'S1', a.id],
        ['A', 'S2', a.id],
        ['A', 'S9', a.id],
      ],
    )
    const none = await bulk(a.id, [{ lot: 'C' }], 'batch')
    assert.deepEqual([none.status, none.json.errors[0].field], [422, 'level'])
  })

  test('422: 0 items, 501 items or no list; 500 are accepted', async () => {
    const model = await s.model()
    for (const [items, code] of [
      [[], 'length'],
      [numbered('x', 501), 'length'],
      [{}, 'type'],
      [null, 'type'],
    ] as const) {
      const { status, json } = await bulk(model, items)
      assert.deepEqual([status, json.errors[0].field, json.errors[0].code], [422, 'items', code])
    }
    assert.equal((await children(model, { level: 'item', items: [], serial: '1' })).status, 422)
    assert.equal((await s.ask('GET', `/${model}/children`)).json.meta.total, 0)
    const { status, json } = await bulk(model, numbered('x', 500))
    assert.deepEqual([status, json.data.created.length], [201, 500])
    const again = await bulk(model, numbered('x', 500))
    assert.deepEqual([again.status, again.json.errors.length, again.json.truncated], [422, 100, true])
  })

  test('422: if no row could be issued, all details with their index', async () => {
    const { key, model } = await s.narrow(0, 1)
    assert.equal((await bulk(model, [item('1')], 'item', key)).status, 201)
    const { status, json } = await bulk(model, [item('1'), item('a b'), item('2')], 'item', key)
    assert.deepEqual([status, json.code], [422, 'validation'])
    assert.deepEqual(
      json.errors.map((one: Detail) => [one.index, one.pointer, one.code]),
      [
        [0, '/items/0/serial', 'serial_taken'],
        [1, '/items/1/serial', 'pattern'],
        [2, '/items/2', 'plan_limit'],
      ],
    )
  })

  test('403 plan_limit: if every row exceeds the quota', async () => {
    const { key, model, usage } = await s.narrow(0, 0)
    const { status, json } = await bulk(model, numbered('x', 3), 'item', key)
    assert.deepEqual([status, json.code], [403, 'plan_limit'])
    assert.deepEqual(
      json.errors.map((one: Detail) => [one.index, one.code]),
      [
        [0, 'plan_limit'],
        [1, 'plan_limit'],
        [2, 'plan_limit'],
      ],
    )
    assert.equal(await usage('i'), 0)
  })

  test('two concurrent calls for 200 items with room for 50 issue exactly 50', async () => {
    const { key, model, usage } = await s.narrow(0, 50)
    const answers = await Promise.all([
      bulk(model, numbered('a', 100), 'item', key),
      bulk(model, numbered('b', 100), 'item', key),
    ])
    let created = 0
    for (const { status, json } of answers) {
      if (status === 201) {
        created += json.data.created.length
        assert.equal(json.data.created.length + json.data.errors.length, 100)
        for (const one of json.data.errors) assert.equal(one.code, 'plan_limit')
        const indexes = json.data.created.map((one: Row) => one.index)
        assert.deepEqual(
          indexes,
          indexes.map((_: number, i: number) => i),
        )
      } else assert.deepEqual([status, json.code], [403, 'plan_limit'])
    }
    assert.deepEqual([created, await usage('i'), await total('level=item', key)], [50, 50, 50])
  })

  test('the ids of one call sort by their place in it, also while other calls run', async () => {
    const model = await s.model({})
    const data = { productName: 'Own' }
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(prefix =>
        bulk(
          model,
          numbered(prefix, 500).map(({ serial }) => item(serial, data)),
        ),
      ),
    )
    for (const { json } of answers) {
      const ids = json.data.created.map((one: Row) => one.id)
      assert.equal(ids.length, 500)
      assert.deepEqual(ids, ids.toSorted())
    }
  })

  test('concurrent calls beyond the quota while the parent is archived: 201, 403 or 409, and the stored count agrees', async () => {
    const { key, model, usage } = await s.narrow(0, 20)
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, i) => bulk(model, numbered(`${'abcdefgh'[i]}`, 30), 'item', key)),
      s.ask('POST', `/${model}/archive`, undefined, { key }),
    ])
    for (const { status, text } of answers) assert.ok([200, 201, 403, 409].includes(status), text)
    const created = answers.flatMap(({ json }) => json.data?.created ?? [])
    assert.deepEqual([await usage('i'), await total('level=item', key)], [created.length, created.length])
  })

  test('40 concurrent single items with room for 10: exactly 10 are issued', async () => {
    const { key, model, usage } = await s.narrow(0, 10)
    const answers = await Promise.all(
      numbered('a', 40).map(one => children(model, { level: 'item', ...one }, key)),
    )
    assert.equal(answers.filter(one => one.status === 201).length, 10)
    assert.equal(answers.filter(one => one.json.code === 'plan_limit').length, 30)
    assert.equal(await usage('i'), 10)
  })

  test('concurrent calls with the same serials in any order issue each once and answer each row', async () => {
    const { key, model, usage } = await s.narrow(10, 250)
    const serials = numbered('s', 200)
    const batch = (await s.call('POST', `/${model}/children`, { level: 'batch', lot: 'L' }, { key })).id
    const answers = await Promise.all([
      bulk(model, serials, 'item', key),
      bulk(batch, serials.toReversed(), 'item', key),
      bulk(model, [...serials.slice(100), ...serials.slice(0, 100)], 'item', key),
    ])
    const created: string[] = []
    for (const { status, json } of answers) {
      assert.ok(status === 201 || status === 422, `${status}`)
      if (status === 422) continue
      created.push(...json.data.created.map((one: Row) => one.serial as string))
      assert.deepEqual(json.data.summary.requested, 200)
      for (const one of json.data.errors) assert.equal(one.errors[0].code, 'serial_taken')
    }
    assert.deepEqual(created.sort(), serials.map(one => one.serial).sort())
    assert.deepEqual([await usage('i'), await total('level=item', key)], [200, 200])
  })

  test('a serial that another process issues at the same moment: its row is refused and has no event', async () => {
    const account = await s.t.account({ plan: 'enterprise' })
    const model = await s.model({}, account.key)
    const beside = await s.t.beside()
    const listEvents = async () =>
      (
        await s.t.sql<{ id: string }[]>`select data->>'id' as id from event where account_id = ${account.id}`
      ).map(({ id }) => id)
    try {
      const { answers } = await s.t.sql.begin(async tx => {
        // Units are inserted before they are counted.
        await tx`select from account_usage where account_id = ${account.id} for update`
        const path = `/api/v1/products/${model}/children`
        const body = { level: 'item', items: [item('A')] }
        const first = beside.ask('POST', path, { key: account.key, body })
        await waitForLocks(s.t.sql, 1)
        const second = bulk(model, [item('A'), item('B')], 'item', account.key)
        await waitForLocks(s.t.sql, 2)
        return { answers: Promise.all([first, second]) }
      })
      const [first, second] = await answers
      const issued = [...first.json.data.created, ...second.json.data.created]
      assert.deepEqual(
        issued.map((one: Row) => one.serial),
        ['A', 'B'],
      )
      assert.deepEqual(
        second.json.data.errors.map((one: Row) => [one.index, one.errors[0]?.code]),
        [[0, 'serial_taken']],
      )
      assert.deepEqual((await listEvents()).sort(), [model, ...issued.map((one: Row) => one.id)].sort())
    } finally {
      await beside.close()
    }
  })

  test('concurrent calls with the same serials beyond the quota: exactly the quota is issued, no serial twice', async () => {
    const { key, model, usage } = await s.narrow(0, 50)
    const serials = numbered('s', 80)
    const answers = await Promise.all(
      [serials, serials.toReversed(), serials].map(rows => bulk(model, rows, 'item', key)),
    )
    const created = answers.flatMap(({ json }) => json.data?.created ?? []).map((one: Row) => one.serial)
    assert.equal(new Set(created).size, created.length)
    const used = await usage('i')
    assert.equal(used, created.length)
    assert.ok(used <= 50)
    assert.equal(await total('level=item', key), used)
    for (const { status } of answers) assert.ok([201, 403, 422].includes(status), `${status}`)
  })

  test('units issued while their batch is changed and corrected match one of its versions, or are outdated', async () => {
    const model = await s.model({ weightKg: 3 })
    const batch = await s.batch(model, 'L')
    const work = Array.from({ length: 20 }, (_, i) => [
      s.item(batch, `s${i}`),
      s.call('PATCH', `/${batch}`, {
        change_type: i % 2 ? 'correction' : 'change',
        data: { weightKg: 10 + i, stateOfHealth: i },
      }),
    ])
    const ids = (await Promise.all(work.flat())).filter(one => typeof one === 'string')
    for (const id of ids) {
      const { data } = await s.call('GET', `/${id}`)
      assert.ok(
        (data.weightKg === 3 && data.stateOfHealth === undefined) ||
          data.weightKg === 10 + data.stateOfHealth,
      )
    }
    await s.call('POST', `/${batch}/refresh`)
    assert.equal((await s.call('GET', `/${model}/refresh`)).outdated, 0)
  })
})
