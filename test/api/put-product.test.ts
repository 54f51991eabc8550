import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { CORES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let other: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  other = await t.beside()
  account = await t.account()
})
after(async () => {
  await other.close()
  await t.close()
})

const { sku: _sku, ...core } = CORES.textile
const body = (data: Record<string, unknown> = {}) => ({ category: 'textile', data: { ...core, ...data } })

const put = (path: string, sent: unknown, headers: Record<string, string> = {}, key = account.key) =>
  t.ask('PUT', `/api/v1/products/${path}`, { key, body: sent, headers })
const bySku = (sku: string, sent: unknown, headers?: Record<string, string>, key?: string) =>
  put(`by-sku/${encodeURIComponent(sku)}`, sent, headers, key)
const byGtin = (gtin: string, sent: unknown, headers?: Record<string, string>, key?: string) =>
  put(`by-gtin/${gtin}`, sent, headers, key)
const post = async (data: Record<string, unknown>, key = account.key) =>
  (await t.ask('POST', '/api/v1/products', { key, body: newProduct(data) })).json.data

describe('PUT /products/by-sku/{sku}', () => {
  test('creates, updates by merging, and says when nothing changed', async () => {
    const made = await bySku('P-1', body({ weightGrams: 200 }))
    assert.equal(made.status, 201)
    assert.equal(made.json.data.data.sku, 'P-1')
    assert.equal(made.headers.location, `https://carnet.example/api/v1/products/${made.json.data.id}`)
    assert.equal(made.headers.etag, '"v1"')
    assert.equal(made.json.meta, undefined)

    const changed = await bySku('P-1', {
      data: { weightGrams: 210, waterFootprint: 5 },
      note: 'weighed',
      change_type: 'correction',
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.headers.location, undefined)
    assert.deepEqual(changed.json.data.data, { ...made.json.data.data, weightGrams: 210, waterFootprint: 5 })
    assert.equal(changed.json.data.version_no, 2)
    const [version] = (
      await t.ask('GET', `/api/v1/products/${made.json.data.id}/versions`, { key: account.key })
    ).json.data
    assert.deepEqual([version.note, version.change_type], ['weighed', 'correction'])

    const removed = await bySku('P-1', { data: { waterFootprint: null } })
    assert.equal('waterFootprint' in removed.json.data.data, false)

    const again = await bySku('P-1', body({ weightGrams: 210, sku: 'P-1', waterFootprint: null }))
    assert.equal(again.status, 200)
    assert.deepEqual(again.json.meta, { unchanged: true })
    assert.deepEqual(again.json.data, removed.json.data)
    assert.equal(again.headers.etag, '"v3"')
  })

  test('accepts any SKU that can be stored, percent-encoded', async () => {
    for (const sku of [
      'A/B',
      'Größe M',
      'あ'.repeat(500),
      'x'.repeat(500),
      '100%',
      'a b?c#d',
      'bulk',
      '..x',
    ]) {
      const made = await bySku(sku, body())
      assert.deepEqual([made.status, made.json.data?.data.sku], [201, sku])
      assert.deepEqual((await bySku(sku, body())).json.meta, { unchanged: true })
    }
    // Composed and decomposed spellings are the same SKU. The spelling sent first is stored.
    const composed = await bySku('cafe\u0301', body())
    const same = await bySku('caf\u00e9', body())
    assert.deepEqual([same.json.data.id, same.json.meta], [composed.json.data.id, { unchanged: true }])
  })

  test('finds the same SKU whatever its line ends and Unicode form', async () => {
    for (const [first, again] of [
      ['a%0D%0Ab', 'a%0Ab'],
      ['caf%C3%A9', 'cafe%CC%81'],
    ] as const) {
      const answers = [first, first, again].map(path => () => put(`by-sku/${path}`, body({ sku: undefined })))
      const ids = new Set<string>()
      for (const answer of answers) {
        const { status, json } = await answer()
        assert.ok(status === 201 || status === 200, JSON.stringify(json))
        ids.add(json.data.id)
      }
      assert.equal(ids.size, 1)
      const list = await t.ask('GET', `/api/v1/products?sku=${first}`, { key: account.key })
      assert.deepEqual(
        list.json.data.map((one: { id: string }) => one.id),
        [...ids],
      )
    }
  })

  test('422 for any SKU that cannot be stored', async () => {
    for (const path of [
      '',
      '%20',
      'x'.repeat(501),
      'x'.repeat(2000),
      '%00',
      'a%07',
      '%F0%9F%A6%8A'.repeat(501),
    ]) {
      const { status, json } = await put(`by-sku/${path}`, body())
      assert.equal(status, 422, path.slice(0, 20))
      assert.deepEqual([json.code, json.errors[0].field], ['validation', 'sku'])
    }
    assert.equal((await put('by-sku/%zz', body())).status, 400)
    assert.equal((await put('by-sku/%ED%A0%80', body())).status, 400)
  })

  test('several products with the SKU are an error that lists them', async () => {
    const [one, two] = [await post({ sku: 'twice' }), await post({ sku: 'twice' })]
    await t.ask('POST', `/api/v1/products/${one.id}/archive`, { key: account.key })
    const { status, json } = await bySku('twice', { data: {} })
    assert.equal(status, 422)
    assert.deepEqual(json.errors[0].code, 'duplicate')
    assert.equal(json.errors[0].pointer, '/path/sku')
    for (const { id } of [one, two]) assert.ok(json.error.includes(id))
  })

  test('updates an archived product, which stays archived', async () => {
    const { id } = await post({ sku: 'resting' })
    await t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
    const { status, json } = await bySku('resting', { data: { weightGrams: 1 } })
    assert.deepEqual([status, json.data.id, json.data.status], [200, id, 'archived'])
  })

  test('a SKU that its product gave up creates a new product, each time', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const { status, json } = await bySku('moving', body())
      assert.equal(status, 201)
      ids.add(json.data.id)
      await t.ask('PATCH', `/api/v1/products/${json.data.id}`, {
        key: account.key,
        body: { data: { sku: `moved-${i}` } },
      })
    }
    assert.equal(ids.size, 3)
  })

  test('422: reports all violations at once, outside and inside data', async () => {
    const codes = (json: { errors: { pointer: string; code: string }[] }) =>
      json.errors.map(one => `${one.pointer} ${one.code}`)
    const fresh = await bySku('wrong', { data: { ...core, sku: 'other', brandName: 5, languages: null } })
    assert.equal(fresh.status, 422)
    assert.deepEqual(codes(fresh.json), ['/data/sku immutable', '/category required'])
    const inside = await bySku('wrong', { ...body({ sku: 'other', brandName: 5, languages: null }) })
    assert.deepEqual(codes(inside.json), [
      '/data/sku immutable',
      '/data/brandName type',
      '/data/languages required',
    ])
    await post({ sku: 'right' })
    const there = await bySku('right', { category: 'battery', data: { sku: null, weightGrams: -1 } })
    assert.deepEqual(codes(there.json), [
      '/data/sku immutable',
      '/category immutable',
      '/data/sku required',
      '/data/weightGrams min',
    ])
    assert.deepEqual(codes((await bySku('right', { category: 'shoes', data: {} })).json), ['/category enum'])
    const members = await bySku('right', { id: 'x', data: 5, change_type: 'fix', note: '' })
    assert.deepEqual(codes(members.json), [
      '/id immutable',
      '/data type',
      '/change_type enum',
      '/note length',
    ])
    assert.equal((await bySku('right', [])).status, 422)
    assert.equal((await put('by-sku/right?dry=1', { data: {} })).status, 422)
  })

  test('strict rejects unknown fields, new and changed; otherwise they are warnings', async () => {
    const strict = { prefer: 'handling=strict' }
    assert.equal((await bySku('strict', body({ wieght: 1 }), strict)).status, 422)
    const made = await bySku('strict', body({ wieght: 1 }))
    assert.equal(made.json.warnings[0].code, 'unknown_field')
    assert.equal((await bySku('strict', { data: { weightGrams: 2 } }, strict)).status, 200)
    assert.equal((await bySku('strict', { data: { wieght: 2 } }, strict)).status, 422)
  })

  test('honours If-Match and If-None-Match', async () => {
    const nobody = await bySku('conditional', body(), { 'if-match': '*' })
    assert.deepEqual([nobody.status, nobody.json.code], [412, 'version_conflict'])
    assert.equal((await bySku('conditional', body(), { 'if-none-match': '*' })).status, 201)
    assert.equal((await bySku('conditional', body(), { 'if-none-match': '*' })).status, 412)
    assert.equal(
      (await bySku('conditional', { data: { weightGrams: 3 } }, { 'if-match': '"v1"' })).status,
      200,
    )
    assert.equal(
      (await bySku('conditional', { data: { weightGrams: 4 } }, { 'if-match': '"v1"' })).status,
      412,
    )
    assert.equal(
      (await bySku('conditional', { data: { weightGrams: 4 } }, { 'if-match': '"v9", "v2"' })).status,
      200,
    )
  })

  test('403 plan_limit; another account may use the same SKU', async () => {
    const small = await t.account()
    await t.sql`update account set model_quota = 1 where id = ${small.id}`
    assert.equal((await bySku('P-1', body(), {}, small.key)).status, 201)
    const over = await bySku('P-2', body(), {}, small.key)
    assert.deepEqual([over.status, over.json.code], [403, 'plan_limit'])
    const sku = { sku: 'P-2' }
    const overByGtin = await byGtin(
      nextGtin(),
      { category: 'textile', data: { ...core, ...sku } },
      {},
      small.key,
    )
    assert.deepEqual([overByGtin.status, overByGtin.json.code], [403, 'plan_limit'])
    assert.equal((await bySku('P-1', { data: { weightGrams: 9 } }, {}, small.key)).status, 200)
  })

  test('64 concurrent PUTs over two servers create one product and lose no field', async () => {
    const fields = Array.from({ length: 64 }, (_, i) => `x-${i}`)
    const answers = await Promise.all(
      fields.map((field, i) =>
        (i % 2 === 0 ? t : other).ask('PUT', '/api/v1/products/by-sku/raced', {
          key: account.key,
          body: body({ [field]: i }),
        }),
      ),
    )
    assert.deepEqual(
      answers.map(one => one.status).filter(status => status !== 200),
      [201],
    )
    const ids = new Set(answers.map(one => one.json.data.id))
    assert.equal(ids.size, 1)
    const { json } = await t.ask('GET', `/api/v1/products/${[...ids][0]}`, { key: account.key })
    for (const [i, field] of fields.entries()) assert.equal(json.data.data[field], i)
    assert.equal(json.data.version_no, 64)
    const rows = await t.sql`select 1 from passport where account_id = ${account.id} and sku = 'raced'`
    assert.equal(rows.length, 1)
  })

  test('32 concurrent PUTs for a SKU that its product gave up create one product each time', async () => {
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) =>
          (i % 2 === 0 ? t : other).ask('PUT', '/api/v1/products/by-sku/again', {
            key: account.key,
            body: body(),
          }),
        ),
      )
      assert.equal(answers.filter(one => one.status === 201).length, 1)
      const id = answers[0]?.json.data.id
      await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { sku: 'gone' } } })
    }
  })
})

describe('PUT /products/by-gtin/{gtin}', () => {
  test('412 for a wrong version in If-Match, and for a product that does not exist yet', async () => {
    const gtin = nextGtin()
    const absent = await byGtin(gtin, body({ sku: 'G-0' }), { 'if-match': '"v1"' })
    assert.deepEqual([absent.status, absent.json.code], [412, 'version_conflict'])
    assert.equal((await byGtin(gtin, body({ sku: 'G-0' }), { 'if-none-match': '*' })).status, 201)
    const stale = await byGtin(gtin, { data: { weightGrams: 1 } }, { 'if-match': '"v7"' })
    assert.deepEqual([stale.status, stale.json.code], [412, 'version_conflict'])
    assert.equal((await byGtin(gtin, { data: { weightGrams: 1 } }, { 'if-match': '"v1"' })).status, 200)
  })

  test('creates, then finds the product by the GTIN in any length', async () => {
    const gtin = nextGtin()
    const made = await byGtin(gtin, body({ sku: 'G-1' }))
    assert.deepEqual([made.status, made.json.data.gtin], [201, gtin])
    for (const same of [gtin, `0${gtin}`]) {
      const { status, json } = await byGtin(same, body({ sku: 'G-1', gtin }))
      assert.deepEqual([status, json.meta, json.data.gtin], [200, { unchanged: true }, gtin])
    }
    // Sending another spelling changes the stored text.
    const spelt = await byGtin(gtin, { data: { gtin: `0${gtin}` } })
    assert.deepEqual([spelt.json.data.gtin, spelt.json.data.version_no], [`0${gtin}`, 2])
  })

  test('422 for an invalid GTIN, and for a different one in data', async () => {
    assert.equal((await byGtin('', body({ sku: 'G' }))).json.errors[0].code, 'format')
    for (const path of ['123', '9520000000012', 'abc', '0000000000000', '95200000000113'.repeat(9)]) {
      const sent = newProduct({ gtin: path })
      const [inData] = (await t.ask('POST', '/api/v1/products', { key: account.key, body: sent })).json.errors
      assert.equal(inData.code, path === '9520000000012' ? 'gtin_check_digit' : 'format', path)
      const row = { data: { gtin: path }, match_by: 'gtin' }
      const asked = [
        await byGtin(path, body({ sku: 'G' })),
        await t.ask('GET', `/api/v1/products?gtin=${path}`, { key: account.key }),
        await t.ask('POST', '/api/v1/products/bulk', { key: account.key, body: { items: [row] } }),
      ]
      for (const { status, json } of asked) {
        const [{ code, message }] = json.errors
        assert.deepEqual([status, code, message], [422, inData.code, inData.message], path)
      }
    }
    const { status, json } = await byGtin(nextGtin(), body({ sku: 'G', gtin: nextGtin() }))
    assert.deepEqual([status, json.errors[0].code, json.errors[0].pointer], [422, 'immutable', '/data/gtin'])
    assert.equal((await byGtin(nextGtin(), body({ sku: 'G', gtin: null }))).status, 422)
  })

  test('409 for a GTIN of another account, and of a product that had it before', async () => {
    const stranger = await t.account()
    const theirs = nextGtin()
    await post({ gtin: theirs }, stranger.key)
    const foreign = await byGtin(theirs, body({ sku: 'G-2' }))
    assert.deepEqual([foreign.status, foreign.json.code], [409, 'gtin_taken'])

    const mine = nextGtin()
    const { id } = await post({ gtin: mine, sku: 'G-3' })
    await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { gtin: nextGtin() } } })
    const before = await byGtin(mine, body({ sku: 'G-3' }))
    assert.deepEqual([before.status, before.json.code], [409, 'gtin_taken'])
    assert.ok(before.json.error.includes(id))
    const taken = await bySku('G-4', body({ gtin: theirs }))
    assert.deepEqual([taken.status, taken.json.code], [409, 'gtin_taken'])
    const changed = await bySku('G-3', { data: { gtin: theirs } })
    assert.deepEqual([changed.status, changed.json.code], [409, 'gtin_taken'])
  })

  test('updates an archived product; a released GTIN creates a new one', async () => {
    const gtin = nextGtin()
    const { id } = (await byGtin(gtin, body({ sku: 'G-5' }))).json.data
    await t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
    const found = await byGtin(gtin, { data: { weightGrams: 1 } })
    assert.deepEqual([found.json.data.id, found.json.data.status], [id, 'archived'])
    await t.sql`delete from gtin_claim where gtin14 = ${toGtin14(gtin)}`
    const made = await byGtin(gtin, body({ sku: 'G-5' }))
    assert.equal(made.status, 201)
    assert.notEqual(made.json.data.id, id)
  })

  test('64 concurrent PUTs over two servers create one product', async () => {
    const gtin = nextGtin()
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (i % 2 === 0 ? t : other).ask('PUT', `/api/v1/products/by-gtin/${gtin}`, {
          key: account.key,
          body: body({ sku: 'G-6' }),
        }),
      ),
    )
    assert.equal(answers.filter(one => one.status === 201).length, 1)
    assert.equal(answers.filter(one => one.status === 200 && one.json.meta.unchanged).length, 63)
  })
})
