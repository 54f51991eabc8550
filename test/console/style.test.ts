/**
 * Tests the style sheet's colours, light and dark, against WCAG 2.2: 4.5 for text, 3 for the edges of fields
 * and bars.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const style = readFileSync(new URL('../../assets/console.css', import.meta.url), 'utf8')
const blocks = Array.from(style.matchAll(/:root \{([^}]*)\}/g), ([, block]) => block ?? '')
const coloursOf = (block: string) =>
  new Map(
    Array.from(block.matchAll(/--([a-z-]+): (#[0-9a-f]{3,6});/g), ([, name, hex]) => [name ?? '', hex ?? '']),
  )

const PAIRS: readonly [string, string, number][] = [
  ['ink', 'paper', 7],
  ['ink', 'wash', 7],
  ['quiet', 'paper', 4.5],
  ['on-act', 'act', 4.5],
  ['wrong', 'paper', 4.5],
  ['wrong', 'wash', 4.5],
  ['edge', 'paper', 3],
]

/** WCAG 2.2, "relative luminance". */
function luminance(hex: string): number {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map(digit => digit + digit).join('')}` : hex
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (one: string, other: string) => {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

for (const [index, name] of ['light', 'dark'].entries()) {
  describe(name, () => {
    const colours = coloursOf(blocks[index] ?? '')
    for (const [front, back, least] of PAIRS) {
      test(`the contrast of ${front} on ${back} is at least ${least}`, () => {
        const found = contrast(colours.get(front) ?? '#777', colours.get(back) ?? '#777')
        assert.ok(found >= least, `${found.toFixed(2)}`)
      })
    }
  })
}

test('a change of text direction ends with its element', () => {
  const [, elements = ''] = /:where\(([^)]*)\) \{\s*unicode-bidi: plaintext;/.exec(style) ?? []
  for (const name of ['a', 'code', 'dd', 'span', 'strong', 'td'])
    assert.ok(elements.split(', ').includes(name), name)
})

test('nothing is loaded from other sites', () => assert.doesNotMatch(style, /url\(|@import|@font-face/))
