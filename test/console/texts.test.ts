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
import { findText, readTexts, renderText } from '../../src/console/page/texts.ts'
import { chooseWords } from '../../src/console/page/words.ts'

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
