/**
 * Tests the console's texts: one file per language, plural forms by language, and English where a text is
 * missing.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  findText,
  isPlural,
  listConsoleLanguages,
  readTextSource,
  readTexts,
  renderText,
  type TextSource,
} from '../../src/console/page/texts.ts'
import { chooseWords } from '../../src/console/page/words.ts'

/** The texts that say the same for one as for many, with their keys. */
function listUncounted(source: TextSource, path = ''): [path: string, text: string][] {
  if (typeof source === 'string') return [[path, source]]
  if (isPlural(source)) return []
  return Object.entries(source).flatMap(([key, one]) => listUncounted(one, `${path}.${key}`))
}

/** These numbers are over a limit, so never one. */
const ALWAYS_MANY = ['.units.tooManyNames']

describe('the texts of the console', () => {
  test('placeholders are filled, and numbers are in the format of the language', () => {
    assert.equal(chooseWords('en').texts.home.quotaOf({ used: 1200, quota: '5' }), '1,200 of 5')
    assert.equal(chooseWords('de').texts.home.quotaOf({ used: 1200, quota: '5' }), '1.200 von 5')
    assert.equal(renderText('Fixed.', { unused: 1 }), 'Fixed.')
    assert.equal(findText({ known: 'text' }, 'toString'), undefined)
  })

  test('a plural follows its count', () => {
    const { problemCount } = chooseWords('en').texts.page
    assert.equal(problemCount({ count: 1 }), 'One thing needs your attention')
    assert.equal(problemCount({ count: 2 }), '2 things need your attention')
  })

  test('no text says “1 rows”: where rows are counted, the count chooses the text', () => {
    for (const language of listConsoleLanguages()) {
      const wrong = listUncounted(readTextSource(language)).filter(
        ([path, text]) => /\{\w+\} (rows|Zeilen)\b/.test(text) && !ALWAYS_MANY.includes(path),
      )
      assert.deepEqual(wrong, [], language)
    }
    const { spreadsheets } = chooseWords('en').texts
    assert.equal(
      spreadsheets.room({ room: 0, count: 1 }),
      'Your plan has room for 0 new products, and the spreadsheet has one row.',
    )
  })

  test('one file adds a language: its own plural rules, and English for missing texts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-texts-'))
    try {
      const en = {
        page: { skip: 'Skip', problemCount: { one: '{count} problem', other: '{count} problems' } },
      }
      const pl = {
        page: { problemCount: { one: '{count} plik', few: '{count} pliki', other: '{count} plików' } },
      }
      for (const [name, texts] of Object.entries({ en, pl })) {
        writeFileSync(join(folder, `${name}.json`), JSON.stringify(texts))
      }
      const { page } = readTexts('pl', pathToFileURL(`${folder}/`))
      assert.equal(page.skip, 'Skip')
      assert.deepEqual(
        [1, 3, 5].map(count => page.problemCount({ count })),
        ['1 plik', '3 pliki', '5 plików'],
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
