/** Tests that any accent colour is readable on light and on dark pages. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  buildAccent,
  getContrast,
  MIN_CONTRAST,
  PAGE_BACKGROUND,
  parseColour,
} from '../../src/accounts/brand/accent.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`)

test('the contrast ratio follows the definition of WCAG', () => {
  assert.equal(getContrast('#000000', '#ffffff'), 21)
  assert.equal(getContrast('#777777', '#777777'), 1)
  assert.ok(Math.abs(getContrast('#767676', '#ffffff') - 4.54) < 0.01)
})

describe('buildAccent', () => {
  test('makes any colour legible on the light and the dark background', () => {
    fc.assert(
      fc.property(colour, given => {
        const { light, dark } = buildAccent(given)
        assert.ok(getContrast(light, PAGE_BACKGROUND.light) >= MIN_CONTRAST, `${given} as ${light}`)
        assert.ok(getContrast(dark, PAGE_BACKGROUND.dark) >= MIN_CONTRAST, `${given} as ${dark}`)
      }),
      { numRuns: 2_000 },
    )
  })

  test('leaves a legible colour unchanged', () => {
    assert.equal(buildAccent('#1a5f4b').light, '#1a5f4b')
    assert.equal(buildAccent('#f5c400').dark, '#f5c400')
  })

  test('changes the lightness no more than needed, and keeps the hue', () => {
    const { light } = buildAccent('#f5c400')
    assert.ok(getContrast(light, PAGE_BACKGROUND.light) < MIN_CONTRAST + 0.2)
    assert.match(light, /^#[89a][0-9a-f][56][0-9a-f]0[0-9a-f]$/)
    const { dark } = buildAccent('#1a5f4b')
    assert.ok(getContrast(dark, PAGE_BACKGROUND.dark) < MIN_CONTRAST + 0.2)
  })

  test('uses the background colours of the style sheet', () => {
    const css = readFileSync(new URL('../../assets/passport.css', import.meta.url), 'utf8')
    const papers = Array.from(css.matchAll(/--paper: (#[0-9a-f]{6});/g), ([, paper]) => paper)
    assert.deepEqual(papers, [PAGE_BACKGROUND.light, PAGE_BACKGROUND.dark])
  })
})

test('parseColour reads #rgb and #rrggbb and nothing else', () => {
  assert.equal(parseColour(' #1A5F4B '), '#1a5f4b')
  assert.equal(parseColour('#fC0'), '#ffcc00')
  for (const text of ['', '1a5f4b', '#12', '#1234', '#12345g', 'red', '#1a5f4b;}', 'rgb(1,2,3)']) {
    assert.equal(parseColour(text), undefined, text)
  }
})
