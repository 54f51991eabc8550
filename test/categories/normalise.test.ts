import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { normaliseData, validateData } from '../../src/categories/check/validate.ts'
import { formatField } from '../../src/kernel/errors/detail-json.ts'
import { validData } from './arbitrary.ts'
import { freeze, T_SHIRT } from './examples.ts'

const textile = findCategory('textile')
assert.ok(textile)

describe('normaliseData', () => {
  it('returns valid data unchanged', () => {
    for (const category of allCategories()) {
      fc.assert(
        fc.property(validData(category), data =>
          assert.deepEqual(normaliseData(freeze(data), category), data),
        ),
        { numRuns: 50 },
      )
    }
  })

  it('writes every line end as LF, in free-form keys too', () => {
    const sent = freeze({ ...T_SHIRT, sku: 'a\r\nb\r\n', note: { deep: ['\r\n', 7, null] } })
    const data = normaliseData(sent, textile)
    assert.deepEqual(data, { ...T_SHIRT, sku: 'a\nb\n', note: { deep: ['\n', 7, null] } })
    assert.equal(normaliseData({ note: 'a\rb' }).note, 'a\rb')
  })

  it('writes language tags in one form, as entries and as keys', () => {
    const text = { 'PT-br': 'x', EN: 'y' }
    const sent = freeze({
      ...T_SHIRT,
      languages: ['pt-br', 'EN', 'en_US'],
      careInstructions: text,
      repair: { repairable: true, sparePartsAvailable: true, instructions: text },
      note: text,
    })
    const data = normaliseData(sent, textile)
    assert.deepEqual(data.languages, ['pt-BR', 'en', 'en_US'])
    assert.deepEqual(data.careInstructions, { 'pt-BR': 'x', en: 'y' })
    assert.deepEqual(data.repair, {
      repairable: true,
      sparePartsAvailable: true,
      instructions: { 'pt-BR': 'x', en: 'y' },
    })
    assert.deepEqual(data.note, text)
  })

  it('keeps both texts if two keys are one language; the validator reports the second', () => {
    const sent = freeze({ ...T_SHIRT, careInstructions: { en: 'a', EN: 'b' } })
    const data = normaliseData(sent, textile)
    assert.deepEqual(data, sent)
    assert.deepEqual(
      validateData(textile, data).errors.map(({ path, code }) => [formatField(path), code]),
      [['careInstructions.EN', 'duplicate']],
    )
  })

  it('keeps the key __proto__ as an own property, so that it is refused', () => {
    const sent = JSON.parse('{"__proto__": {"admin": "a\\r\\nb"}, "durability": {"__proto__": "a\\r\\nb"}}')
    const data = normaliseData(sent, textile)
    assert.deepEqual(Object.keys(data), ['__proto__', 'durability'])
    assert.equal(Object.getPrototypeOf(data), Object.prototype)
    assert.equal('admin' in data, false)
    assert.equal(JSON.stringify(data), '{"__proto__":{"admin":"a\\nb"},"durability":{"__proto__":"a\\nb"}}')
  })

  it('accepts any JSON and never changes it', () => {
    const any = fc.dictionary(
      fc.constantFrom('languages', 'careInstructions', 'endOfLife', 'x'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(any, data => {
        const before = JSON.stringify(data)
        validateData(textile, normaliseData(freeze(data), textile))
        assert.equal(JSON.stringify(data), before)
      }),
    )
  })

  it('survives deep nesting', () => {
    let deep: unknown = 'a\r\n'
    for (let i = 0; i < 20_000; i++) deep = [deep]
    const { errors } = validateData(
      textile,
      normaliseData({ ...T_SHIRT, note: deep, durability: deep }, textile),
    )
    assert.deepEqual(errors.map(({ code }) => code).sort(), ['max', 'type'])
  })
})
