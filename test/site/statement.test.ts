/** Tests the comparison of a footprint: below its value, with its source, and as the account's own words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { read, renderPage, rowOf } from './passport-views.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
const COMPARISON = {
  statement: { en: 'About as much as 60 km by car.', de: 'So viel wie 60 km Autofahrt.' },
  source: 'Example Institute, Traffic 2026',
  sourceUrl: 'https://institute.example/traffic',
}
const viewOf = (
  category: (typeof CATEGORIES)[number],
  comparison: object | undefined,
  carbonFootprint = 9.5,
) => read(rowOf(category, { carbonFootprint, footprintComparison: comparison }, { schema_version: 2 }))

/** The text that a reader sees after the value of the footprint. */
const readAfterValue = (html: string) =>
  html
    .slice(html.search(/9[.,]5\skg/))
    .replace(/<[^>]*>/g, '|')
    .replace(/\|+/g, '|')

test('a comparison follows the value of the footprint, named as the words of the company', () => {
  for (const category of CATEGORIES) {
    const html = renderPage(viewOf(category, COMPARISON), 'en')
    assert.match(
      readAfterValue(html),
      /^9\.5\skg\sCO₂e[^|]*\|([^|]*\|)?Comparison \(the company’s own statement\)\|About as much as 60 km by car\.\|Source: \|Example Institute, Traffic 2026\| \|institute\.example\| \(opens another site\)\|/,
      category,
    )
    assert.match(
      html,
      /<p class="from">Source: <a href="https:\/\/institute\.example\/traffic" rel="noopener nofollow">/,
    )
  }
})

test('a comparison without an address names its source, and tells in which language it is', () => {
  const { sourceUrl: _, ...comparison } = COMPARISON
  const german = { ...comparison, statement: { de: COMPARISON.statement.de } }
  const html = renderPage(viewOf('textile', german), 'fr')
  assert.match(html, /<p lang="de" dir="auto">So viel wie 60 km Autofahrt\.<\/p>/)
  assert.match(html, /<p class="from">Source : <bdi lang="en">Example Institute, Traffic 2026<\/bdi><\/p>/)
  for (const { code } of LANGUAGES)
    assert.match(
      renderPage(viewOf('battery', german), code),
      code === 'en' ? />[^<]+: <bdi>Example/ : />[^<]+: <bdi lang="en">Example/,
    )
})

test('a comparison is text, and its address a link only if it is http(s)', () => {
  const hostile = { statement: { en: '<img src=x>' }, source: '"><b>', sourceUrl: 'javascript:alert(1)' }
  const html = renderPage(viewOf('textile', hostile), 'en')
  assert.doesNotMatch(html, /<img src=x|<b>"|href="javascript/)
  assert.match(html, /Source: <bdi>&#34;&#62;&#60;b&#62;<\/bdi>/)
})

test('a page without a comparison has none of its words', () => {
  for (const category of CATEGORIES) {
    assert.doesNotMatch(renderPage(viewOf(category, undefined), 'en'), /Comparison|Source: /)
  }
})

test('a page shows no comparison from further up than the value of the footprint', () => {
  const [value, statement] = ['carbonFootprint', 'footprintComparison']
  const cases: [level: 'b' | 'i', ofBatch: string[], ofUnit: string[], isShown: boolean][] = [
    ['i', [], [], true],
    ['i', [], [value], false],
    ['i', [value], [], false],
    ['i', [value], [statement], true],
    ['i', [statement], [value], false],
    ['i', [value, statement], [], true],
    ['i', [statement], [], true],
    ['i', [], [value, statement], true],
    ['b', [], [value], false],
    ['b', [], [value, statement], true],
  ]
  for (const category of CATEGORIES)
    for (const [level, ofBatch, ofUnit, isShown] of cases) {
      const data = { [value]: 9.5, [statement]: COMPARISON }
      const fields = { batch_fields: ofBatch, unit_fields: ofUnit }
      const view = read(rowOf(category, data, { schema_version: 2, level, ...fields }))
      const page = renderPage(view, 'en')
      const what = JSON.stringify([category, level, fields])
      assert.match(page, /9\.5\skg/, what)
      assert.equal(page.includes(COMPARISON.statement.en), isShown, what)
      // Programs read the data as stored.
      assert.ok(renderJsonLd(view, 'https://carnet.example/ns/dpp').includes(COMPARISON.statement.en), what)
    }
})

test('JSON-LD has the comparison under terms of its own', () => {
  const document = JSON.parse(renderJsonLd(viewOf('furniture', COMPARISON), 'https://carnet.example/ns/dpp'))
  assert.deepEqual(document['dpp:footprintComparison'], {
    '@type': 'dpp:FootprintComparison',
    'dpp:statement': COMPARISON.statement,
    'dpp:comparisonSource': COMPARISON.source,
    'dpp:sourceUrl': { '@id': COMPARISON.sourceUrl },
  })
})
