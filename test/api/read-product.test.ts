import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

describe('GET /products/{id}', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const create = async (data = {}) =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })).json.data
  const get = (path: string, headers: Record<string, string> = {}) =>
    t.ask('GET', `/api/v1/products/${path}`, { key: account.key, headers })

  test('200: 100 concurrent reads share statements and each gets its own product', async () => {
    const products = await Promise.all(Array.from({ length: 20 }, (_, i) => create({ sku: `R-${i}` })))
    const wanted = Array.from({ length: 100 }, (_, i) => products[i % 20])
    const answers = await Promise.all(wanted.map(product => get(product.id)))
    assert.deepEqual(
      answers.map(one => one.json.data),
      wanted,
    )
  })

  test('304: If-None-Match with the ETag, until the next version', async () => {
    const product = await create()
    const { headers } = await get(product.id)
    const etag = headers.etag ?? ''
    assert.equal((await get(product.id, { 'if-none-match': etag })).status, 304)
    assert.equal((await get(product.id, { 'if-none-match': `W/"x", W/${etag}` })).status, 304)
    await t.ask('PATCH', `/api/v1/products/${product.id}`, { key: account.key, body: { data: {} } })
    assert.equal((await get(product.id, { 'if-none-match': etag })).status, 200)
    await t.ask('POST', `/api/v1/products/${product.id}/archive`, { key: account.key })
    assert.equal((await get(product.id, { 'if-none-match': '"v2"' })).status, 200)
  })

  test('404: unknown and malformed ids and those of other accounts get the same response', async () => {
    const stranger = await t.account()
    const product = await create()
    const foreign = await t.ask('GET', `/api/v1/products/${product.id}`, { key: stranger.key })
    const ids = [
      '01m7ywhcr7fxwrqq1xd4m28c2t',
      'x',
      product.id.toUpperCase(),
      `${product.id}0`,
      '..%2f..%2fetc',
      '%00',
      'a'.repeat(1_000),
    ]
    for (const answer of [foreign, ...(await Promise.all(ids.map(id => get(id))))]) {
      assert.equal(answer.status, 404)
      assert.equal(answer.json.code, 'not_found')
    }
  })

  describe('?at=', () => {
    test('returns the product as it was then, version and status', async () => {
      t.clock.set('2026-11-01T10:00:00Z')
      const product = await create({ weightGrams: 1 })
      const step = async (time: string, act: () => Promise<unknown>) => {
        t.clock.set(time)
        await act()
      }
      const patch = (weightGrams: number) => () =>
        t.ask('PATCH', `/api/v1/products/${product.id}`, {
          key: account.key,
          body: { data: { weightGrams } },
        })
      await step('2026-11-02T10:00:00Z', patch(2))
      await step('2026-11-03T10:00:00Z', () =>
        t.ask('POST', `/api/v1/products/${product.id}/archive`, { key: account.key }),
      )
      await step('2026-11-04T10:00:00Z', patch(3))
      await step('2026-11-05T10:00:00Z', () =>
        t.ask('POST', `/api/v1/products/${product.id}/restore`, { key: account.key }),
      )
      t.clock.release()
      const seen = async (at: string) => {
        const { json } = await get(`${product.id}?at=${at}`)
        return [json.data.version_no, json.data.status, json.data.data.weightGrams]
      }
      assert.deepEqual(await seen('2026-11-01T10:00:00Z'), [1, 'active', 1])
      assert.deepEqual(await seen('2026-11-02T09:59:59.999Z'), [1, 'active', 1])
      assert.deepEqual(await seen('2026-11-02T10:00:00Z'), [2, 'active', 2])
      assert.deepEqual(await seen('2026-11-03T12:00:00%2B01:00'), [2, 'archived', 2])
      assert.deepEqual(await seen('2026-11-04'), [2, 'archived', 2])
      assert.deepEqual(await seen('2026-11-04T23:00:00Z'), [3, 'archived', 3])
      assert.deepEqual(await seen('2030-01-01'), [3, 'active', 3])
      assert.equal((await get(`${product.id}?at=2026-10-31`)).status, 404)
    })

    test('accepts a day in the first and the last possible year', async () => {
      const product = await create()
      assert.equal((await get(`${product.id}?at=0001-01-01`)).status, 404)
      assert.equal((await get(`${product.id}?at=9999-12-31T23:59:59.999999999Z`)).status, 200)
    })

    for (const at of [
      'yesterday',
      '2026-02-30',
      '2026-11-21T25:00:00Z',
      '',
      '2026-11-21T10:00:00',
      '2026-11-21T10:00Z',
      '2026-11-21%2010:00:00Z',
      '0000-01-01',
      '0001-01-01T00:00:00%2B00:01',
      '9999-12-31T23:59:59-23:59',
    ]) {
      test(`422 for "${at}"`, async () => {
        const product = await create()
        const { status, json } = await get(`${product.id}?at=${at}`)
        assert.equal(status, 422)
        assert.equal(json.errors[0].field, 'at')
      })
    }
  })
})
