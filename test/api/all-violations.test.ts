/** Tests that one response reports all errors in a call's parameters, key, address and body. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

describe('all violations of a call at once', () => {
  let t: Harness
  let account: TestAccount
  let id: string
  before(async () => {
    t = await startHarness()
    account = await t.account()
    id = (await ask('POST', '/products', newProduct())).json.data.id
  })
  after(() => t.close())

  const ask = (method: HTTPMethods, path: string, body?: unknown, idempotencyKey?: string) =>
    t.ask(method, `/api/v1${path}`, {
      key: account.key,
      body,
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    })
  const LONG = 'k'.repeat(201)
  type Told = { field: string; pointer: string }
  const pointers = (errors: Told[]) => errors.map(one => one.pointer || one.field).sort()
  const count = async () => (await ask('GET', '/products?level=all')).json.meta.total

  const cases = (): [HTTPMethods, string, unknown, string[]][] => [
    ['POST', '/products', { category: 'shoes', data: {}, x: 1 }, ['/category', '/x']],
    ['PATCH', `/products/${id}`, { data: { weightGrams: 'x' }, note: 5 }, ['/data/weightGrams', '/note']],
    [
      'PUT',
      '/products/by-gtin/123',
      { note: 5, change_type: 'x' },
      ['/change_type', '/data', '/note', '/path/gtin'],
    ],
    ['PUT', '/products/by-sku/a', { data: 1, note: '' }, ['/data', '/note']],
    ['POST', '/products/bulk', { items: [], match_by: 'x', note: 1 }, ['/items', '/match_by', '/note']],
    ['POST', `/products/${id}/children`, { level: 'x', lott: '1' }, ['/level', '/lott']],
    ['POST', `/products/${id}/children`, { items: [], x: 1 }, ['/items', '/level', '/x']],
    ['POST', `/products/${id}/children`, { level: 'item', serial: '€' }, ['/serial']],
    ['POST', `/products/${id}/children/update`, { items: 1, note: 5 }, ['/items', '/note']],
    ['POST', '/products', [], ['/']],
  ]

  test('422: violations of the body, the parameters and the key together', async () => {
    for (const [method, path, body, wanted] of cases()) {
      const plain = await ask(method, path, body)
      assert.equal(plain.status, 422, path)
      const alone = pointers(plain.json.errors)
      if (wanted[0] !== '/') assert.deepEqual(alone, wanted, path)
      const both = await ask(method, `${path}?foo=1&dry_run=maybe`, body, LONG)
      assert.equal(both.status, 422)
      const more = ['/query/dry_run', '/query/foo', 'Idempotency-Key']
      assert.deepEqual(pointers(both.json.errors), [...alone, ...more].sort(), path)
    }
  })

  test('422: errors in every field of the data', async () => {
    const body = { category: 'textile', data: {} }
    const alone = (await ask('POST', '/products', body)).json.errors
    const { status, json } = await ask('POST', '/products?foo=1', body)
    assert.equal(status, 422)
    assert.equal(json.errors[0].pointer, '/query/foo')
    assert.deepEqual(json.errors.slice(1), alone)
    assert.ok(alone.length > 5)
  })

  test('422: lists at most 100 violations, and says that there are more', async () => {
    const items = Array.from({ length: 120 }, () => ({}))
    const { json } = await ask('POST', '/products/bulk?foo=1', { items })
    assert.deepEqual([json.errors.length, json.truncated, json.errors[0].pointer], [100, true, '/query/foo'])
  })

  test('422: all violations of a revert request together', async () => {
    const { json } = await ask('POST', `/products/${id}/versions/1/revert`, {
      note: 5,
      change_type: 'x',
      y: 1,
    })
    assert.deepEqual(pointers(json.errors), ['/change_type', '/note', '/y'])
  })

  test('422: a key already used for another request is reported alone', async () => {
    assert.equal((await ask('POST', '/products', newProduct(), 'once')).status, 201)
    const { json } = await ask('POST', '/products?foo=1', { data: 1 }, 'once')
    assert.deepEqual(
      json.errors.map((one: { code: string }) => one.code),
      ['idempotency_key_reused'],
    )
    const fresh = await ask('POST', '/products?foo=1', { data: 1 }, 'another')
    assert.deepEqual(pointers(fresh.json.errors), ['/category', '/data', '/query/foo'])
  })

  test('a valid body with a wrong parameter or key changes nothing', async () => {
    const before = await count()
    const unit = { level: 'item', serial: 'S1' }
    for (const [method, path, body] of [
      ['POST', '/products', newProduct()],
      ['PATCH', `/products/${id}`, { data: { weightGrams: 5 } }],
      ['PUT', '/products/by-sku/fresh', newProduct({ sku: 'fresh' })],
      ['POST', '/products/bulk', { items: [newProduct({ sku: 'bulk' })] }],
      ['POST', `/products/${id}/children`, unit],
      [
        'POST',
        `/products/${id}/children`,
        { level: 'item', items: [unit].map(({ serial }) => ({ serial })) },
      ],
      ['POST', `/products/${id}/archive`, undefined],
      ['POST', `/products/${id}/versions/1/revert`, {}],
      ['POST', `/products/${id}/refresh`, undefined],
    ] as [HTTPMethods, string, unknown][]) {
      for (const [query, key, wanted] of [
        ['?foo=1', undefined, ['/query/foo']],
        ['', LONG, ['Idempotency-Key']],
        ['?foo=1', LONG, ['/query/foo', 'Idempotency-Key']],
      ] as [string, string | undefined, string[]][]) {
        const { status, json } = await ask(method, path + query, body, key)
        assert.equal(status, 422, path)
        assert.deepEqual(pointers(json.errors), wanted, path)
      }
    }
    assert.equal(await count(), before)
    const { version_no, status } = (await ask('GET', `/products/${id}`)).json.data
    assert.deepEqual([version_no, status], [1, 'active'])
  })
})
