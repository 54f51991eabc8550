/** The mask is the best of the eight, and the symbol is the one that the library draws with it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { correction, generate } from 'lean-qr'
import { bestSymbol, type Modules, penaltyOf } from '../../src/qr/mask.ts'

const bitsOf = ({ size, get }: Modules) =>
  Uint8Array.from({ length: size * size }, (_, i) => (get(i % size, Math.floor(i / size)) ? 1 : 0))

describe('bestSymbol', () => {
  test('is one of the library’s eight, and none of them is better', () => {
    const texts = fc.oneof(fc.webUrl(), fc.stringMatching(/^[0-9A-Z]{1,60}$/), fc.string({ minLength: 1 }))
    fc.assert(
      fc.property(texts, fc.constantFrom('M' as const, 'Q' as const), (text, level) => {
        const draw = (mask: number) =>
          generate(text, {
            minCorrectionLevel: correction[level],
            maxCorrectionLevel: correction[level],
            mask: mask as 0,
          })
        const { size, dark } = bestSymbol(level, draw)
        const all = Array.from({ length: 8 }, (_, mask) => bitsOf(draw(mask)))
        assert.ok(all.some(one => Buffer.compare(one, dark) === 0))
        assert.equal(penaltyOf(size, dark), Math.min(...all.map(one => penaltyOf(size, one))))
      }),
      { numRuns: 150 },
    )
  })
})

describe('penaltyOf', () => {
  const of = (rows: readonly string[]) =>
    penaltyOf(
      rows.length,
      Uint8Array.from(rows.join(''), letter => (letter === '#' ? 1 : 0)),
    )

  test('counts runs, blocks and imbalance', () => {
    // Six lines of six alike (3 + 1) each way, 25 blocks, 100 % dark.
    assert.equal(of(Array(6).fill('######')), 12 * 4 + 25 * 3 + 100)
    assert.equal(of(['#.', '.#']), 0)
  })

  test('counts what looks like a finder', () => {
    const rows = Array.from({ length: 11 }, (_, y) => (y % 2 === 0 ? '.#.#.#.#.#.' : '#.#.#.#.#.#'))
    const plain = of(rows)
    const looking = of(['#.###.#....', ...rows.slice(1)])
    assert.ok(looking >= plain + 40)
  })
})
