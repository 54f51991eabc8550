/** Tests which language a reader gets, against what `Intl.Locale` says of all pairs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chooseLanguage } from '../../src/i18n/choose-language.ts'
import { canRead, expectedTag, READERS, TEXT_TAGS } from './reader-languages.ts'

const find = (tags: readonly string[], ...wanted: string[]) =>
  chooseLanguage(new Set(tags.map(tag => tag.toLowerCase())), wanted)

const TABLE: [why: string, tags: string[], wanted: string[], chosen: string | undefined][] = [
  ['a text with a region reaches other regions', ['en-us', 'de-de'], ['de-AT'], 'de-de'],
  ['and readers without a region', ['en-us', 'fr-fr'], ['fr'], 'fr-fr'],
  ['the exact tag wins', ['de', 'de-at', 'de-de'], ['de-AT'], 'de-at'],
  ['a shorter form wins over another region', ['de-de', 'de'], ['de-AT'], 'de'],
  ['the region of the reader wins', ['fr-fr', 'fr-latn-be'], ['fr-BE-x-a'], 'fr-latn-be'],
  ['then the main region of the language', ['de-ch', 'de-de'], ['de-AT'], 'de-de'],
  ['then the first', ['de-ch', 'de-li'], ['de-AT'], 'de-ch'],
  ['the likely region of a reader without one', ['pt-pt', 'pt-br'], ['pt'], 'pt-br'],
  ['a region of Portugal', ['pt-br', 'pt-pt'], ['pt-PT'], 'pt-pt'],
  ['Chinese in Taiwan', ['zh-hant', 'en'], ['zh-TW'], 'zh-hant'],
  ['Chinese in Hong Kong', ['zh-hant', 'zh-hans', 'en'], ['zh-HK'], 'zh-hant'],
  ['the script wins over a shorter form', ['zh', 'zh-hant'], ['zh-TW'], 'zh-hant'],
  ['a shorter form in another script is better than nothing', ['zh', 'en'], ['zh-TW'], 'zh'],
  ['another script does not reach anybody else', ['zh-hant', 'en'], ['zh-CN'], undefined],
  ['Serbian in Latin', ['sr-latn', 'sr-cyrl'], ['sr-Latn-RS'], 'sr-latn'],
  ['Serbian by its country', ['sr-latn', 'sr-cyrl'], ['sr-ME'], 'sr-latn'],
  ['Serbian', ['sr-latn', 'sr-cyrl'], ['sr'], 'sr-cyrl'],
  ['the next wish', ['it', 'fr'], ['de', 'fr-CH', 'it'], 'fr'],
  ['an old code', ['he'], ['iw-IL'], 'he'],
  ['Norwegian', ['da', 'nb'], ['nn-NO'], 'nb'],
  ['no language at all', ['en'], ['und', 'mul', 'x-private', '', 'a', '*', 'de_DE'], undefined],
  ['an unknown language by its code', ['qaa-de'], ['qaa'], 'qaa-de'],
]

describe('chooseLanguage', () => {
  for (const [why, tags, wanted, chosen] of TABLE)
    it(`${why}: ${chosen}`, () => assert.equal(find(tags, ...wanted), chosen))

  it('gives what the table of the documentation says', () => {
    const page = readFileSync(new URL('../../docs/languages.md', import.meta.url), 'utf8')
    const codes = (cell = '') => Array.from(cell.matchAll(/`([\w-]+)`/g), ([, code = '']) => code)
    let texts: string[] = []
    let rows = 0
    for (const line of page.split('\n')) {
      const cells = /^\|(.*)\|(.*)\|(.*)\|$/.exec(line)
      if (cells === null || codes(cells[2]).length === 0) continue
      if (codes(cells[1]).length > 0) texts = codes(cells[1])
      const [chosen] = /^ *the primary/.test(cells[3] ?? '') ? [] : codes(cells[3])
      const readers = codes(cells[2]?.replace('?lang=', ''))
      for (const reader of readers) assert.equal(find(texts, reader), chosen?.toLowerCase(), line)
      rows++
    }
    assert.ok(rows > 12, `${rows} rows`)
  })

  it('finds one text exactly for those who can read it', () => {
    assert.ok(TEXT_TAGS.length >= 60 && READERS.length >= 60)
    for (const text of TEXT_TAGS) {
      for (const reader of READERS)
        assert.equal(find([text], reader) !== undefined, canRead(reader, text), `${text} for ${reader}`)
    }
  })

  it('finds the nearest of several texts', () => {
    const texts = fc.uniqueArray(fc.constantFrom(...TEXT_TAGS), { maxLength: 12 })
    fc.assert(
      fc.property(texts, fc.constantFrom(...READERS), (tags, reader) => {
        assert.equal(find(tags, reader), expectedTag(reader, tags)?.toLowerCase())
      }),
      { numRuns: 5_000 },
    )
  })

  it('never throws and takes linear time on hostile input', () => {
    const before = process.cpuUsage()
    const tags = new Set(Array.from({ length: 100 }, (_, i) => `de-cyrl-x-${i}`))
    for (let i = 0; i < 20_000; i++) chooseLanguage(tags, [`de-x-${'a-'.repeat(i % 500)}${i}`, `de-${i}`])
    // Microseconds. To describe all tags for each reader would take minutes.
    assert.ok(process.cpuUsage(before).user < 20_000_000)
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (some, tag) => {
        const found = chooseLanguage(new Set(some), [tag])
        assert.ok(found === undefined || some.includes(found))
      }),
    )
  })
})
