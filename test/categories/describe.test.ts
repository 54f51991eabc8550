import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { describeCategory, summariseCategory, type WireField } from '../../src/categories/schema/describe.ts'

import protectedSince2 from './protected-since-2.json' with { type: 'json' }

const IDS = allCategories().map(({ id }) => id)

/** As JSON, like a client receives the fields. */
const fieldsOf = (id: string): readonly WireField[] => {
  const category = findCategory(id)
  assert.ok(category)
  return JSON.parse(JSON.stringify(describeCategory(category))).fields
}

function find(fields: readonly WireField[] | undefined, path: string): WireField {
  const [name, ...rest] = path.split('.')
  const field = fields?.find(one => one.name === name)
  assert.ok(field, path)
  return rest.length === 0 ? field : find(field.fields ?? field.items?.fields, rest.join('.'))
}

/** Every field with its path, nested fields included. */
function* walk(fields: readonly WireField[] = [], before = ''): Generator<[string, WireField]> {
  for (const field of fields) {
    yield [before + field.name, field]
    yield* walk(field.fields ?? field.items?.fields, `${before}${field.name}.`)
  }
}

describe('describeCategory', () => {
  it('has the fields of the table, in its order, and requires those that the table requires', () => {
    for (const category of allCategories()) {
      const described = describeCategory(category).fields.map(({ name, required }) => [name, required])
      assert.deepEqual(
        described,
        category.fields.map(({ name, required = false }) => [name, required]),
      )
    }
  })

  it('shows protected fields as such, and no others', () => {
    const hidden = IDS.flatMap(id =>
      Array.from(walk(fieldsOf(id)))
        .filter(([, field]) => !field.audience.includes('public'))
        .map(([path, field]) => `${id} ${path}: ${field.audience.join(' ')}`),
    )
    assert.deepEqual(
      hidden.sort(),
      [
        ...IDS.map(id => `${id} economicOperator.eori: authority`),
        'textile supplyChainStages.facilityName: legitimate_interest authority',
        'textile supplyChainStages.facilityId: legitimate_interest authority',
        'battery stateOfHealth: authority',
        'battery dueDiligenceUrl: legitimate_interest authority',
        ...protectedSince2,
      ].sort(),
    )
  })

  it('has the documented shapes', () => {
    const percentage = {
      name: 'percentage',
      type: 'number',
      required: true,
      localized: false,
      audience: ['public', 'legitimate_interest', 'authority'],
      unit: '%',
      minimum: 0,
      maximum: 100,
      description: 'Share of the fibre in percent of weight.',
    }
    const fibres = find(fieldsOf('textile'), 'fiberComposition')
    assert.equal(fibres.type, 'array')
    assert.deepEqual(fibres.sums_to, { field: 'percentage', total: 100 })
    assert.deepEqual(fibres.items?.fields?.[1], percentage)
    const care = find(fieldsOf('textile'), 'careInstructions')
    assert.deepEqual([care.type, care.localized], ['object', true])
    const languages = find(fieldsOf('battery'), 'languages')
    assert.deepEqual([languages.items?.type, languages.items?.format], ['string', 'language'])
    assert.equal(find(fieldsOf('battery'), 'carbonFootprintClass').enum?.join(''), 'ABCDEFG')
  })

  it('marks lists of values that may grow', () => {
    const open = IDS.flatMap(id =>
      Array.from(walk(fieldsOf(id)))
        .filter(([, field]) => field.open)
        .map(([path]) => `${id} ${path}`),
    )
    assert.ok(open.includes('battery cellChemistry'))
    assert.ok(open.includes('furniture materialComposition.material'))
  })

  it('describes every field in a sentence, with the unit of those that have one', () => {
    for (const id of IDS) {
      for (const [path, field] of walk(fieldsOf(id))) assert.match(field.description, /^[A-Z].*\.$/, path)
    }
  })
})

describe('summariseCategory', () => {
  it('has what the list of categories shows', () => {
    const summaries = allCategories().map(one =>
      summariseCategory(one, `https://api.example/schema/${one.id}`),
    )
    assert.deepEqual(
      summaries.map(({ id, title, schema_version }) => [id, title, schema_version]),
      allCategories().map(({ id, title, schemaVersion }) => [id, title, schemaVersion]),
    )
    assert.ok(summaries[0]?.required.includes('fiberComposition'))
    assert.equal(summaries[1]?.schema_url, 'https://api.example/schema/battery')
  })
})

describe('findCategory', () => {
  it('finds only existing categories', () => {
    for (const id of ['', 'Textile', 'toString', '__proto__', 'constructor'])
      assert.equal(findCategory(id), undefined)
  })
})
