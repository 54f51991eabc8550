/** Tests ?dry_run=true: the response equals the real one, and no row of any table changes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { CORES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
let model: { id: string; data: Record<string, unknown> }
let taken: string
before(async () => {
  t = await startHarness()
})
after(() => t.close())
beforeEach(async () => {
  account = await t.account()
  taken = nextGtin()
  model = (await ask('POST', '/products', newProduct({ sku: 'D-1', gtin: taken }))).json.data
  await ask('POST', `/products/${model.id}/children`, { level: 'item', serial: 'S1' })
})

const ask = (method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown) =>
  t.ask(method, `/api/v1${path}`, { key: account.key, body })

/** Every row of every table, except `last_used_at` of keys and the rate limit counters. */
async function everything(): Promise<Map<string, string>> {
  const tables = await t.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> 'rate_share' order by 1`
  const all = new Map<string, string>()
  for (const { name } of tables) {
    const [row] = await t.sql<{ text: string }[]>`
      select coalesce(string_agg(r, E'\n'), '') as text from (
        select (to_jsonb(x) - 'last_used_at')::text as r from ${t.sql(name)} x order by 1) rows`
    all.set(name, row?.text ?? '')
  }
  return all
}

/** The responses to a dry run and to the same real request. */
async function both(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown) {
  const before = await everything()
  const dry = await ask(method, `${path}?dry_run=true`, body)
  assert.deepEqual(await everything(), before)
  return { dry, real: await ask(method, path, body) }
}

const UNKEPT = ['id', 'passport_url', 'qr_url', 'created_at', 'updated_at']
/** Removes the members that only a stored record has. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !UNKEPT.includes(name))
  return Object.fromEntries(members.map(([name, inner]) => [name, told(inner)]))
}

const unit = (serial: string, data?: object) => ({ level: 'item', serial, ...(data ? { data } : {}) })
const bulk = (...items: unknown[]) => ({ items })

describe('?dry_run=true succeeds as the real call would', () => {
  const good: [string, 'POST' | 'PATCH' | 'PUT', () => string, () => unknown][] = [
    ['POST', 'POST', () => '/products', () => newProduct({ sku: 'D-2', gtin: nextGtin(), wieght: 1 })],
    ['PATCH', 'PATCH', () => `/products/${model.id}`, () => ({ data: { weightGrams: 1 } })],
    ['PUT, new', 'PUT', () => '/products/by-sku/D-3', () => newProduct({ sku: undefined })],
    ['PUT, changed', 'PUT', () => '/products/by-sku/D-1', () => ({ data: { weightGrams: 2 } })],
    ['PUT, unchanged', 'PUT', () => '/products/by-sku/D-1', () => ({ data: {} })],
    ['PUT by GTIN', 'PUT', () => `/products/by-gtin/${taken}`, () => ({ data: { weightGrams: 3 } })],
    [
      'bulk',
      'POST',
      () => '/products/bulk',
      () =>
        bulk(
          newProduct({ sku: 'D-4' }),
          newProduct({ sku: 'D-5', gtin: taken }),
          { data: { sku: 'D-1', weightGrams: 4 } },
          { data: { sku: 'D-1' } },
          newProduct({ sku: 'D-6', languages: 1 }),
        ),
    ],
    ['a batch', 'POST', () => `/products/${model.id}/children`, () => ({ level: 'batch', lot: 'L1' })],
    ['an item', 'POST', () => `/products/${model.id}/children`, () => unit('S2', { weightGrams: 7 })],
    [
      'items',
      'POST',
      () => `/products/${model.id}/children`,
      () => ({ level: 'item', items: [{ serial: 'S1' }, { serial: 'S3' }, { serial: 'S3' }, { lot: 'x' }] }),
    ],
    [
      'children/update',
      'POST',
      () => `/products/${model.id}/children/update`,
      () => bulk({ serial: 'S1', data: { weightGrams: 5 } }, { serial: 'none', data: {} }),
    ],
  ]
  for (const [name, method, path, body] of good) {
    test(name, async () => {
      const { dry, real } = await both(method, path(), body())
      assert.equal(dry.status, real.status, dry.text)
      assert.ok(dry.status < 300, dry.text)
      assert.deepEqual(told(dry.json.data), told(real.json.data))
      assert.deepEqual(dry.json.warnings, real.json.warnings)
      const { dry_run: isDry, ...meta } = dry.json.meta
      assert.deepEqual([isDry, meta], [true, real.json.meta ?? {}])
      assert.deepEqual([dry.headers.location, dry.headers.etag], [undefined, undefined])
    })
  }
})

describe('?dry_run=true fails as the real call would', () => {
  const bad: [string, 'POST' | 'PATCH' | 'PUT', () => string, () => unknown][] = [
    ['invalid data', 'POST', () => '/products', () => newProduct({ weightGrams: -1 })],
    ['a taken GTIN', 'POST', () => '/products', () => newProduct({ gtin: taken })],
    [
      'a taken GTIN, PUT',
      'PUT',
      () => '/products/by-sku/D-9',
      () => newProduct({ sku: undefined, gtin: taken }),
    ],
    ['another category', 'PUT', () => '/products/by-sku/D-1', () => ({ category: 'battery', data: {} })],
    [
      'bulk, nothing good',
      'POST',
      () => '/products/bulk',
      () => bulk({}, newProduct({ sku: 'D-9', gtin: taken })),
    ],
    ['a taken serial', 'POST', () => `/products/${model.id}/children`, () => unit('S1')],
    [
      'no such unit',
      'POST',
      () => `/products/${model.id}/children/update`,
      () => bulk({ serial: 'no', data: {} }),
    ],
  ]
  for (const [name, method, path, body] of bad) {
    test(name, async () => {
      const { dry, real } = await both(method, path(), body())
      assert.ok(dry.status >= 400)
      const { request_id: _one, ...said } = dry.json
      const { request_id: _other, ...wanted } = real.json
      assert.deepEqual([dry.status, said], [real.status, wanted])
    })
  }

  test('plan_limit for models and units beyond the quota', async () => {
    await t.sql`update account set model_quota = 2, batch_quota = 0, item_quota = 2 where id = ${account.id}`
    const requests: [string, unknown][] = [
      [`/products/${model.id}/children`, { level: 'batch', lot: 'L' }],
      [
        `/products/${model.id}/children`,
        { level: 'item', items: [{ serial: 'S1' }, { serial: 'S4' }, { serial: 'S5' }] },
      ],
      ['/products/bulk', bulk(newProduct({ sku: 'D-7' }), newProduct({ sku: 'D-8' }))],
      ['/products', newProduct()],
      ['/products/bulk', bulk(newProduct({ sku: 'D-8' }))],
    ]
    const codes: string[] = []
    for (const [path, body] of requests) {
      const { dry, real } = await both('POST', path, body)
      assert.equal(dry.status, real.status)
      assert.equal(dry.json.code, real.json.code)
      const failed = (one: typeof dry) => told(one.json.data?.errors ?? one.json.errors)
      assert.deepEqual(failed(dry), failed(real))
      codes.push(dry.json.code ?? dry.json.data.errors.map((one: { code: string }) => one.code).join(' '))
    }
    assert.deepEqual(codes, ['plan_limit', 'validation plan_limit', 'plan_limit', 'plan_limit', 'plan_limit'])
  })

  test('rejects an archived parent, a dry_run that is neither true nor false, and a read key', async () => {
    await ask('POST', `/products/${model.id}/archive`, undefined)
    const { dry } = await both('POST', `/products/${model.id}/children`, unit('S9'))
    assert.deepEqual([dry.status, dry.json.code], [409, 'archived'])
    assert.equal((await ask('POST', '/products?dry_run=1', newProduct())).status, 422)
    const key = await t.apiKey(account, 'read')
    const read = await t.ask('POST', '/api/v1/products?dry_run=true', { key, body: newProduct() })
    assert.deepEqual([read.status, read.json.code], [403, 'read_only'])
  })
})

describe('violations outside and inside data are reported together', () => {
  const pointers = (json: { errors: { pointer: string }[] }) => json.errors.map(one => one.pointer)
  const { sku: _sku, ...core } = CORES.textile

  test('for POST, PATCH and children', async () => {
    const made = await ask('POST', '/products', { category: 'textile', data: core, id: 'x' })
    assert.deepEqual(pointers(made.json), ['/id', '/data/sku'])
    const changed = await ask('PATCH', `/products/${model.id}`, {
      data: { brandName: null, weightGrams: -1 },
      change_type: 'fix',
      note: '',
    })
    assert.deepEqual(pointers(changed.json), [
      '/change_type',
      '/note',
      '/data/brandName',
      '/data/weightGrams',
    ])
    const issued = await ask('POST', `/products/${model.id}/children`, {
      level: 'item',
      lot: 'x',
      data: { weightGrams: -1, gtin: taken },
    })
    assert.deepEqual(pointers(issued.json), ['/serial', '/lot', '/data/gtin', '/data/weightGrams'])
  })
})
