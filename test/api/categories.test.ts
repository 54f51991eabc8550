import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allCategories } from '../../src/categories/catalogue.ts'
import { CORES, type Harness, startHarness, type TestAccount } from '../harness.ts'

describe('GET /categories and /schema/{category}', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const get = (path: string, headers: Record<string, string> = {}) =>
    t.ask('GET', `/api/v1${path}`, { key: account.key, headers })

  test('200: all categories with the fields they require', async () => {
    const { status, json, headers } = await get('/categories')
    assert.equal(status, 200)
    assert.deepEqual(
      json.data.map((one: { id: string }) => one.id),
      allCategories().map(({ id }) => id),
    )
    for (const category of json.data as { id: 'textile'; required: string[]; schema_url: string }[]) {
      const always = ['productName', 'sku', 'brandName', 'economicOperator', 'languages', 'endOfLife']
      assert.deepEqual(
        always.filter(name => !category.required.includes(name)),
        [],
      )
      assert.deepEqual(
        category.required.filter(name => !(name in CORES[category.id])),
        [],
      )
      assert.equal(category.schema_url, `https://carnet.example/api/v1/schema/${category.id}`)
    }
    assert.equal((await get('/categories', { 'if-none-match': headers.etag ?? '' })).status, 304)
  })

  test('200: a field list with types, audiences, units, values', async () => {
    const { json } = await get('/schema/battery')
    const field = (name: string) => json.data.fields.find((one: { name: string }) => one.name === name)
    assert.equal(json.data.category, 'battery')
    assert.deepEqual(field('stateOfHealth').audience, ['authority'])
    assert.deepEqual([...field('dueDiligenceUrl').audience].sort(), ['authority', 'legitimate_interest'])
    assert.equal(field('weightKg').unit, 'kg')
    assert.equal(field('weightKg').required, true)
    assert.equal(field('cellChemistry').open, true)
    assert.ok(field('cellChemistry').enum.includes('lfp'))
    assert.equal(field('endOfLife').fields[0].localized, true)
  })

  test('200: as JSON Schema 2020-12 that an independent reader compiles and applies', async () => {
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const { status, json, headers } = await get(`/schema/${category}?format=json-schema`)
      assert.equal(status, 200)
      assert.match(headers['content-type'] ?? '', /^application\/schema\+json/)
      assert.equal(json.$schema, 'https://json-schema.org/draft/2020-12/schema')
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(json)
      assert.ok(validate(CORES[category]), JSON.stringify(validate.errors))
      assert.ok(!validate({ ...CORES[category], sku: 7 }))
    }
  })

  test('the JSON Schema allows what can be sent: nulls, addresses in any script', async () => {
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const { json } = await get(`/schema/${category}?format=json-schema`)
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(json)
      const core = CORES[category]
      const accepted = async (data: object) => {
        const { status } = await t.ask('POST', '/api/v1/products?dry_run=true', {
          key: account.key,
          body: { category, data },
        })
        return [status === 201, validate(data)]
      }
      const optional = Object.keys(json.properties).filter(name => !json.required.includes(name))
      const nulls = Object.fromEntries(optional.map(name => [name, null]))
      assert.deepEqual(await accepted({ ...core, ...nulls }), [true, true])
      for (const name of json.required) {
        assert.deepEqual(await accepted({ ...core, [name]: null }), [false, false], name)
      }
      const { properties } = json.properties.economicOperator
      assert.equal(properties.contactEmail.format, 'idn-email')
      assert.equal(json.properties.complianceDocuments.items.properties.url.format, 'iri')
      const documents = [{ type: 'x', url: 'https://münchen.example/ü' }]
      const economicOperator = { ...(core.economicOperator as object), contactEmail: 'ä@ö.example' }
      const international = { ...core, economicOperator, complianceDocuments: documents }
      assert.deepEqual(await accepted(international), [true, true])
    }
  })

  test('404: an unknown category, also one named like an inherited property', async () => {
    for (const id of ['toy', 'constructor', '__proto__', 'Textile'])
      assert.equal((await get(`/schema/${id}`)).status, 404)
  })

  test('422: an unknown format', async () => {
    assert.equal((await get('/schema/textile?format=xml')).status, 422)
  })
})
