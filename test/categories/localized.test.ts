import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Field } from '../../src/categories/field.ts'
import {
  filterTags,
  listChosenTags,
  listTranslationLanguages,
  pickText,
} from '../../src/categories/pick-text.ts'
import { expectedTag } from '../i18n/reader-languages.ts'

const TAGS = ['en', 'en-US', 'de', 'de-AT', 'pt', 'pt-BR', 'zh', 'zh-Hant', 'zh-Hant-TW', 'mt']
const tag = fc.constantFrom(...TAGS)
const texts = fc.dictionary(tag, fc.constantFrom('a', 'b', ' ', ''), { noNullPrototype: true })

describe('pickText', () => {
  it('takes the nearest text for the first language that has one, then the primary one, then the first', () => {
    fc.assert(
      fc.property(texts, fc.array(tag, { maxLength: 3 }), tag, (localized, want, primary) => {
        const filled = Object.entries(localized).filter(([, text]) => text.trim() !== '')
        const tags = filled.map(([language]) => language)
        const [language = tags[0]] = [...want, primary].flatMap(one => expectedTag(one, tags) ?? [])
        const text = filled.find(([one]) => one === language)?.[1]
        assert.deepEqual(
          pickText(localized, want, primary),
          language === undefined ? undefined : { language, text },
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('compares tags without regard to case and keeps the key', () => {
    assert.deepEqual(pickText({ 'pt-br': 'oi' }, ['PT-BR'], 'en'), { text: 'oi', language: 'pt-br' })
  })

  it('treats the tags of Norwegian as one language, nearest first', () => {
    const norwegian = ['no', 'nb', 'nn', 'nb-NO', 'nn-NO', 'no-NO']
    for (const wanted of norwegian) {
      for (const written of norwegian) {
        assert.equal(pickText({ en: 'wash', [written]: 'vask' }, [wanted], 'en')?.text, 'vask')
        assert.deepEqual(filterTags([wanted, 'fr'], new Set(['en', written.toLowerCase()])), [wanted])
      }
    }
    assert.equal(pickText({ no: 'a', nb: 'b', nn: 'c' }, ['nn-NO'], 'no')?.text, 'c')
    assert.equal(pickText({ nb: 'b', 'nn-NO': 'c' }, ['nn'], 'nb')?.text, 'c')
    assert.equal(pickText({ en: 'wash', no: 'vask' }, ['da'], 'en')?.text, 'wash')
  })

  it('reads only own properties, and accepts any input', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      assert.equal(pickText({}, [name], name), undefined)
      assert.deepEqual(pickText({ en: 'x' }, [name], name), { text: 'x', language: 'en' })
    }
    for (const value of [undefined, null, 'text', 7, true, [], {}, { en: 7 }, { en: null }]) {
      assert.equal(pickText(value, ['en'], 'en'), undefined)
    }
  })
})

describe('filterTags', () => {
  it('leaves out tags that do not change the chosen text', () => {
    fc.assert(
      fc.property(texts, fc.array(tag, { maxLength: 4 }), tag, (localized, want, primary) => {
        const field = { name: 'text', type: 'text', localized: true, description: '' } as const
        const among = filterTags(want, listTranslationLanguages([field], { text: localized }).all)
        assert.deepEqual(pickText(localized, among, primary), pickText(localized, want, primary))
        assert.equal(new Set(among).size, among.length)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('listTranslationLanguages', () => {
  it('finds the languages of nested texts', () => {
    const text = { type: 'text', localized: true, description: '' } as const
    const plain = { type: 'name', description: '' } as const
    const fields: Field[] = [
      { ...text, name: 'care' },
      {
        ...plain,
        name: 'origin',
        type: 'object',
        fields: [
          { ...plain, name: 'xx' },
          { ...text, name: 'note' },
        ],
      },
      {
        ...plain,
        name: 'steps',
        type: 'list',
        of: [
          { ...plain, name: 'id' },
          { ...text, name: 'how' },
        ],
      },
      { ...plain, name: 'lines', type: 'list', of: [{ ...text, name: '' }] },
    ]
    const data = {
      care: { de: 'a' },
      origin: { xx: 'b', note: { 'pt-BR': 'c' } },
      steps: [{ id: 'd', how: { ja: 'e' } }, null, 7],
      lines: [{ 'zh-Hant': 'f' }],
      own: { fr: 'g' },
    }
    assert.deepEqual([...listTranslationLanguages(fields, data).all], ['de', 'pt-br', 'ja', 'zh-hant'])
  })
})

describe('listChosenTags', () => {
  it('are the same for two readers exactly when they get the same texts', () => {
    const field = (name: string) => ({ name, type: 'text', localized: true, description: '' }) as const
    const fields = [field('care'), field('note')]
    const wishes = fc.array(tag, { maxLength: 4 })
    fc.assert(
      fc.property(texts, texts, wishes, wishes, tag, (care, note, one, other, primary) => {
        const languages = listTranslationLanguages(fields, { care, note })
        const key = (wanted: readonly string[]) => String(listChosenTags(languages, wanted, primary))
        const read = (wanted: readonly string[]) =>
          [care, note].map(written => pickText(written, wanted, primary)?.language)
        assert.equal(key(one) === key(other), String(read(one)) === String(read(other)))
      }),
      { numRuns: 1000 },
    )
  })
})
