/** Tests that a category is data: one defined in this file works in every reader. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { completeCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import { disclose } from '../../src/categories/disclose.ts'
import type { Field } from '../../src/categories/field.ts'
import { describeCategory, summariseCategory } from '../../src/categories/schema/describe.ts'
import { buildCategorySchema, CUSTOM_KEYWORDS } from '../../src/categories/schema/json-schema.ts'
import { formatField } from '../../src/kernel/errors/detail-json.ts'
import { type Body, validData } from './arbitrary.ts'
import { T_SHIRT } from './examples.ts'
import { invalidData } from './invalid-data.ts'

const parts: Field = {
  name: 'parts',
  type: 'list',
  description: 'Parts and their shares of the price, in percent.',
  sumsTo100: 'share',
  maxItems: 10,
  of: [
    {
      name: 'share',
      type: 'number',
      description: 'Share in percent.',
      required: true,
      unit: '%',
      min: 0,
      max: 100,
    },
    { name: 'label', type: 'name', description: 'Label on the part.', localized: true, required: true },
    {
      name: 'maker',
      type: 'object',
      description: 'Who made it.',
      audience: ['legitimate_interest'],
      fields: [{ name: 'gln', type: 'name', description: 'GLN.', format: 'gln', required: true }],
    },
    {
      name: 'sizes',
      type: 'list',
      description: 'Sizes, in cm.',
      of: [{ name: '', type: 'number', description: 'cm' }],
    },
  ],
}

const toy = completeCategory({
  id: 'toy',
  title: 'Toy',
  schemaVersion: 3,
  fields: [
    {
      name: 'minimumAge',
      type: 'number',
      description: 'Youngest age, in years.',
      required: true,
      unit: 'years',
      min: 0,
    },
    { name: 'constructor', type: 'name', description: 'A name that every object has.', required: true },
    {
      name: 'warning',
      type: 'text',
      description: 'Warning for parents.',
      localized: true,
      required: true,
      requiredSince: 3,
    },
    parts,
  ],
})

const DATA: Body = {
  ...Object.fromEntries(
    Object.entries(T_SHIRT).filter(([key]) => toy.fields.some(field => field.name === key)),
  ),
  minimumAge: 3,
  constructor: 'Ada',
  warning: { en: 'Small parts.' },
  parts: [
    { share: 99.9, label: { en: 'Wheel' }, maker: { gln: '9506000134352' }, sizes: [1, 2] },
    { share: 0.1, label: { en: 'Axle' }, maker: { gln: '9506000134352' } },
  ],
}

describe('a made-up category', () => {
  it('is validated, with random data too', () => {
    assert.deepEqual(validateData(toy, DATA), { errors: [], warnings: [], truncated: false })
    fc.assert(
      fc.property(validData(toy), data => assert.deepEqual(validateData(toy, data).errors, [])),
      { numRuns: 100 },
    )
    fc.assert(
      fc.property(invalidData(toy), ({ data, wrong }) => {
        assert.deepEqual(
          validateData(toy, data)
            .errors.map(({ path }) => formatField(path))
            .sort(),
          wrong.toSorted(),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('reports a missing field named like an inherited property', () => {
    const { constructor: _, ...rest } = DATA
    assert.deepEqual(
      validateData(toy, rest).errors.map(({ path, code }) => [formatField(path), code]),
      [['constructor', 'required']],
    )
  })

  it('warns for an older passport if a field became required, and refuses a new one', () => {
    const { warning: _, ...rest } = DATA
    const codes = (validatedWith?: number) => {
      const { errors, warnings } = validateData(
        toy,
        rest,
        validatedWith === undefined ? {} : { validatedWith },
      )
      return [errors, warnings].map(list => list.map(({ path, code }) => `${formatField(path)} ${code}`))
    }
    assert.deepEqual(codes(), [['warning required'], []])
    assert.deepEqual(codes(3), [['warning required'], []])
    assert.deepEqual(codes(2), [[], ['warning required']])
    const { errors } = validateData(toy, { ...rest, minimumAge: 'three' }, { validatedWith: 1 })
    assert.deepEqual(
      errors.map(({ path }) => formatField(path)),
      ['minimumAge'],
    )
  })

  it('is described, with audiences narrowed by the parent field', () => {
    const described = describeCategory(toy)
    assert.equal(described.schema_version, 3)
    const list = described.fields.find(field => field.name === 'parts')
    assert.deepEqual(list?.sums_to, { field: 'share', total: 100 })
    const maker = list?.items?.fields?.find(field => field.name === 'maker')
    assert.deepEqual(maker?.audience, ['legitimate_interest'])
    assert.deepEqual(maker?.fields?.[0]?.audience, ['legitimate_interest'])
    assert.ok(summariseCategory(toy, 'x').required.includes('minimumAge'))
  })

  it('has a JSON Schema', () => {
    const ajv = new Ajv2020({ strict: true, validateFormats: false, ownProperties: true })
    ajv.addVocabulary([...CUSTOM_KEYWORDS])
    const accepts = ajv.compile(buildCategorySchema(toy))
    assert.ok(accepts(DATA), JSON.stringify(accepts.errors))
    assert.ok(!accepts({ ...DATA, minimumAge: -1 }))
  })

  it('shows each audience only its part', () => {
    const shown = (audience: 'public' | 'legitimate_interest' | 'authority') => {
      const { data, withheld } = disclose(toy, DATA, audience)
      return [(data.parts as Body[]).map(part => 'maker' in part), withheld]
    }
    assert.deepEqual(shown('public'), [[false, false], true])
    assert.deepEqual(shown('authority'), [[false, false], true])
    assert.deepEqual(shown('legitimate_interest'), [[true, true], true])
  })

  it('cannot take the name of a shared field', () => {
    const field: Field = { name: 'sku', type: 'name', description: 'Again.' }
    assert.throws(() => completeCategory({ id: 'x', title: 'X', schemaVersion: 1, fields: [field] }), /sku/)
  })
})
