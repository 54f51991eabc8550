/** Tests that the parts of a complete run have each file once, and that their answers are compared together. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { choosePart, findAnswersFolder, findMissingParts, findPart, keepAnswers } from './parts.ts'

describe('a part of a run', () => {
  test('is read from its flag', () => {
    assert.deepEqual(findPart(['--measure', '--part=2/3']), { index: 2, count: 3 })
    for (const wrong of ['--part=0/2', '--part=3/2', '--part=1', '--part=a/b', '--full'])
      assert.equal(findPart([wrong]), undefined, wrong)
    assert.equal(findAnswersFolder(['--part=1/2', '--answers=/tmp/a b']), '/tmp/a b')
    assert.equal(findAnswersFolder([]), undefined)
  })

  test('has each file once, and takes about as long as the others', () => {
    const lengths = [90, 80, 70, 40, 30, 20, 10, 5, 1]
    const entries = new Map(lengths.map(seconds => [`entry ${seconds}`, [String(seconds)] as const]))
    for (const count of [1, 2, 3]) {
      const parts = Array.from({ length: count }, (_, n) =>
        choosePart(entries, { index: n + 1, count }, Number),
      )
      assert.deepEqual(parts.flatMap(part => [...part.keys()]).sort(), [...entries.keys()].sort())
      const sums = parts.map(part => [...part.values()].flat().reduce((sum, one) => sum + Number(one), 0))
      assert.ok(Math.max(...sums) - Math.min(...sums) <= 20, String(sums))
    }
  })

  test('keeps its answers, and a missing part is named', t => {
    const folder = mkdtempSync(join(tmpdir(), 'carnet-parts-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const kept = join(folder, 'kept')
    writeFileSync(join(folder, '7.txt'), 'GET /products 200\n')
    assert.equal(findMissingParts(kept), undefined)
    keepAnswers(folder, kept, { index: 2, count: 2 })
    assert.deepEqual(findMissingParts(kept), ['1-of-2'])
    keepAnswers(folder, kept, { index: 1, count: 2 })
    assert.deepEqual(findMissingParts(kept), [])
  })
})
