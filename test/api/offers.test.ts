/** Tests `/offers`: who may do what, what is refused and why, the limit, the audit log, and other accounts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

const REPAIR = {
  kind: 'repair',
  title: { en: 'Free repairs', de: 'Kostenlose Reparatur' },
  url: 'https://shop.example/repair',
}

const send = (method: HTTPMethods, path: string, body?: unknown, key = account.key) =>
  t.ask(method, `/api/v1/offers${path}`, { key, ...(body === undefined ? {} : { body }) })
const create = async (body: object = {}, key = account.key) => {
  const { status, json, text } = await send('POST', '', { ...REPAIR, ...body }, key)
  assert.equal(status, 201, text)
  return json.data
}

describe('POST /offers', () => {
  test('adds an offer for everything everywhere, which comes last', async () => {
    const first = await create()
    const { id, created_at, updated_at, position, ...rest } = first
    assert.match(id, /^[0-7][0-9a-z]{25}$/)
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, { ...REPAIR, category: null, product_id: null, countries: [], text: null })
    const second = await create({
      position: 0,
      countries: ['DE', 'AT'],
      text: { de: 'Einfach einschicken.' },
    })
    assert.deepEqual(second.countries, ['AT', 'DE'])
    const third = await create()
    assert.equal(third.position, position + 1)
    const { json } = await send('GET', '')
    const ids = json.data.map((one: { id: string }) => one.id)
    assert.deepEqual(ids, [id, second.id, third.id])
    assert.deepEqual((await send('GET', `/${second.id}`)).json.data, second)
  })

  test('keeps the languages in their order, and canonical', async () => {
    const { title } = await create({ title: { 'zh-hant': '維修', de: ' Reparatur ', 'en-gb': 'Repairs' } })
    assert.deepEqual(Object.entries(title), [
      ['zh-Hant', '維修'],
      ['de', 'Reparatur'],
      ['en-GB', 'Repairs'],
    ])
  })

  test('is for a product of the account, and of no other', async () => {
    const product = async (key: string) =>
      (await t.ask('POST', '/api/v1/products', { key, body: newProduct() })).json.data.id
    const id = await product(account.key)
    assert.equal((await create({ product_id: id })).product_id, id)
    const other = await t.account()
    for (const unknown of [await product(other.key), '01m7ywhcr7fxwrqq1xd4m28c2t']) {
      const { status, json } = await send('POST', '', { ...REPAIR, product_id: unknown })
      assert.deepEqual([status, json.errors[0].field, json.errors[0].code], [422, 'product_id', 'not_found'])
    }
  })

  test('names everything that is wrong, each with its field, a code and a sentence', async () => {
    const cases: [object, string, string][] = [
      [{ kind: 'rent' }, 'kind', 'enum'],
      [{ kind: null }, 'kind', 'required'],
      [{ category: 'food' }, 'category', 'enum'],
      [{ category: 'textile', product_id: '01m7ywhcr7fxwrqq1xd4m28c2t' }, 'category', 'immutable'],
      [{ product_id: 'x' }, 'product_id', 'format'],
      [{ countries: 'AT' }, 'countries', 'type'],
      [{ countries: ['UK'] }, 'countries[0]', 'country_code'],
      [{ countries: ['AT', 'AT'] }, 'countries[1]', 'duplicate'],
      [{ countries: [1] }, 'countries[0]', 'country_code'],
      [{ title: undefined }, 'title', 'required'],
      [{ title: {} }, 'title', 'length'],
      [{ title: 'Repair' }, 'title', 'type'],
      [{ title: { english: 'x', en_US: 'Repair' } }, 'title.en_US', 'language_code'],
      [{ title: { de: 'a', DE: 'b' } }, 'title.DE', 'duplicate'],
      [{ title: { de: 7 } }, 'title.de', 'type'],
      [{ title: { de: ' ' } }, 'title.de', 'length'],
      [{ title: { de: 'x'.repeat(101) } }, 'title.de', 'length'],
      [{ title: { de: 'a\u202eb' } }, 'title.de', 'format'],
      [{ text: { de: 'x'.repeat(301) } }, 'text.de', 'length'],
      [{ text: { de: 'a\nb' } }, 'text.de', 'format'],
      [{ url: undefined }, 'url', 'required'],
      [{ url: 5 }, 'url', 'type'],
      [{ url: 'http://shop.example' }, 'url', 'format'],
      [{ url: 'javascript:alert(1)' }, 'url', 'format'],
      [{ url: 'https://user:secret@shop.example' }, 'url', 'format'],
      [{ url: 'https://shop.example/\u202egnp.exe' }, 'url', 'format'],
      [{ url: `https://shop.example/${'x'.repeat(2_048)}` }, 'url', 'length'],
      [{ position: -1 }, 'position', 'min'],
      [{ position: 10_000 }, 'position', 'max'],
      [{ position: 1.5 }, 'position', 'type'],
      [{ order: 1 }, 'order', 'unknown_field'],
    ]
    const before = (await send('GET', '')).text
    for (const [change, field, code] of cases) {
      const { status, json, text } = await send('POST', '', { ...REPAIR, ...change })
      assert.equal(status, 422, text)
      const found = json.errors.map((one: { field: string; code: string }) => `${one.field} ${one.code}`)
      assert.deepEqual(found, [`${field} ${code}`], text)
      assert.match(json.errors[0].message, /\.$/)
    }
    const many = await send('POST', '', { kind: 'rent', url: 'x' })
    assert.equal(many.json.errors.length, 3)
    assert.equal((await send('GET', '')).text, before)
  })

  test('refuses the hundred and first, also if two arrive at once', async () => {
    const full = await t.account()
    await t.sql`
      insert into offer (account_id, id, kind, countries, title, url, position, created_at, updated_at)
      select ${full.id}, gen_random_uuid(), 'repair', '{}', '{"en":"Repair"}', 'https://shop.example', n, now(), now()
      from generate_series(1, 99) n`
    const answers = await Promise.all([1, 2].map(() => send('POST', '', REPAIR, full.key)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403])
    const refusal = answers.find(({ status }) => status === 403)
    assert.equal(refusal?.json.code, 'plan_limit')
    assert.match(refusal?.json.error, /100 offers/)
  })
})

describe('PATCH /offers/{id}', () => {
  test('changes what is sent and keeps the rest; null empties what may be empty', async () => {
    const offer = await create({ category: 'textile', text: { en: 'By post.' }, countries: ['FR'] })
    const changed = await send('PATCH', `/${offer.id}`, { countries: [], position: 4, category: null })
    assert.equal(changed.status, 200, changed.text)
    const { updated_at: _, ...rest } = changed.json.data
    const { updated_at: __, ...before } = offer
    assert.deepEqual(rest, { ...before, countries: [], position: 4, category: null })
    const emptied = await send('PATCH', `/${offer.id}`, { text: null })
    assert.equal(emptied.json.data.text, null)
    const wrong = await send('PATCH', `/${offer.id}`, { url: null, kind: 'rent' })
    assert.equal(wrong.status, 422)
    assert.deepEqual((await send('GET', `/${offer.id}`)).json, emptied.json)
    const ofTextiles = await create({ category: 'textile' })
    const { json } = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const move = { product_id: json.data.id }
    const both = await send('PATCH', `/${ofTextiles.id}`, move)
    assert.match(both.json.error, /category must be null if product_id is set/)
    assert.equal((await send('PATCH', `/${ofTextiles.id}`, { ...move, category: null })).status, 200)
  })
})

describe('an offer', () => {
  test('is deleted once, and answers as it was', async () => {
    const offer = await create()
    const deleted = await send('DELETE', `/${offer.id}`)
    assert.deepEqual([deleted.status, deleted.json.data], [200, offer])
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await send(method, `/${offer.id}`)).status, 404, method)
  })

  test('of another account is not found, and stays as it is', async () => {
    const offer = await create()
    const { key } = await t.account()
    for (const [method, body] of [['GET'], ['PATCH', { position: 1 }], ['DELETE']] as const)
      for (const id of [offer.id, 'x'])
        assert.equal((await send(method, `/${id}`, body, key)).status, 404, `${method} ${id}`)
    assert.deepEqual((await send('GET', '', undefined, key)).json.data, [])
    assert.deepEqual((await send('GET', `/${offer.id}`)).json.data, offer)
  })

  test('is read with a key that may only read, and changed with no such key', async () => {
    const offer = await create()
    const key = await t.apiKey(account, 'read')
    assert.equal((await send('GET', '', undefined, key)).status, 200)
    assert.equal((await send('GET', `/${offer.id}`, undefined, key)).status, 200)
    for (const [method, path, body] of [
      ['POST', '', REPAIR],
      ['PATCH', `/${offer.id}`, { position: 1 }],
      ['DELETE', `/${offer.id}`],
    ] as const)
      assert.equal((await send(method, path, body, key)).json.code, 'read_only')
  })

  test('leaves an entry in the audit log for each change', async () => {
    const own = await t.account()
    const { id } = await create({}, own.key)
    await send('PATCH', `/${id}`, { title: { de: 'Werkstatt' } }, own.key)
    await send('PATCH', `/${id}`, { url: 'x' }, own.key)
    await send('DELETE', `/${id}`, undefined, own.key)
    const entries = await t.sql`
      select action, subject from audit_entry where account_id = ${own.id} and action like 'offer%' order by id`
    assert.deepEqual(
      entries.map(entry => `${entry.action} ${entry.subject}`),
      [
        'offer_added repair: Free repairs',
        'offer_changed repair: Werkstatt',
        'offer_deleted repair: Werkstatt',
      ],
    )
  })
})
