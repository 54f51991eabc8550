import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { endPools, getTestShard } from '../database.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

describe('PATCH /products/{id}', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const create = async (data: Record<string, unknown> = {}) =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })).json.data
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body, headers })
  const read = async (id: string) =>
    (await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })).json.data

  describe('200', () => {
    test('merges shallowly, adds a version, and returns the whole record', async () => {
      const product = await create({
        weightGrams: 190,
        durability: { testResults: 'ISO 12945', pefScore: 3 },
      })
      const { status, json, headers } = await patch(product.id, {
        data: { weightGrams: 200, durability: { pefScore: 4 } },
      })
      assert.equal(status, 200)
      assert.equal(json.data.version_no, 2)
      assert.equal(json.data.data.weightGrams, 200)
      assert.deepEqual(json.data.data.durability, { pefScore: 4 })
      assert.equal(headers.etag, '"v2"')
      assert.deepEqual(await read(product.id), json.data)
    })

    test('null removes an optional field', async () => {
      const product = await create({ weightGrams: 190 })
      const { json } = await patch(product.id, { data: { weightGrams: null } })
      assert.ok(!('weightGrams' in json.data.data))
    })

    test('a PATCH that changes nothing still adds a version', async () => {
      const product = await create()
      const { json } = await patch(product.id, { data: {} })
      assert.equal(json.data.version_no, 2)
      const history = await t.ask('GET', `/api/v1/products/${product.id}/versions`, { key: account.key })
      assert.deepEqual(history.json.data[0].changed, [])
    })

    test('an archived product can be changed and stays archived', async () => {
      const product = await create()
      await t.ask('POST', `/api/v1/products/${product.id}/archive`, { key: account.key })
      const { status, json } = await patch(product.id, { data: { weightGrams: 1 } })
      assert.equal(status, 200)
      assert.equal(json.data.status, 'archived')
    })

    test('sets, changes and removes a GTIN; the old one stays claimed', async () => {
      const [first, second] = [nextGtin(), nextGtin()]
      const product = await create({ gtin: first })
      assert.equal((await patch(product.id, { data: { gtin: second } })).json.data.gtin, second)
      assert.equal((await patch(product.id, { data: { gtin: null } })).json.data.gs1_url, null)
      for (const gtin of [first, second]) {
        const other = await t.ask('POST', '/api/v1/products', {
          key: account.key,
          body: newProduct({ gtin }),
        })
        assert.equal(other.status, 409)
      }
      assert.equal((await patch(product.id, { data: { gtin: first } })).status, 200)
    })

    test('announces product.updated once for each version', async () => {
      const product = await create()
      await patch(product.id, { data: { weightGrams: 1 } })
      const rows =
        await t.sql`select type, data->>'version_no' as n from event where data->>'id' = ${product.id} order by id`
      assert.deepEqual(
        rows.map(row => [row.type, row.n]),
        [
          ['product.created', '1'],
          ['product.updated', '2'],
        ],
      )
    })
  })

  describe('422', () => {
    for (const [what, body, field, code] of [
      ['null for a required field', { data: { brandName: null } }, 'brandName', 'required'],
      ['a wrong type', { data: { weightGrams: 'heavy' } }, 'weightGrams', 'type'],
      ['no data', { note: 'x' }, 'data', 'required'],
      ['an unknown change_type', { data: {}, change_type: 'fix' }, 'change_type', 'enum'],
      ['a note of 501 characters', { data: {}, note: 'x'.repeat(501) }, 'note', 'length'],
      ['a note of 501 characters of two units', { data: {}, note: '🪑'.repeat(501) }, 'note', 'length'],
      ['a version_no', { data: {}, version_no: 9 }, 'version_no', 'immutable'],
    ] as const) {
      test(`${what}: ${code}, no version made`, async () => {
        const product = await create()
        const { status, json } = await patch(product.id, body)
        assert.equal(status, 422)
        assert.deepEqual(
          json.errors.map((one: { field: string; code: string }) => [one.field, one.code]),
          [[field, code]],
        )
        assert.equal((await read(product.id)).version_no, 1)
      })
    }
  })

  test('a note may have 500 characters, whatever their length in UTF-16', async () => {
    const product = await create()
    for (const note of ['🪑'.repeat(500), '\r\n🪑'.repeat(250)]) {
      assert.equal((await patch(product.id, { data: {}, note })).status, 200)
    }
  })

  test('strict handling checks what was sent, not what was stored before', async () => {
    const product = await create({ houseColour: 'red' })
    const strict = { prefer: 'handling=strict' }
    assert.equal((await patch(product.id, { data: { weightGrams: 5 } }, strict)).status, 200)
    const { status, json } = await patch(product.id, { data: { wieghtGrams: 5 } }, strict)
    assert.equal(status, 422)
    assert.match(
      json.errors[0].message,
      /^wieghtGrams is not a field of textile\. Did you mean weightGrams\?$/,
    )
    assert.equal((await patch(product.id, { data: { houseColour: null } }, strict)).status, 200)
    // Also with more stored unknown fields than the maximum number of warnings in a response.
    const kept = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`kept${i}`, i]))
    await patch(product.id, { data: kept })
    assert.equal((await patch(product.id, { data: { zzLast: 5 } }, strict)).status, 422)
  })

  test("409: another product's GTIN changes nothing", async () => {
    const gtin = nextGtin()
    const holder = await create({ gtin })
    const product = await create()
    const { status, json } = await patch(product.id, { data: { gtin } })
    assert.equal(status, 409)
    assert.equal(json.code, 'gtin_taken')
    assert.match(json.error, new RegExp(`belongs to your product ${holder.id}\\.`))
    assert.equal((await read(product.id)).version_no, 1)
  })

  test('412: a stale If-Match is rejected, however the tag is written', async () => {
    const product = await create()
    await patch(product.id, { data: { weightGrams: 1 } }, { 'if-match': '"v1"' })
    const stale = await patch(product.id, { data: { weightGrams: 2 } }, { 'if-match': '"v1"' })
    assert.equal(stale.status, 412)
    assert.equal(stale.json.code, 'version_conflict')
    assert.equal(
      (await patch(product.id, { data: { weightGrams: 3 } }, { 'if-match': 'W/"v7", "v2.archived"' })).status,
      200,
    )
    assert.equal((await patch(product.id, { data: { weightGrams: 4 } }, { 'if-match': '*' })).status, 200)
  })

  test('404: an unknown id and a product of another account, whatever the body', async () => {
    const stranger = await t.account()
    const product = await create()
    const answers = [
      await t.ask('PATCH', `/api/v1/products/${product.id}`, {
        key: stranger.key,
        body: { data: { sku: 1 } },
      }),
      await patch('01m7ywhcr7fxwrqq1xd4m28c2t', { data: { sku: 1 } }),
      await patch('nonsense', { data: { sku: 1 } }),
      await t.ask('PATCH', `/api/v1/products/${product.id}`, {
        key: stranger.key,
        text: '{',
        headers: { 'content-type': 'text/plain' },
      }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 404)
      assert.equal(answer.json.error, 'There is no such product.')
    }
  })

  test('64 concurrent PATCHes of different fields give 65 versions, without a lost field or a gap in the history', async () => {
    const product = await create()
    const fields = Array.from({ length: 64 }, (_, i) => `field_${i}`)
    const answers = await Promise.all(fields.map((field, i) => patch(product.id, { data: { [field]: i } })))
    assert.deepEqual([...new Set(answers.map(one => one.status))], [200])
    const now = await read(product.id)
    assert.equal(now.version_no, 65)
    assert.deepEqual(
      fields.map(field => now.data[field]),
      fields.map((_, i) => i),
    )
    const rows = await t.sql<{ version_no: number }[]>`
      select v.version_no from passport_version v join passport p on p.id = v.passport_id
      where p.account_id = ${account.id} and p.version_no = 65 order by v.version_no`
    assert.deepEqual(
      rows.map(row => row.version_no),
      Array.from({ length: 65 }, (_, i) => i + 1),
    )
  })

  test('concurrent PATCHes in two processes lose no field, because the statement itself checks the version', async () => {
    const pools = await t.openPools()
    const other = getTestShard(pools)
    const { updatePassport } = await import('../../src/passports/write/update.ts')
    const { parseId } = await import('../../src/kernel/crypto/ids.ts')
    const product = await create()
    const uuid = parseId(product.id) ?? ''
    const change = (sql: typeof other, field: string) =>
      updatePassport(
        { ...account.ctx, sql },
        {
          uuid,
          data: { [field]: 1 },
          changeType: 'change',
          note: undefined,
          strict: false,
          expects: () => true,
        },
      )
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => [change(t.sql, `a${i}`), change(other, `b${i}`)]).flat(),
    )
    const now = await read(product.id)
    assert.equal(now.version_no, 41)
    assert.equal(Object.keys(now.data).filter(name => /^[ab]\d+$/.test(name)).length, 40)
    await endPools(pools)
  })
})
