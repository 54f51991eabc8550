/** Tests that fibres are shown in the reader's language, whatever language or synonym the account used. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Language } from '../../src/i18n/catalogue.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { read, renderPage, rowOf } from './passport-views.ts'

const fibres = (...names: string[]) => ({
  fiberComposition: names.map(fiber => ({ fiber, percentage: 100 / names.length })),
})
const textOf = (language: Language, ...names: string[]) =>
  renderPage(read(rowOf('textile', fibres(...names))), language, { qr: '<svg></svg>' })
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]+>/g, '')

describe('a fibre on the page', () => {
  test('is in the language of the page, whatever language was entered', () => {
    const french = textOf('fr', 'Wolle', 'LEINEN', 'nylon', 'Baumwolle')
    for (const name of ['laine', 'lin', 'polyamide', 'coton']) assert.ok(french.includes(name), name)
    assert.doesNotMatch(french, /Wolle|LEINEN|nylon/i)
    assert.match(textOf('de', 'camel', 'lin'), /Kamel.*Flachs \(Leinen\)/s)
  })

  test('keeps the entered name if it says more than the fibre', () => {
    assert.match(textOf('de', 'organic cotton'), /Baumwolle \(organic cotton\)/)
    assert.match(textOf('el', 'merino wool'), /μαλλί \(merino wool\)/)
    for (const [language, written] of [
      ['en', 'Organic cotton'],
      ['de', 'Bio-Baumwolle'],
      ['en', 'organic linen'],
    ] as const) {
      const shown = textOf(language, written)
      assert.ok(shown.includes(written))
      assert.doesNotMatch(shown, new RegExp(`\\(${written}\\)`))
    }
  })

  test('is shown as written if the law does not list it: pages do not guess', () => {
    for (const name of ['moon dust', 'Baumwole', 'cottonn'])
      assert.ok(textOf('fr', name).includes(name), name)
  })
})

test('JSON-LD has the English name of a known fibre as the material, and the entered name beside it', () => {
  const row = rowOf('textile', fibres('Baumwolle', 'organic cotton', 'moon dust', 'silk'))
  const document = JSON.parse(renderJsonLd(read(row), 'https://carnet.example/ns/dpp'))
  assert.deepEqual(document.material, ['cotton', 'organic cotton', 'moon dust', 'silk'])
  assert.deepEqual(
    document['dpp:fiberComposition'].map((entry: Record<string, unknown>) => entry['dpp:fiber']),
    ['Baumwolle', 'organic cotton', 'moon dust', 'silk'],
  )
})
