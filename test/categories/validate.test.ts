import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allCategories, type CompleteCategory, findCategory } from '../../src/categories/catalogue.ts'
import { normaliseData, validateData } from '../../src/categories/check/validate.ts'
import { detailJson, formatField } from '../../src/kernel/errors/detail-json.ts'
import { TRANSLATION } from '../../src/kernel/errors/errors.ts'
import { IS_FULL } from '../full.ts'
import { assertWithin } from '../waiting.ts'
import { type Body, validData } from './arbitrary.ts'
import { freeze, T_SHIRT } from './examples.ts'
import { WRONG_TEXTS } from './format-values.ts'
import { invalidData } from './invalid-data.ts'

function category(id: string): CompleteCategory {
  const found = findCategory(id)
  assert.ok(found)
  return found
}

const textile = category('textile')
const codes = (data: Body, options = {}) =>
  Object.fromEntries(
    validateData(textile, data, options).errors.map(({ path, code }) => [formatField(path), code]),
  )
const withFields = (fields: Body): Body => ({ ...T_SHIRT, ...fields })

for (const one of allCategories()) {
  describe(`random bodies of ${one.id}`, () => {
    it('are accepted when valid, and not changed', () => {
      fc.assert(
        fc.property(validData(one), data => {
          const { errors, truncated } = validateData(one, freeze(data))
          assert.deepEqual(errors, [])
          assert.equal(truncated, false)
        }),
        { numRuns: IS_FULL ? 1_000 : 250 },
      )
    })

    it('are refused when invalid, naming every wrong field once and no other', () => {
      fc.assert(
        fc.property(invalidData(one), ({ data, wrong }) => {
          const { errors } = validateData(one, freeze(data))
          assert.deepEqual(errors.map(({ path }) => formatField(path)).sort(), [...wrong].sort())
        }),
        { numRuns: IS_FULL ? 1_000 : 250 },
      )
    })
  })
}

describe('a finding', () => {
  it('has a path, a code and a sentence', () => {
    const fiberComposition = [
      { fiber: 'cotton', percentage: 66.66 },
      { fiber: 'wool', percentage: '33.33' },
    ]
    assert.deepEqual(validateData(textile, withFields({ fiberComposition })).errors, [
      {
        path: ['data', 'fiberComposition', 1, 'percentage'],
        code: 'type',
        message: 'fiberComposition[1].percentage must be a number, not text; send it without quotes.',
        [TRANSLATION]: { key: 'type_quoted', facts: { wanted: 'number', kind: 'text' } },
      },
    ])
  })

  it('has a field for people, and a pointer with escaped keys for programs', () => {
    const fiberComposition = [{ fiber: 'cotton', percentage: 'all' }]
    const { errors, warnings } = validateData(textile, withFields({ fiberComposition, 'a/b~c': 1 }))
    assert.deepEqual(
      [...errors, ...warnings].map(detailJson).map(({ field, pointer }) => ({ field, pointer })),
      [
        { field: 'fiberComposition[0].percentage', pointer: '/data/fiberComposition/0/percentage' },
        { field: 'a/b~c', pointer: '/data/a~1b~0c' },
      ],
    )
  })

  it('has a message that begins with the field and ends with a full stop, in the order of the schema', () => {
    const { errors } = validateData(textile, {})
    assert.deepEqual(
      errors.map(({ path }) => formatField(path)),
      textile.fields.filter(field => field.required).map(field => field.name),
    )
    for (const { path, message, code } of errors) {
      assert.ok(message.startsWith(`${formatField(path)} `) && message.endsWith('.'), message)
      assert.equal(code, 'required')
    }
  })

  it('is left out beyond the hundredth, and the result says so', () => {
    const names = Array.from({ length: 100 }, (_, i) => ({ type: `t${i}`, url: 'x', more: 1 }))
    const { errors, truncated } = validateData(textile, withFields({ complianceDocuments: names }))
    assert.equal(errors.length, 100)
    assert.equal(truncated, true)
    assert.equal(validateData(textile, withFields({ complianceDocuments: names.slice(50) })).truncated, false)
  })

  it('is shortened if the name is very long', () => {
    const errors = validateData(textile, withFields({ [`${'k'.repeat(100_000)}\0`]: 1 })).errors.map(
      detailJson,
    )
    assert.equal(errors.length, 1)
    assert.ok(JSON.stringify(errors).length < 2000)
    assert.ok(errors.every(error => error.message.isWellFormed() && error.pointer.isWellFormed()))
  })
})

describe('each rule has its code', () => {
  const cases: Record<string, [Body, Record<string, string>]> = {
    'sum below': [{ fiberComposition: shares(33.33, 33.33, 33.33) }, { fiberComposition: 'sum_not_100' }],
    'sum above by a hair': [{ fiberComposition: shares(100, 1e-15) }, { fiberComposition: 'sum_not_100' }],
    'sum follows from a wrong share': [
      { fiberComposition: shares(150, 0) },
      { 'fiberComposition[0].percentage': 'max' },
    ],
    'empty list': [{ fiberComposition: [] }, { fiberComposition: 'length' }],
    'check digit': [{ gtin: '9506000134353' }, { gtin: 'gtin_check_digit' }],
    'GTIN as number': [{ gtin: 9506000134352 }, { gtin: 'type' }],
    country: [{ countryOfManufacture: 'UK' }, { countryOfManufacture: 'country_code' }],
    language: [{ languages: ['en', 'en_US'] }, { 'languages[1]': 'language_code' }],
    'language twice': [{ languages: ['en', 'de', 'EN'] }, { 'languages[2]': 'duplicate' }],
    'no language': [{ languages: [] }, { languages: 'length' }],
    'no primary text': [{ careInstructions: { de: 'x' } }, { careInstructions: 'primary_language_missing' }],
    'primary text under a misspelled tag': [
      { languages: ['pt-BR', 'en'], ...inAll('pt-BR'), careInstructions: { pt_BR: 'x' } },
      { 'careInstructions.pt_BR': 'language_code' },
    ],
    'bare string': [{ careInstructions: 'Wash.' }, { careInstructions: 'type' }],
    'unknown member': [{ durability: { testResult: 'x' } }, { 'durability.testResult': 'unknown_field' }],
    'below zero': [{ weightGrams: -1 }, { weightGrams: 'min' }],
    'not a number any more': [{ weightGrams: Number.POSITIVE_INFINITY }, { weightGrams: 'type' }],
    blank: [{ sku: ' ' }, { sku: 'length' }],
    'too long': [{ sku: 'x'.repeat(501) }, { sku: 'length' }],
    NUL: [{ sku: 'a\0' }, { sku: 'pattern' }],
    'lone surrogate': [{ sku: '\ud800' }, { sku: 'pattern' }],
    enum: [{ economicOperator: { ...operator(), role: 'Dealer' } }, { 'economicOperator.role': 'enum' }],
    'nested too deep': [{ note: nested(40) }, { [`note${'.x'.repeat(31)}`]: 'max' }],
    'free-form key': [{ 'a\0b': 1 }, { 'a\0b': 'pattern' }],
    'prototype of all': [JSON.parse('{"__proto__": {"x": 1}}'), { ['__proto__']: 'unknown_field' }],
    'prototype of a part': [
      { durability: JSON.parse('{"__proto__": {"x": 1}}') },
      { 'durability.__proto__': 'unknown_field' },
    ],
  }
  for (const [name, [fields, expected]] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(Object.entries(codes(withFields(fields))), Object.entries(expected)))
  }
})

describe('exact sums', () => {
  it('accept every sum of exactly 100 in any order', () => {
    for (const list of [
      [33.3, 33.3, 33.4],
      [33.4, 33.3, 33.3],
      [100],
      [1e-7, 99.9999999],
      [100, 0],
      [5e-324, 100],
    ]) {
      const isTrue = list.at(0) !== 5e-324
      const expected = isTrue ? {} : { fiberComposition: 'sum_not_100' }
      assert.deepEqual(codes(withFields({ fiberComposition: shares(...list) })), expected)
    }
  })
})

describe('text', () => {
  it('may have any other character, up to its maximum length', () => {
    for (const sku of [
      '\t\n',
      '\u202e',
      '\u200b',
      '😀'.repeat(500),
      '{{7*7}}',
      "'; drop table",
      '\ufeffx',
      '\u2028x',
    ]) {
      const expected = sku.trim() === '' ? { sku: 'length' } : {}
      assert.deepEqual(codes(withFields({ sku })), expected, JSON.stringify(sku))
    }
  })

  it('is refused in every wrong form of each format', () => {
    const place: Record<string, string> = {
      gtin: 'gtin',
      country: 'countryOfManufacture',
      cn_or_hs: 'commodityCode',
    }
    for (const [format, field] of Object.entries(place)) {
      for (const text of WRONG_TEXTS[format as keyof typeof WRONG_TEXTS]) {
        assert.deepEqual(Object.keys(codes(withFields({ [field]: text }))), [field], text)
      }
    }
  })
})

describe('unknown keys at the top', () => {
  it('are warnings that name the nearest field, if one is near', () => {
    const { errors, warnings } = validateData(
      textile,
      withFields({ fibreComposition: [], product_name: 'x', season: 'SS26', weigthGrams: 1 }),
    )
    assert.deepEqual(errors, [])
    assert.deepEqual(
      warnings.map(({ path, code, message }) => [
        formatField(path),
        code,
        /Did you mean (\w+)\?/.exec(message)?.[1],
      ]),
      [
        ['fibreComposition', 'unknown_field', 'fiberComposition'],
        ['product_name', 'unknown_field', 'productName'],
        ['season', 'unknown_field', undefined],
        ['weigthGrams', 'unknown_field', 'weightGrams'],
      ],
    )
  })

  it('are violations with strict', () => {
    assert.deepEqual(codes(withFields({ season: 1 }), { strict: true }), { season: 'unknown_field' })
    assert.deepEqual(validateData(textile, withFields({ season: 1 }), { strict: true }).warnings, [])
  })

  it('are harmless if they are names that objects inherit', () => {
    const data = withFields({
      constructor: 'x',
      toString: 'y',
      hasOwnProperty: 1,
      prototype: {},
      valueOf: null,
    })
    const { errors, warnings } = validateData(textile, data)
    assert.deepEqual(errors, [])
    assert.equal(warnings.length, 5)
  })
})

describe('hostile size', () => {
  const LIMIT_MS = 2000
  const hostile: Record<string, Body> = {
    'half a million wrong entries': { complianceDocuments: Array(500_000).fill(0) },
    'a hundred thousand unknown members': { economicOperator: keys(100_000) },
    'a hundred thousand languages': { careInstructions: keys(100_000) },
    'a hundred thousand free keys': keys(100_000),
    'a hundred thousand wrong texts': { note: Array(100_000).fill('\0') },
    'a megabyte of text': { sku: 'x'.repeat(1_000_000), gtin: '1'.repeat(1_000_000) },
    'a megabyte of address': { carbonFootprintStudyUrl: `https://${'a.'.repeat(500_000)}` },
  }
  for (const [name, fields] of Object.entries(hostile)) {
    it(`is answered quickly: ${name}`, async () => {
      const data = withFields(fields)
      const { errors, warnings } = await assertWithin(LIMIT_MS, () =>
        validateData(textile, normaliseData(data, textile)),
      )
      assert.ok(errors.length <= 100 && warnings.length <= 100)
      assert.ok(errors.length + warnings.length > 0)
    })
  }
})

function shares(...percentages: number[]) {
  return percentages.map((percentage, i) => ({ fiber: `fiber ${i}`, percentage }))
}

/** The example's localized fields in a single language. */
function inAll(language: string): Body {
  const text = { [language]: 'text' }
  return {
    careInstructions: text,
    endOfLife: { recyclingInstructions: text, disposalInstructions: text },
    repair: { repairable: true, sparePartsAvailable: true, instructions: text },
  }
}

function operator() {
  return T_SHIRT.economicOperator as Body
}

function nested(depth: number): unknown {
  return depth === 0 ? 'x' : { x: nested(depth - 1) }
}

function keys(count: number): Body {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))
}
