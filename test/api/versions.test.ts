import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

describe('GET /products/{id}/versions', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const create = async () =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ weightGrams: 0 }) })).json
      .data
  const patch = (id: string, body: unknown) =>
    t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
  const get = (path: string) => t.ask('GET', `/api/v1/products/${path}`, { key: account.key })

  test('200: a product that never changed has one version', async () => {
    const product = await create()
    const { json } = await get(`${product.id}/versions`)
    assert.deepEqual(json.data, [
      {
        version_no: 1,
        change_type: null,
        changed: [],
        created_at: product.created_at,
        created_by: 'test full',
        note: null,
      },
    ])
    assert.equal(json.meta.total, 1)
    assert.deepEqual((await get(`${product.id}/versions/1`)).json.data, product)
  })

  test('200: newest first, with what changed, why, and by whom', async () => {
    const product = await create()
    await patch(product.id, {
      data: { weightGrams: 1, sku: 'N' },
      note: 'weighed again',
      change_type: 'correction',
    })
    const second = (await patch(product.id, { data: { weightGrams: 2 } })).json.data
    const { json } = await get(`${product.id}/versions`)
    assert.deepEqual(
      json.data.map((one: Record<string, unknown>) => [
        one.version_no,
        one.change_type,
        one.changed,
        one.note,
        one.created_by,
      ]),
      [
        [3, 'change', ['weightGrams'], null, 'test full'],
        [2, 'correction', ['sku', 'weightGrams'], 'weighed again', 'test full'],
        [1, null, [], null, 'test full'],
      ],
    )
    assert.equal(json.data[0].created_at, second.updated_at)
    assert.deepEqual((await get(`${product.id}/versions/1`)).json.data.data, product.data)
    assert.equal((await get(`${product.id}/versions/2`)).json.data.data.weightGrams, 1)
    assert.deepEqual((await get(`${product.id}/versions/3`)).json.data, second)
  })

  test('200: many versions are split into pages', async () => {
    const product = await create()
    for (let i = 1; i <= 6; i++) await patch(product.id, { data: { weightGrams: i } })
    const page = async (n: number) => (await get(`${product.id}/versions?limit=3&page=${n}`)).json
    assert.deepEqual(
      (await page(1)).data.map((one: { version_no: number }) => one.version_no),
      [7, 6, 5],
    )
    assert.deepEqual(
      (await page(3)).data.map((one: { version_no: number }) => one.version_no),
      [1],
    )
    assert.deepEqual((await page(3)).meta, {
      page: 3,
      limit: 3,
      total: 7,
      total_pages: 3,
      has_more: false,
      next_cursor: null,
    })
    assert.deepEqual((await page(4)).data, [])
    assert.deepEqual((await page(1_000_000_000)).data, [])
    assert.deepEqual((await get(`${product.id}/versions?limit=100&page=1000000000`)).json.data, [])
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await get(`${product.id}/versions?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...json.data.map((one: { version_no: number }) => one.version_no))
      cursor = json.meta.next_cursor
    }
    assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1])
  })

  test('404: an unknown version, and a product of another account', async () => {
    const product = await create()
    for (const n of ['0', '2', '-1', '1.0', '01', 'x', '99999999999999999999']) {
      assert.equal((await get(`${product.id}/versions/${n}`)).status, 404)
    }
    const stranger = await t.account()
    for (const path of ['versions', 'versions/1']) {
      assert.equal(
        (await t.ask('GET', `/api/v1/products/${product.id}/${path}`, { key: stranger.key })).status,
        404,
      )
    }
  })

  test('the database itself rejects changing or deleting a version', async () => {
    const product = await create()
    await patch(product.id, { data: { weightGrams: 1 } })
    for (const statement of [
      'update passport_version set note = null',
      'delete from passport_version',
      "update content set data = '{}'",
      'delete from content',
      'truncate passport_status',
    ]) {
      await assert.rejects(t.sql.unsafe(statement), /never changed and never deleted/, statement)
    }
  })
})

describe('POST /products/{id}/archive and /restore', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const post = (path: string, key = account.key) => t.ask('POST', `/api/v1/products/${path}`, { key })

  test('200: archives and restores, idempotently, without a version and with one event each', async () => {
    const product = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
      .data
    const archived = await post(`${product.id}/archive`)
    assert.equal(archived.status, 200)
    assert.deepEqual([archived.json.data.status, archived.json.data.version_no], ['archived', 1])
    assert.equal(archived.headers.etag, '"v1.archived"')
    assert.deepEqual((await post(`${product.id}/archive`)).json, archived.json)
    const restored = await post(`${product.id}/restore`)
    assert.equal(restored.json.data.status, 'active')
    assert.ok(restored.json.data.updated_at > product.updated_at)
    assert.equal((await post(`${product.id}/restore`)).status, 200)
    const events = await t.sql`select type from event where data->>'id' = ${product.id} order by id`
    assert.deepEqual(
      events.map(row => row.type),
      ['product.created', 'product.archived', 'product.restored'],
    )
  })

  test('20 concurrent archives: one event, correct counters', async () => {
    const busy = await t.account()
    const product = (await t.ask('POST', '/api/v1/products', { key: busy.key, body: newProduct() })).json.data
    await Promise.all(Array.from({ length: 20 }, () => post(`${product.id}/archive`, busy.key)))
    const events =
      await t.sql`select type from event where data->>'id' = ${product.id} and type = 'product.archived'`
    assert.equal(events.length, 1)
    const { json } = await t.ask('GET', '/api/v1/products?status=archived', { key: busy.key })
    assert.equal(json.meta.total, 1)
  })

  test('archiving and restoring at the same moment never fails with 500', async () => {
    const product = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
      .data
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => post(`${product.id}/${i % 2 === 0 ? 'archive' : 'restore'}`)),
    )
    assert.deepEqual([...new Set(answers.map(one => one.status))], [200])
  })

  test('404 for a product of another account, 422 for a parameter', async () => {
    const stranger = await t.account()
    const product = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
      .data
    assert.equal((await post(`${product.id}/archive`, stranger.key)).status, 404)
    assert.equal((await post(`${product.id}/archive?force=1`)).status, 422)
  })
})
