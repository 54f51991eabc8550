import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isLanguage } from '../../src/i18n/catalogue.ts'
import {
  type LanguagePreferences,
  listRequestedLanguages,
  negotiateLanguage,
} from '../../src/i18n/negotiate.ts'

const TABLE: [why: string, wishes: LanguagePreferences, language: string][] = [
  ['nothing asked for', {}, 'en'],
  ['the query wins', { query: 'sv', acceptLanguage: 'de', primary: 'fr' }, 'sv'],
  ['the query in capitals with a region', { query: 'PT-br', acceptLanguage: 'de' }, 'pt'],
  ['the query with an underscore', { query: 'pt_PT' }, 'pt'],
  ['an unknown query is passed over', { query: 'tlh', acceptLanguage: 'de' }, 'de'],
  ['an empty query is passed over', { query: '', acceptLanguage: 'de' }, 'de'],
  ['an inherited name is no language', { query: 'constructor', primary: 'it' }, 'it'],
  ['the header over the primary language', { acceptLanguage: 'nl', primary: 'fr' }, 'nl'],
  ['a region falls back to its language', { acceptLanguage: 'pt-BR' }, 'pt'],
  ['script and region too', { acceptLanguage: 'el-Grek-GR-x-a' }, 'el'],
  ['quality decides', { acceptLanguage: 'de;q=0.3, fr;q=0.9, it;q=0.8' }, 'fr'],
  ['no quality is 1', { acceptLanguage: 'de;q=0.9, fr' }, 'fr'],
  ['order decides between equals', { acceptLanguage: 'fi;q=0.5, et;q=0.5, lv;q=0.4' }, 'fi'],
  ['spaces and capitals', { acceptLanguage: ' DE-at ; Q=0.8 ,  EN ;q=0.1 ' }, 'de'],
  ['an unknown language is passed over', { acceptLanguage: 'tr, ru;q=0.9, bg;q=0.1' }, 'bg'],
  ['the asterisk is no wish', { acceptLanguage: '*', primary: 'hu' }, 'hu'],
  ['the asterisk beside another', { acceptLanguage: '*;q=1, mt;q=0.1' }, 'mt'],
  ['quality 0 excludes', { acceptLanguage: 'de;q=0, fr;q=0.1' }, 'fr'],
  ['quality 0 excludes its regions', { acceptLanguage: 'de-AT, de;q=0.000, fr;q=0.1' }, 'fr'],
  ['quality 0 of a region leaves the language', { acceptLanguage: 'de-AT;q=0, de;q=0.5, fr;q=0.1' }, 'de'],
  ['all excluded: the primary language', { acceptLanguage: 'de;q=0', primary: 'ga' }, 'ga'],
  ['the primary language by its base', { primary: 'sl-SI' }, 'sl'],
  ['a primary language outside the 24', { primary: 'zh-Hant' }, 'en'],
  ['a quality above 1', { acceptLanguage: 'de;q=9, fr;q=0.1' }, 'fr'],
  ['a quality of four decimals', { acceptLanguage: 'de;q=0.9999, fr;q=0.1' }, 'fr'],
  ['a quality that is not a number', { acceptLanguage: 'de;q=NaN, fr;q=0.1' }, 'fr'],
  ['another parameter', { acceptLanguage: 'de;level=1, fr;q=0.1' }, 'fr'],
  ['two parameters', { acceptLanguage: 'de;q=1;q=0, fr;q=0.1' }, 'fr'],
  ['empty ranges', { acceptLanguage: ',,;,;q=1, ,da' }, 'da'],
  ['a subtag that is too long', { acceptLanguage: 'de-abcdefghi, fr;q=0.1' }, 'fr'],
  ['markup', { query: '<script>', acceptLanguage: '"><b>', primary: '\u0000' }, 'en'],
]

describe('negotiateLanguage', () => {
  for (const [why, wishes, language] of TABLE) {
    it(`${why}: ${language}`, () => assert.equal(negotiateLanguage(wishes), language))
  }

  it('reads a limited part of a huge header, and never half a range', () => {
    assert.equal(negotiateLanguage({ acceptLanguage: `${'x,'.repeat(400)}de`, primary: 'fr' }), 'fr')
    assert.equal(negotiateLanguage({ acceptLanguage: `fi,${'zz-'.repeat(100_000)}`, primary: 'fr' }), 'fi')
    const cut = `${' '.repeat(998)}de-none`
    assert.equal(negotiateLanguage({ acceptLanguage: cut, primary: 'fr' }), 'fr')
    assert.equal(negotiateLanguage({ query: 'd'.repeat(1_000_000) }), 'en')
    assert.equal(negotiateLanguage({ query: `de-${'a'.repeat(200)}` }), 'en')
  })

  it('takes linear time on hostile input', () => {
    const before = process.cpuUsage()
    for (const piece of ['a-', ' ', ';', ',', ';q=0.', 'de;q=1,']) {
      for (let n = 0; n < 20; n++)
        negotiateLanguage({ acceptLanguage: piece.repeat(200_000), query: piece.repeat(100) })
    }
    // Microseconds. Quadratic time would take hours.
    assert.ok(process.cpuUsage(before).user < 20_000_000)
  })

  it('returns one of the 24 for any input', () => {
    const text = fc.option(fc.string({ unit: 'binary', maxLength: 200 }), { nil: undefined })
    const header = fc.option(fc.stringMatching(/^[a-zA-Z0-9*;,=. -]{0,120}$/), { nil: undefined })
    fc.assert(
      fc.property(text, fc.oneof(text, header), text, (query, acceptLanguage, primary) =>
        isLanguage(negotiateLanguage({ query, acceptLanguage, primary })),
      ),
    )
  })
})

const ASKED: [why: string, wishes: LanguagePreferences, tags: string[]][] = [
  ['nothing asked for', { primary: 'ja' }, []],
  ['the query, then the header', { query: 'pt-BR', acceptLanguage: 'de' }, ['pt-br', 'de']],
  ['an underscore', { query: 'pt_BR' }, ['pt-br']],
  [
    'a query that no page is in, then the header',
    { query: 'ja', acceptLanguage: 'de-CH, fr' },
    ['ja', 'de-ch', 'fr'],
  ],
  [
    'beyond the one of the page',
    { acceptLanguage: 'ja, zh-Hant;q=0.9, de;q=0.8, fr;q=0.7' },
    ['ja', 'zh-hant', 'de', 'fr'],
  ],
  ['without what is excluded', { acceptLanguage: 'ja-JP, ja;q=0, *;q=0.5, de;q=0.1' }, ['de']],
  ['no tag at all', { query: '<script>', acceptLanguage: '"><b>' }, []],
  ['too long a query', { query: `ja-${'a-'.repeat(99)}a`, acceptLanguage: 'de' }, ['de']],
]

describe('listRequestedLanguages', () => {
  for (const [why, wishes, tags] of ASKED)
    it(why, () => assert.deepEqual(listRequestedLanguages(wishes), tags))

  it('has the tag that decides the language of the page first among those that pages are in', () => {
    const header = fc
      .array(fc.constantFrom('ja', 'de-AT', 'de', 'pt-BR;q=0.3', 'zh;q=0.9', 'de;q=0', '*'))
      .map(parts => parts.join(','))
    const query = fc.constantFrom(undefined, 'ja', 'sv-FI', '')
    fc.assert(
      fc.property(query, header, (query, acceptLanguage) => {
        const tags = listRequestedLanguages({ query, acceptLanguage })
        const known = tags.find(tag => negotiateLanguage({ query: tag, primary: 'el' }) !== 'el')
        const expected = negotiateLanguage({ query, acceptLanguage })
        assert.equal(negotiateLanguage({ query: known }), expected)
      }),
    )
  })
})
