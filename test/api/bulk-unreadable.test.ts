/** Tests that a row which cannot be stored as sent gets its own error and does not affect other rows. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Detail = { index?: number; field: string; pointer: string; code: string; message: string }
type Row = { index: number; code: string; error: string; errors: Detail[] }

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const post = (path: string, text: string, headers: Record<string, string> = {}) =>
  s.t.ask('POST', `/api/v1/products${path}`, { key: s.account.key, text, headers })
const list = (rows: readonly string[], more = '') => `{${more}"items":[${rows.join(',')}]}`
const product = (sku: string) => JSON.stringify(newProduct({ sku }))
const deep = (depth: number) => `${'['.repeat(depth)}"]"${']'.repeat(depth)}`
const told = (details: readonly Detail[]) =>
  details.map(one => `${one.index} ${one.field} ${one.pointer} ${one.code}`)
const toldOf = (rows: readonly Row[]) => rows.map(one => [one.index, one.code, ...told(one.errors)])
const indexes = (rows: readonly Row[]) => rows.map(one => one.index)
const skus = async (prefix: string) => {
  const found = await s.t.ask('GET', `/api/v1/products?q=${prefix}`, { key: s.account.key })
  return found.json.data.map((one: { sku: string }) => one.sku).sort()
}

/** Members that a double, an object's keys or 32 levels cannot represent. `n` is the member's name. */
const UNREADABLE = [
  ['"n":1e999', 'n', 'format'],
  ['"n":0.12345678901234567890', 'n', 'format'],
  ['"n":1,"n":2', 'n', 'duplicate'],
  ['"__proto__":{"x":1}', '__proto__', 'unknown_field'],
] as const

describe('POST /products/bulk', () => {
  test('an unreadable row is reported like any other failed row, and the valid ones are stored', async () => {
    const bad = UNREADABLE.map(([json]) => `{"data":{"sku":"u-bad",${json}}}`)
    const rows = [product('u-0'), ...bad, `{"data":{"a":${deep(40)}}}`, '1e999', product('u-7'), '7']
    const { status, json } = await post('/bulk', list(rows))
    assert.equal(status, 200)
    assert.deepEqual(json.data.summary, { requested: 9, created: 2, updated: 0, unchanged: 0, failed: 7 })
    assert.deepEqual(indexes(json.data.created), [0, 7])
    assert.deepEqual(toldOf(json.data.errors), [
      ...UNREADABLE.map(([, field, code], i) => [
        i + 1,
        'validation',
        `${i + 1} ${field} /items/${i + 1}/data/${field} ${code}`,
      ]),
      [5, 'validation', `5 a${'[0]'.repeat(28)} /items/5/data/a${'/0'.repeat(28)} max`],
      [6, 'validation', '6  /items/6 format'],
      [8, 'validation', '8  /items/8 type'],
    ])
    for (const row of json.data.errors) assert.ok(row.error.startsWith(row.errors[0].message.slice(0, 5)))
    assert.deepEqual(await skus('u-'), ['u-0', 'u-7'])
    assert.equal(({} as Record<string, unknown>).x, undefined)
  })

  test('each row has the limits of a single body: members, entries, values and length', async () => {
    const zeros = (count: number) => `[${Array(count).fill('0').join(',')}]`
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')
    const row = (own: string) => product('b-bad').replace('"data":{', `"data":{"own":${own},`)
    const rows = [
      product('b-0'),
      row(`{${members(2_001)}}`),
      row(zeros(1_001)),
      row(`[${Array(21).fill(zeros(1_000)).join(',')}]`),
      row(
        `[${Array(110)
          .fill(`"${'x'.repeat(9_900)}"`)
          .join(',')}]`,
      ),
      product('b-5'),
      // Each row is within the bounds, all together are far beyond them.
      ...Array.from({ length: 25 }, (_, i) =>
        product(`b-1${i}`).replace('"data":{', `"data":{"own":${zeros(990)},`),
      ),
    ]
    const { status, json } = await post('/bulk', list(rows))
    assert.deepEqual([status, json.data.summary.created], [200, 27])
    assert.deepEqual(toldOf(json.data.errors), [
      [1, 'validation', '1 own /items/1/data/own max'],
      [2, 'validation', '2 own /items/2/data/own max'],
      [3, 'validation', '3  /items/3 max'],
      [4, 'validation', '4  /items/4 max'],
    ])
    // The longest row is also detected when it is the last row.
    const last = await post('/bulk', list([product('b-6'), rows[4] ?? '']))
    assert.deepEqual(toldOf(last.json.data.errors), [[1, 'validation', '1  /items/1 max']])
  })

  test('an unreadable row is never a duplicate of another row', async () => {
    const { json } = await post('/bulk', list(['{"data":{"sku":"v-0","n":1e999}}', product('v-0')]))
    assert.deepEqual([indexes(json.data.errors), indexes(json.data.created)], [[0], [1]])
  })

  test('reports each of more than 100 unreadable rows and accepts none', async () => {
    const rows = Array.from({ length: 499 }, (_, i) => `{"data":{"sku":"w-${i}","n":1e999}}`)
    const { status, json } = await post('/bulk', list([...rows, product('w-last')]))
    assert.deepEqual([status, json.data.summary.created, json.data.summary.failed], [200, 1, 499])
    assert.deepEqual(await skus('w-'), ['w-last'])
    const many = `{"data":{${Array.from({ length: 300 }, (_, i) => `"n${i}":1e999`).join(',')}}}`
    const answer = await post('/bulk', list([many, product('w-next'), '{"n":1e999}']))
    assert.deepEqual(
      answer.json.data.errors.map((row: Row) => row.errors.length),
      [100, 1],
    )
  })

  test('422 with the details of every row if no row was valid; dry runs answer the same', async () => {
    for (const query of ['', '?dry_run=true']) {
      const { status, json } = await post(`/bulk${query}`, list(['{"data":{"n":1e999}}', '{"data":{}}']))
      assert.deepEqual([status, json.code], [422, 'validation'])
      assert.deepEqual(told(json.errors), ['0 n /items/0/data/n format', '1 sku /items/1/data/sku required'])
    }
    const { json } = await post('/bulk?dry_run=true', list([product('x-0'), '{"data":{"n":1e999}}']))
    assert.deepEqual(
      [json.meta, indexes(json.data.created), indexes(json.data.errors)],
      [{ dry_run: true }, [0], [1]],
    )
    assert.deepEqual(await skus('x-'), [])
  })

  test('an error outside the rows rejects the whole call and lists everything that was found', async () => {
    for (const [more, field] of [
      ['"note":1e999,', 'note'],
      ['"items":[],', 'items'],
      ['"__proto__":[],', '__proto__'],
      [`"a":${deep(32)},`, `a${'[0]'.repeat(31)}`],
    ] as const) {
      const { status, json } = await post('/bulk', list([product('y-0'), '{"data":{"n":1e999}}'], more))
      assert.deepEqual([status, json.errors[0].field, json.errors[0].index], [422, field, undefined])
      assert.deepEqual(told(json.errors.slice(1)), ['1 n /items/1/data/n format'])
    }
    const tooMany = await post('/bulk', list(Array.from({ length: 600 }, () => '1e999')))
    assert.deepEqual(
      tooMany.json.errors.map((one: Detail) => [one.field, one.code]),
      [['items', 'length']],
    )
    assert.deepEqual(await skus('y-'), [])
  })

  test('lists elsewhere in the body, and in other calls, are not treated as rows', async () => {
    for (const [path, text] of [
      ['/bulk', '{"items":{"items":[1e999]}}'],
      ['/bulk', '{"other":{"items":[1e999]}}'],
      ['/bulk', '[[1e999]]'],
      ['', '{"items":[1e999]}'],
    ] as const) {
      const { status, json } = await post(path, text)
      assert.deepEqual([status, json.errors[0].code, json.errors[0].index], [422, 'format', undefined])
    }
  })

  test('an Idempotency-Key replays the answer with its failed rows', async () => {
    const headers = { 'idempotency-key': 'with a bad row' }
    const text = list([product('z-0'), '{"data":{"n":1e999}}'])
    const [first, again] = [await post('/bulk', text, headers), await post('/bulk', text, headers)]
    assert.equal(first.json.data.summary.created, 1)
    assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
  })
})

describe('units', () => {
  test('POST /products/{id}/children', async () => {
    const model = await s.model()
    const bad = UNREADABLE.map(([json], i) => `{"serial":"b${i}","data":{${json}}}`)
    const rows = ['{"serial":"a"}', ...bad, '{"serial":99.123456789012345678}', '{"serial":"c"}']
    const { status, json } = await post(`/${model}/children`, list(rows, '"level":"item",'))
    assert.equal(status, 201)
    assert.deepEqual(indexes(json.data.created), [0, 6])
    assert.deepEqual(toldOf(json.data.errors), [
      ...UNREADABLE.map(([, field, code], i) => [
        i + 1,
        'validation',
        `${i + 1} ${field} /items/${i + 1}/data/${field} ${code}`,
      ]),
      [5, 'validation', '5 serial /items/5/serial format'],
    ])
    const one = await post(`/${model}/children`, '{"level":"item","serial":"d","data":{"items":[1e999]}}')
    assert.deepEqual([one.status, told(one.json.errors)], [422, ['undefined items[0] /data/items/0 format']])
  })

  test('POST /products/{id}/children/update', async () => {
    const model = await s.model()
    const [a] = await s.items(model, 'u', 3)
    const rows = [
      '{"serial":"u0","data":{"items":{"0":1e999}}}',
      '{"serial":"u0","data":{"stateOfHealth":90}}',
      '{"serial":"u1","data":{"stateOfHealth":99.123456789012345678}}',
      '{"serial":"u0","data":{}}',
      '{"items":{"4":1e999}}',
      '{"serial":"u2","data":{"stateOfHealth":80}}',
    ]
    const { status, json } = await post(`/${model}/children/update`, list(rows))
    assert.equal(status, 200)
    assert.deepEqual(indexes(json.data.updated), [1, 5])
    assert.deepEqual(toldOf(json.data.errors), [
      [0, 'validation', '0 items.0 /items/0/data/items/0 format'],
      [2, 'validation', '2 stateOfHealth /items/2/data/stateOfHealth format'],
      [3, 'validation', '3 serial /items/3/serial duplicate'],
      [4, 'validation', '4 items.4 /items/4/items/4 format'],
    ])
    assert.equal((await s.call('GET', `/${a}`)).data.stateOfHealth, 90)
  })
})
