/** The page that says which tests prove what standards ask is current, and names only tests that exist. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { listMissingTests, listProblems, PAGE_PATH, renderPage } from './conformance-page.ts'

describe('docs/conformance.md', () => {
  test('names only tests that exist', () => {
    assert.deepEqual(listProblems(), [])
  })

  test('is current; otherwise run npm run conformance', () => {
    assert.equal(readFileSync(PAGE_PATH, 'utf8'), renderPage())
  })

  test('would report a file or a title that is gone', () => {
    const missing = listMissingTests({
      'test/gone.test.ts': ['x'],
      'test/conformance.test.ts': ['names only tests that exist', 'no such title'],
    })
    assert.deepEqual(missing, [
      'there is no file test/gone.test.ts',
      'test/conformance.test.ts has no test "no such title"',
    ])
  })
})
