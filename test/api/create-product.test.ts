import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CORES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

describe('POST /products', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    t.ask('POST', '/api/v1/products', { key: account.key, body, headers })
  const countOf = async () =>
    Number((await t.sql`select count(*)::int as n from passport where account_id = ${account.id}`)[0]?.n)

  describe('201', () => {
    test('returns the whole record of version 1, with its URLs', async () => {
      const gtin = nextGtin()
      const { status, json, headers } = await post(newProduct({ gtin }))
      assert.equal(status, 201)
      const { data } = json
      assert.match(data.id, /^[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.equal(data.category, 'textile')
      assert.equal(data.level, 'model')
      assert.equal(data.status, 'active')
      assert.equal(data.version_no, 1)
      assert.equal(data.gtin, gtin)
      assert.equal(data.passport_url, `https://carnet.example/p/${data.id}`)
      assert.equal(data.gs1_url, `https://carnet.example/01/0${gtin}`)
      assert.equal(data.qr_url, `https://carnet.example/api/v1/products/${data.id}/qr`)
      assert.equal(data.parent_id, null)
      assert.equal(data.outdated, false)
      assert.deepEqual(data.data, { ...CORES.textile, gtin })
      assert.equal(headers.location, data.qr_url.replace(/\/qr$/, ''))
      assert.equal(headers.etag, '"v1"')
      assert.equal(json.warnings, undefined)
    })

    test('returns the same record as a later GET', async () => {
      const created = (await post(newProduct({ gtin: nextGtin() }, 'battery'))).json.data
      const read = (await t.ask('GET', `/api/v1/products/${created.id}`, { key: account.key })).json.data
      assert.deepEqual(read, created)
    })

    test('keeps unknown keys and warns about them, with the nearest known name', async () => {
      const { status, json } = await post(newProduct({ wieghtGrams: 190, house: { colour: 'red' } }))
      assert.equal(status, 201)
      assert.equal(json.data.data.wieghtGrams, 190)
      assert.deepEqual(json.data.data.house, { colour: 'red' })
      assert.deepEqual(
        json.warnings.map((one: { field: string; code: string }) => [one.field, one.code]).sort(),
        [
          ['house', 'unknown_field'],
          ['wieghtGrams', 'unknown_field'],
        ],
      )
      assert.match(
        json.warnings.find((one: { field: string }) => one.field === 'wieghtGrams').message,
        /weightGrams/,
      )
    })

    test('stores fibre names as sent, and warns once about each that has no code', async () => {
      const names = [
        'cotton',
        'Wool ',
        'Baumwolle',
        'organic cotton',
        'cottonn',
        'moon dust',
        'Baumwolle',
        'linen',
        'camel',
        'Kamelhaar',
      ]
      const fiberComposition = names.map(fiber => ({ fiber, percentage: 10 }))
      const { status, json } = await post(newProduct({ fiberComposition }))
      assert.equal(status, 201)
      assert.deepEqual(json.data.data.fiberComposition, fiberComposition)
      type Warning = { field: string; code: string; message: string; pointer: string }
      assert.deepEqual(
        json.warnings.map(({ field, code }: Warning) => [field, code]),
        [
          ['fiberComposition[2].fiber', 'synonym'],
          ['fiberComposition[3].fiber', 'unlisted_name'],
          ['fiberComposition[4].fiber', 'unlisted_name'],
          ['fiberComposition[5].fiber', 'unlisted_name'],
          ['fiberComposition[7].fiber', 'synonym'],
          ['fiberComposition[9].fiber', 'synonym'],
        ],
      )
      const [baumwolle, organic, misspelt, unknown] = json.warnings.map(({ message }: Warning) => message)
      assert.match(baumwolle, /recognised as cotton/)
      assert.match(organic, /more than the legal name cotton/)
      assert.match(misspelt, /Did you mean cotton\?/)
      assert.match(unknown, /is not a fibre name/)
      assert.equal(json.warnings[0].pointer, '/data/fiberComposition/2/fiber')
    })

    test('names each of very many unknown fibres, and suggests a name only for the first three', async () => {
      const fiberComposition = Array.from({ length: 100 }, (_, no) => ({
        fiber: `poliesterr${no}`,
        percentage: 1,
      }))
      const { json } = await post(newProduct({ fiberComposition }))
      assert.equal(json.warnings.length, 100)
      const guesses = json.warnings.filter((one: { message: string }) => one.message.includes('Did you mean'))
      assert.equal(guesses.length, 3)
    })

    test('null for an optional field means not sent', async () => {
      const { status, json } = await post(newProduct({ weightGrams: null }))
      assert.equal(status, 201)
      assert.ok(!('weightGrams' in json.data.data))
    })

    test('text is stored byte for byte, except that line ends become LF', async () => {
      const name = 'Tee "أحمر" <b>&amp;</b> \u202e 👕 é'
      const { json } = await post(newProduct({ productName: name, careInstructions: { en: 'a\r\nb' } }))
      assert.equal(json.data.data.productName, name)
      assert.equal(json.data.data.careInstructions.en, 'a\nb')
    })

    test('announces product.created in the same transaction', async () => {
      const { json } = await post(newProduct())
      const rows = await t.sql`select type, data from event where data->>'id' = ${json.data.id}`
      assert.deepEqual(
        [...rows],
        [{ type: 'product.created', data: { id: json.data.id, category: 'textile', version_no: 1 } }],
      )
    })
  })

  describe('422', () => {
    test('reports every violation at once and stores nothing', async () => {
      const before = await countOf()
      const { status, json } = await post({
        category: 'textile',
        data: {
          ...CORES.textile,
          sku: 7,
          countryOfManufacture: 'UK',
          gtin: '9520000000014',
          careInstructions: { de: 'nur deutsch' },
        },
      })
      assert.equal(status, 422)
      assert.equal(json.code, 'validation')
      const found = Object.fromEntries(
        json.errors.map((one: { field: string; code: string }) => [one.field, one.code]),
      )
      assert.equal(found.sku, 'type')
      assert.equal(found.countryOfManufacture, 'country_code')
      assert.equal(found.gtin, 'gtin_check_digit')
      assert.ok(Object.keys(found).some(field => field.startsWith('careInstructions')))
      assert.ok(json.request_id)
      assert.equal(await countOf(), before)
    })

    test('Prefer: handling=strict rejects unknown fields', async () => {
      const { status, json } = await post(newProduct({ wieghtGrams: 190 }), { prefer: 'handling=strict' })
      assert.equal(status, 422)
      assert.deepEqual(
        json.errors.map((one: { code: string }) => one.code),
        ['unknown_field'],
      )
    })

    for (const [what, body, field, code] of [
      ['no category', { data: CORES.textile }, 'category', 'required'],
      ['an unknown category', { category: 'toy', data: CORES.textile }, 'category', 'enum'],
      ['a category of the prototype', { category: 'constructor', data: CORES.textile }, 'category', 'enum'],
      ['no data', { category: 'textile' }, 'data', 'required'],
      ['data as a list', { category: 'textile', data: [] }, 'data', 'type'],
      ['a list as body', [], '', 'type'],
      ['an id of its own', { ...newProduct(), id: 'x' }, 'id', 'immutable'],
      ['a member nobody knows', { ...newProduct(), colour: 'red' }, 'colour', 'unknown_field'],
    ] as const) {
      test(`${what}: ${code}`, async () => {
        const { status, json } = await post(body)
        assert.equal(status, 422)
        assert.deepEqual(
          json.errors.map((one: { field: string; code: string }) => [one.field, one.code]),
          [[field, code]],
        )
      })
    }

    test('reports all errors of the members together', async () => {
      const { json } = await post({ category: 'zz', data: 'x', foo: 1 })
      assert.deepEqual(json.errors.map((one: { field: string }) => one.field).sort(), [
        'category',
        'data',
        'foo',
      ])
    })

    test('lists at most 100 violations and says that there are more', async () => {
      const fiberComposition = Array.from({ length: 90 }, () => ({ fiber: 1, percentage: 'x' }))
      const { json } = await post(newProduct({ fiberComposition }))
      assert.equal(json.errors.length, 100)
      assert.equal(json.truncated, true)
    })
  })

  describe('409', () => {
    test('a GTIN of another product, in any length and of any account', async () => {
      const gtin = nextGtin()
      const made = await post(newProduct({ gtin }))
      assert.equal(made.status, 201)
      const holder: string = made.json.data.id
      const stranger = await t.account()
      for (const key of [account.key, stranger.key]) {
        for (const same of [gtin, `0${gtin}`]) {
          const { status, json } = await t.ask('POST', '/api/v1/products', {
            key,
            body: newProduct({ gtin: same }),
          })
          assert.equal(status, 409)
          assert.equal(json.code, 'gtin_taken')
          const told = JSON.stringify(json)
          assert.equal(told.includes(holder), key === account.key, told)
        }
      }
    })

    test('64 concurrent creates with one GTIN: one 201, 63 gtin_taken, one row', async () => {
      const gtin = nextGtin()
      const answers = await Promise.all(Array.from({ length: 64 }, () => post(newProduct({ gtin }))))
      const created = answers.filter(one => one.status === 201)
      assert.equal(created.length, 1)
      assert.equal(answers.filter(one => one.status === 409 && one.json.code === 'gtin_taken').length, 63)
      const [row] = await t.sql`select count(*)::int as n from passport where gtin14 = ${`0${gtin}`}`
      assert.equal(row?.n, 1)
    })
  })

  describe('403 plan_limit', () => {
    test('200 concurrent creates with room for 50: exactly 50 are created, and a rejected one does not affect others', async () => {
      const small = await t.account()
      await t.sql`update account set model_quota = 50 where id = ${small.id}`
      const answers = await Promise.all(
        Array.from({ length: 200 }, () =>
          t.ask('POST', '/api/v1/products', { key: small.key, body: newProduct() }),
        ),
      )
      assert.equal(answers.filter(one => one.status === 201).length, 50)
      assert.equal(answers.filter(one => one.status === 403 && one.json.code === 'plan_limit').length, 150)
      const [usage] =
        await t.sql`select used from account_usage where account_id = ${small.id} and level = 'm'`
      assert.equal(usage?.used, 50)
    })

    test('a rejected create does not reserve its GTIN', async () => {
      const none = await t.account()
      await t.sql`update account set model_quota = 0 where id = ${none.id}`
      const gtin = nextGtin()
      assert.equal(
        (await t.ask('POST', '/api/v1/products', { key: none.key, body: newProduct({ gtin }) })).status,
        403,
      )
      assert.equal((await post(newProduct({ gtin }))).status, 201)
    })
  })

  test('concurrent creates in one account: the valid ones succeed, the invalid ones do not affect them', async () => {
    const busy = await t.account()
    const taken = nextGtin()
    await post(newProduct({ gtin: taken }))
    const bodies = Array.from({ length: 60 }, (_, i) =>
      newProduct({ sku: `B-${i}`, ...(i % 10 === 3 ? { gtin: taken } : {}) }),
    )
    const answers = await Promise.all(
      bodies.map(body => t.ask('POST', '/api/v1/products', { key: busy.key, body })),
    )
    assert.deepEqual(
      answers.map(one => one.status),
      bodies.map((_, i) => (i % 10 === 3 ? 409 : 201)),
    )
    assert.deepEqual(
      answers.filter(one => one.status === 201).map(one => one.json.data.data.sku),
      bodies.filter((_, i) => i % 10 !== 3).map(body => (body.data as { sku: string }).sku),
    )
  })
  test('a value that cannot be stored rejects only its own product, however many are created at once', async () => {
    const busy = await t.account()
    const { sql } = t.setup
    const [{ content } = { content: '' }] = await t.sql<{ content: string }[]>`
      select current_schema() || '.content' as content`
    await sql`
      create function public.refuse_value() returns trigger language plpgsql as $$
      begin raise exception 'unsupported Unicode escape sequence' using errcode = '22P05'; end $$`
    await sql`
      create trigger value_is_refused before insert on ${sql(content)} for each row
      when (new.data->>'sku' = 'unstorable') execute function public.refuse_value()`
    const skus = Array.from({ length: 30 }, (_, i) => (i === 7 ? 'unstorable' : `U-${i}`))
    const answers = await Promise.all(
      skus.map(sku => t.ask('POST', '/api/v1/products', { key: busy.key, body: newProduct({ sku }) })),
    )
    assert.deepEqual(
      answers.map(one => one.status),
      skus.map(sku => (sku === 'unstorable' ? 422 : 201)),
    )
    const [row] = await t.sql`select count(*)::int as n from passport where account_id = ${busy.id}`
    assert.equal(row?.n, 29)
    await sql`drop trigger value_is_refused on ${sql(content)}`
    await sql`drop function public.refuse_value()`
  })
})
