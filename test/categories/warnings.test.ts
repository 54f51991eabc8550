/** Tests the warnings about data that is accepted, but that readers do not get as it was meant. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import { formatField } from '../../src/kernel/errors/detail-json.ts'
import { T_SHIRT } from './examples.ts'

const textile = findCategory('textile')

/** The field, code and message of each warning. The data must be valid. */
function warningsOf(fields: object): [field: string, code: string, message: string][] {
  assert.ok(textile)
  const { errors, warnings } = validateData(textile, { ...T_SHIRT, ...fields })
  assert.deepEqual(errors, [])
  return warnings.map(({ path, code, message }) => [formatField(path), code, message])
}

/** In all texts of the example. */
const inLanguages = (...languages: string[]) => {
  const texts = Object.fromEntries(languages.map(tag => [tag, 'Text']))
  return {
    languages,
    careInstructions: texts,
    endOfLife: { recyclingInstructions: texts, disposalInstructions: texts },
  }
}

test('the example has no warning', () => assert.deepEqual(warningsOf({}), []))

describe('a language tag that names no language', () => {
  for (const [tag, meant] of [
    ['english', 'en'],
    ['englisch-US', 'en'],
    ['francais', 'fr'],
    ['enlish', 'en'],
    ['gr', 'el'],
    ['cz', 'cs'],
    ['jp', 'ja'],
    ['zz', undefined],
    ['qaa', undefined],
  ] as const) {
    test(`${tag} has one warning, which names ${meant ?? 'no other'}`, () => {
      const [warning, ...others] = warningsOf(inLanguages('en', tag))
      assert.deepEqual(others, [])
      assert.deepEqual(warning?.slice(0, 2), ['languages[1]', 'unlisted_language'])
      const suggested = /Did you mean (\w+)\?$/.exec(warning?.[2] ?? '')?.[1]
      assert.equal(suggested, meant)
    })
  }

  test('is named at its text if it is in no list', () => {
    const [warning] = warningsOf({ careInstructions: { en: 'Wash.', zz: 'Text' } })
    assert.deepEqual(warning?.slice(0, 2), ['careInstructions.zz', 'unlisted_language'])
  })

  test('is not any other, however rare', () => {
    const rare = ['gsw', 'nds', 'sr-Latn', 'zh-Hant-TW', 'nn-NO', 'mt', 'se', 'de-1996', 'yue', 'en-x-shop']
    assert.deepEqual(warningsOf(inLanguages('en', ...rare)), [])
  })
})

describe('a text that nobody can see', () => {
  for (const text of ['\u200b', '\u3164', '\u2800', '\ufeff \u00ad', '\u115f\u2060'])
    test(`${JSON.stringify(text)} is stored with a warning`, () => {
      const found = warningsOf({ productName: text })
      assert.deepEqual(
        found.map(one => one.slice(0, 2)),
        [['productName', 'invisible']],
      )
    })

  test('a SKU with an invisible character looks like another one', () => {
    const found = warningsOf({ sku: 'A-1\u200b' })
    assert.deepEqual(
      found.map(one => one.slice(0, 2)),
      [['sku', 'invisible']],
    )
  })

  test('joiners within names and texts belong to their script', () => {
    assert.deepEqual(warningsOf({ productName: 'می\u200cخواهم 👩\u200d🔧 क्\u200dष' }), [])
  })
})

describe('HTML in a text', () => {
  for (const [text, found] of [
    ['<p>Wash &amp; dry</p>', '<p>'],
    ['Wash &amp; dry', '&amp;'],
    ['One<br/>Two', '<br/>'],
    ['<a href="https://shop.example">More</a>', '<a href="https://shop.example">'],
    ['30&deg;C', '&deg;'],
    ['M&uuml;ller', '&uuml;'],
    ['it&#39;s', '&#39;'],
  ] as const) {
    test(`${text} is stored with a warning`, () => {
      const [warning] = warningsOf({ careInstructions: { en: text } })
      assert.deepEqual(warning?.slice(0, 2), ['careInstructions.en', 'markup'])
      assert.ok(warning?.[2].includes(found), warning?.[2])
    })
  }

  test('signs of arithmetic and names of companies are text', () => {
    for (const text of ['C&A, P&G; R&D;', 'pH < 7 and > 5', '<30 °C>', 'a <b', '<- fold here ->'])
      assert.deepEqual(warningsOf({ productName: text }), [], text)
  })
})
