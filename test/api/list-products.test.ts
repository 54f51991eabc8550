import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

describe('GET /products', () => {
  let t: Harness
  let account: TestAccount
  let created: { id: string; version_no: number }[]
  const gtin = nextGtin()

  const NAMES = [
    'Merino base layer',
    'Merino socks',
    'Ärmelloses Hemd',
    '100% linen_sheet',
    'Back\\slash bag',
    'ΜΆΛΛΙΝΟ ΠΑΛΤΌ',
    ...Array.from({ length: 24 }, (_, i) => `Plain shirt ${i}`),
  ]

  before(async () => {
    t = await startHarness()
    account = await t.account()
    created = []
    for (const [i, productName] of NAMES.entries()) {
      const data = { productName, sku: `SKU-${i % 10}`, ...(i === 1 ? { gtin } : {}) }
      const body = newProduct(data, i % 3 === 2 ? 'furniture' : 'textile')
      created.unshift((await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data)
    }
    const stranger = await t.account()
    await t.ask('POST', '/api/v1/products', {
      key: stranger.key,
      body: newProduct({ productName: 'Merino of a stranger' }),
    })
  })
  after(() => t.close())

  const list = (query = '', key = account.key): Promise<Answer> =>
    t.ask('GET', `/api/v1/products${query}`, { key })
  const ids = (answer: Answer) => answer.json.data.map((one: { id: string }) => one.id)
  const names = (answer: Answer) => answer.json.data.map((one: { product_name: string }) => one.product_name)

  test('200: newest first, 25 a page, summaries without data', async () => {
    const answer = await list()
    assert.equal(answer.status, 200)
    assert.deepEqual(
      ids(answer),
      created.slice(0, 25).map(one => one.id),
    )
    const { meta } = answer.json
    assert.deepEqual(
      { ...meta, next_cursor: undefined },
      { page: 1, limit: 25, total: 30, total_pages: 2, has_more: true, next_cursor: undefined },
    )
    const [first] = answer.json.data
    assert.deepEqual(
      [first.product_name, first.sku, first.brand_name, first.parent_id, first.outdated, 'data' in first],
      ['Plain shirt 23', 'SKU-9', 'Testmarke', null, false, false],
    )
  })

  test('pages and cursors list the same rows without gap or repetition, also past the middle', async () => {
    for (const limit of [1, 7, 29, 30, 100]) {
      const byPage: string[] = []
      for (let page = 1; page <= Math.ceil(30 / limit); page++)
        byPage.push(...ids(await list(`?limit=${limit}&page=${page}`)))
      const byCursor: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const answer = await list(`?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
        byCursor.push(...ids(answer))
        cursor = answer.json.meta.next_cursor
      }
      const expected = created.map(one => one.id)
      assert.deepEqual(byPage, expected)
      assert.deepEqual(byCursor, expected)
    }
  })

  test('a page beyond the last is empty', async () => {
    const { json } = await list('?page=999999999&limit=100')
    assert.deepEqual([json.data, json.meta.has_more, json.meta.next_cursor], [[], false, null])
  })

  test('an empty account has an empty list', async () => {
    const empty = await t.account()
    const { json } = await list('', empty.key)
    assert.deepEqual([json.data, json.meta.total, json.meta.total_pages], [[], 0, 0])
  })

  describe('q', () => {
    for (const [q, expected] of [
      ['merino', ['Merino socks', 'Merino base layer']],
      ['ERINO S', ['Merino socks']],
      [' \tmerino socks ', ['Merino socks']],
      ['ärmel', ['Ärmelloses Hemd']],
      ['A\u0308RMEL', ['Ärmelloses Hemd']],
      ['μάλλινο', ['ΜΆΛΛΙΝΟ ΠΑΛΤΌ']],
      ['100%', ['100% linen_sheet']],
      ['n_s', ['100% linen_sheet']],
      ['k\\s', ['Back\\slash bag']],
      ['\\', ['Back\\slash bag']],
      ["'; drop table passport; --", []],
      ['nowhere', []],
    ] as const) {
      test(`"${q}" finds ${expected.length}`, async () => {
        const answer = await list(`?q=${encodeURIComponent(q)}`)
        assert.deepEqual(names(answer), expected)
        assert.equal(answer.json.meta.total, expected.length)
      })
    }

    test('finds SKU and GTIN, and pages through many hits', async () => {
      assert.equal((await list('?q=sku-3')).json.meta.total, 3)
      assert.deepEqual(names(await list(`?q=${gtin.slice(2, 11)}`)), ['Merino socks'])
      assert.deepEqual(names(await list('?q=plain&limit=10&page=3')), [
        'Plain shirt 3',
        'Plain shirt 2',
        'Plain shirt 1',
        'Plain shirt 0',
      ])
      const first = await list('?q=plain&limit=20')
      assert.equal(names(await list(`?q=plain&limit=20&cursor=${first.json.meta.next_cursor}`)).length, 4)
    })

    test('a word that every product contains is counted to 10,000, and the response says so', async () => {
      const large = await t.account({ plan: 'enterprise' })
      const { fill } = await import('../fill-database.ts')
      const loaded = await fill(t.sql, { accountId: large.id, count: 10_050, word: 'jersey' })
      const { idFromUuid } = await import('../../src/kernel/crypto/ids.ts')
      const newest = loaded.toReversed().map(idFromUuid)
      const answer = await list('?q=jersey&limit=100', large.key)
      assert.deepEqual(ids(answer), newest.slice(0, 100))
      assert.deepEqual([answer.json.meta.total, answer.json.meta.total_capped], [10_000, true])
      assert.deepEqual(ids(await list('?q=jersey&limit=50&page=4', large.key)), newest.slice(150, 200))
      const last = await list('?q=jersey&limit=50&page=200', large.key)
      assert.deepEqual(ids(last), newest.slice(9_950, 10_000))
      assert.equal(last.json.meta.has_more, true)
      const uncounted = await list(`?q=jersey&limit=50&cursor=${last.json.meta.next_cursor}`, large.key)
      assert.deepEqual(ids(uncounted), newest.slice(10_000))
      assert.equal(uncounted.json.meta.next_cursor, null)
      assert.deepEqual(ids(await list('?limit=50&page=201', large.key)), newest.slice(10_000))
      assert.deepEqual(ids(await list('?limit=20&page=502', large.key)), newest.slice(10_020, 10_040))
    })

    test('a common word over all levels lists products and items by serial in one order', async () => {
      const large = await t.account({ plan: 'enterprise' })
      const { fill, fillItems } = await import('../fill-database.ts')
      const accountId = large.id
      const models = (await fill(t.sql, { accountId, count: 10_050, word: 'jersey' })).slice(0, 1)
      for (const prefix of ['jersey-', 'other-'])
        await fillItems(t.sql, { accountId, models, each: 30, prefix })
      const { idFromUuid } = await import('../../src/kernel/crypto/ids.ts')
      const rows = await t.sql<{ id: string }[]>`
        select id from passport where account_id = ${accountId} and (level = 'm' or serial like 'jersey-%')
        order by id desc limit 200`
      const newest = rows.map(({ id }) => idFromUuid(id))
      const first = await list('?q=jersey&level=all&limit=50', large.key)
      assert.deepEqual(ids(first), newest.slice(0, 50))
      assert.deepEqual([first.json.meta.total, first.json.meta.total_capped], [10_000, true])
      const next = `?q=jersey&level=all&limit=50&cursor=${first.json.meta.next_cursor}`
      assert.deepEqual(ids(await list(next, large.key)), newest.slice(50, 100))
      assert.deepEqual(
        ids(await list('?q=jersey&level=all&limit=50&page=4', large.key)),
        newest.slice(150, 200),
      )
    })
  })

  describe('filters', () => {
    test('filters by category, sku, gtin in any length, level, status, outdated', async () => {
      assert.equal((await list('?category=furniture')).json.meta.total, 10)
      assert.equal((await list('?sku=SKU-4')).json.meta.total, 3)
      assert.equal((await list('?sku=sku-4')).json.meta.total, 0)
      for (const same of [gtin, `0${gtin}`])
        assert.deepEqual(names(await list(`?gtin=${same}`)), ['Merino socks'])
      assert.equal((await list('?level=item')).json.meta.total, 0)
      assert.equal((await list('?level=batch')).json.meta.total, 0)
      assert.equal((await list('?level=all')).json.meta.total, 30)
      assert.equal((await list('?outdated=true')).json.meta.total, 0)
      assert.equal((await list('?outdated=false')).json.meta.total, 30)
    })

    test('status follows archive and restore, and so do the totals', async () => {
      const [{ id } = { id: '' }] = created
      await t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
      assert.deepEqual(ids(await list('?status=archived')), [id])
      assert.equal((await list('?status=active')).json.meta.total, 29)
      assert.equal((await list('?status=all')).json.meta.total, 30)
      await t.ask('POST', `/api/v1/products/${id}/restore`, { key: account.key })
      assert.equal((await list('?status=archived')).json.meta.total, 0)
    })

    test('q may have 500 characters, whatever their length in UTF-16', async () => {
      const { status, json } = await list(`?q=${encodeURIComponent('🪑'.repeat(500))}`)
      assert.deepEqual([status, json.data], [200, []])
    })

    test('updated_since', async () => {
      const since = new Date(Date.now() + 1000)
      t.clock.set(since)
      const [, { id } = { id: '' }] = created
      await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: {} } })
      t.clock.release()
      assert.deepEqual(ids(await list(`?updated_since=${since.toISOString()}`)), [id])
      assert.deepEqual(ids(await list('?updated_since=9999-12-31T23:59:59Z')), [])
      assert.ok(ids(await list('?updated_since=0001-01-01')).length > 0)
    })
  })

  describe('400', () => {
    for (const query of ['q=%zz', 'q=%FF', 'sku=%FF', 'q=%', 'limit=5&q=%E0%A4', '%zz=1', 'page=%zz']) {
      test(query, async () => {
        const { status, json } = await list(`?${query}`)
        assert.deepEqual([status, json.code], [400, 'bad_request'])
        assert.match(json.error, /percent-encoding/)
      })
    }

    test('404 for an unknown product, and 405, come before 400', async () => {
      const path = '/api/v1/products/01m7ywhcr7fxwrqq1xd4m28c2t?q=%zz'
      assert.equal((await t.ask('GET', path, { key: account.key })).status, 404)
      assert.equal((await t.ask('DELETE', path, { key: account.key })).status, 405)
    })
  })

  describe('422', () => {
    for (const query of [
      'category=none',
      'updated_since=2026-02-30T00:00:00Z',
      'updated_since=0000-01-01',
      'updated_since=0000-12-31T23:59:59Z',
      'q=a&updated_since=0000-02-29',
      'updated_since=9999-12-31T23:59:59-23:59',
      'limit=0',
      'limit=101',
      'limit=ten',
      'limit=1.5',
      'limit=',
      'page=0',
      'page=-1',
      'page=99999999999999999999',
      'status=deleted',
      'level=unit',
      'outdated=yes',
      'gtin=123',
      'cursor=zzz',
      'updated_since=soon',
      'q=',
      'q=%00',
      'q=%20%20',
      `lot=${'x'.repeat(21)}`,
      `serial=${'x'.repeat(21)}`,
      'limit=5&limit=6',
      'q[$ne]=1',
      'stauts=active',
      `q=${'x'.repeat(501)}`,
      `q=${encodeURIComponent('🪑'.repeat(501))}`,
      'page=2&cursor=01m7ywhcr7fxwrqq1xd4m28c2t',
    ]) {
      test(query.slice(0, 40), async () => {
        const { status, json } = await list(`?${query}`)
        assert.equal(status, 422)
        assert.equal(json.code, 'validation')
        assert.equal(json.errors.length, 1)
        assert.ok(json.errors[0].message.length > 10)
      })
    }

    test('an offset whose + became a space: explains how to write it', async () => {
      const since = '2026-11-01T00:00:00+02:00'
      const { status, json } = await list(`?updated_since=${since}`)
      assert.deepEqual([status, json.errors[0].code], [422, 'format'])
      assert.match(json.errors[0].message, /%2B/)
      assert.equal((await list(`?updated_since=${encodeURIComponent(since)}`)).status, 200)
    })

    test('an unknown category: lists the known ones', async () => {
      const { json } = await list('?category=shoes')
      assert.equal(json.errors[0].code, 'enum')
      assert.match(json.errors[0].message, /textile, battery, furniture/)
    })

    test('reports all wrong parameters at once', async () => {
      const { json } = await list('?limit=0&page=0&status=x')
      assert.deepEqual(json.errors.map((one: { field: string }) => one.field).sort(), [
        'limit',
        'page',
        'status',
      ])
    })
  })
})
