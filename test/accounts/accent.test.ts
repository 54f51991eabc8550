/** The accent of an account can be read on light and on dark pages, whatever it is. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { accentOn, CONTRAST_MIN, contrast, findColour, PAPER } from '../../src/accounts/brand/accent.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`)

test('contrast is that of WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#777777'), 1)
  assert.ok(Math.abs(contrast('#767676', '#ffffff') - 4.54) < 0.01)
})

describe('accentOn', () => {
  test('any colour can be read on both papers', () => {
    fc.assert(
      fc.property(colour, given => {
        const { light, dark } = accentOn(given)
        assert.ok(contrast(light, PAPER.light) >= CONTRAST_MIN, `${given} as ${light}`)
        assert.ok(contrast(dark, PAPER.dark) >= CONTRAST_MIN, `${given} as ${dark}`)
      }),
      { numRuns: 2_000 },
    )
  })

  test('leaves a colour that can be read as it is', () => {
    assert.equal(accentOn('#1a5f4b').light, '#1a5f4b')
    assert.equal(accentOn('#f5c400').dark, '#f5c400')
  })

  test('goes no further than it must, and keeps the hue', () => {
    const { light } = accentOn('#f5c400')
    assert.ok(contrast(light, PAPER.light) < CONTRAST_MIN + 0.2)
    assert.match(light, /^#[89a][0-9a-f][56][0-9a-f]0[0-9a-f]$/)
    const { dark } = accentOn('#1a5f4b')
    assert.ok(contrast(dark, PAPER.dark) < CONTRAST_MIN + 0.2)
  })

  test('the papers are those of the style sheet', () => {
    const css = readFileSync(new URL('../../assets/passport.css', import.meta.url), 'utf8')
    const papers = Array.from(css.matchAll(/--paper: (#[0-9a-f]{6});/g), ([, paper]) => paper)
    assert.deepEqual(papers, [PAPER.light, PAPER.dark])
  })
})

test('findColour', () => {
  assert.equal(findColour(' #1A5F4B '), '#1a5f4b')
  assert.equal(findColour('#fC0'), '#ffcc00')
  for (const text of ['', '1a5f4b', '#12', '#1234', '#12345g', 'red', '#1a5f4b;}', 'rgb(1,2,3)']) {
    assert.equal(findColour(text), undefined, text)
  }
})
