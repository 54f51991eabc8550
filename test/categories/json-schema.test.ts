import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import {
  buildCategorySchema,
  buildRequestSchema,
  CUSTOM_KEYWORDS,
  type JsonSchema,
} from '../../src/categories/schema/json-schema.ts'
import { IS_FULL } from '../full.ts'
import { validData } from './arbitrary.ts'
import { invalidData } from './invalid-data.ts'

type Schema = Record<string, unknown>

const compiled = (schema: JsonSchema) =>
  new Ajv2020({ strict: true, validateFormats: false }).addVocabulary([...CUSTOM_KEYWORDS]).compile(schema)
const compile = (category: CompleteCategory) => compiled(buildCategorySchema(category))

/** Every schema inside a schema, with its path. */
function* walk(schema: unknown, place: string): Generator<[string, Schema]> {
  if (typeof schema !== 'object' || schema === null) return
  const known = schema as Schema
  yield [place, known]
  for (const [name, inner] of Object.entries((known.properties ?? {}) as Schema))
    yield* walk(inner, `${place}/${name}`)
  for (const keyword of ['items', 'additionalProperties', 'propertyNames'])
    yield* walk(known[keyword], `${place}/${keyword}`)
}

for (const category of allCategories()) {
  describe(`the JSON Schema of ${category.id}`, () => {
    const schema = buildCategorySchema(category)
    const sent = buildRequestSchema(category, `https://api.example/schema/${category.id}`)

    it('is valid against the meta-schema of 2020-12 and compiles in strict mode', () => {
      for (const one of [schema, sent]) {
        const ajv = new Ajv2020()
        assert.equal(one.$schema, 'https://json-schema.org/draft/2020-12/schema')
        assert.ok(ajv.validateSchema(one), JSON.stringify(ajv.errors))
        compiled(one)
      }
    })

    it('accepts null for every optional top-level field, and differs in nothing else', () => {
      const { properties } = sent as { properties: Record<string, Schema> }
      for (const [name, one] of Object.entries(schema.properties)) {
        const { type, enum: values, ...rest } = properties[name] ?? {}
        const isRequired = schema.required.includes(name)
        assert.deepEqual(type, isRequired ? one.type : [one.type, 'null'], name)
        const listed = Array.isArray(one.enum) && !isRequired ? [...one.enum, null] : one.enum
        assert.deepEqual(values, listed, name)
        const { type: _, enum: __, ...kept } = one
        assert.deepEqual(rest, kept, name)
      }
      const { properties: _, $id: __, description: ___, ...around } = sent
      const { properties: ____, description: _____, ...wanted } = schema
      assert.deepEqual(around, wanted)
    })

    it('has an $id only if one was given', () => {
      assert.equal(sent.$id, `https://api.example/schema/${category.id}`)
      assert.equal(buildRequestSchema(category).$id, undefined)
    })

    it('bounds every array and every string', () => {
      for (const [place, { type, ...one }] of walk(schema, '')) {
        if (type === 'array') assert.ok(Number(one.maxItems) <= 1000, place)
        if (type === 'string') assert.ok('enum' in one || ('minLength' in one && 'maxLength' in one), place)
      }
    })

    it('closes every known object and leaves only the top open', () => {
      for (const [place, one] of walk(schema, '')) {
        if (one.type !== 'object' || one['x-localized']) continue
        assert.equal(one.additionalProperties, place === '', place)
      }
    })

    it('describes every field', () => {
      for (const [place, one] of walk(schema, '')) {
        if (!/\/(items|additionalProperties|propertyNames)$/.test(place)) assert.ok(one.description, place)
      }
    })

    it('accepts what the validator accepts', () => {
      const accepts = compile(category)
      fc.assert(
        fc.property(validData(category), data => assert.ok(accepts(data), JSON.stringify(accepts.errors))),
        { numRuns: IS_FULL ? 100 : 40 },
      )
    })

    it('refuses nothing that the validator accepts', () => {
      const accepts = compile(category)
      fc.assert(
        fc.property(invalidData(category), ({ data }) => {
          if (!accepts(data)) assert.ok(validateData(category, data).errors.length > 0)
        }),
        { numRuns: IS_FULL ? 200 : 70 },
      )
    })
  })
}
