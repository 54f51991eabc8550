import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderQrSvg } from '../../src/qr/svg.ts'
import { decodeQr, identifyQr, PIXELS_PER_MODULE, paint } from './decode.ts'

test('an independent decoder reads the address from the symbol, at both levels', async () => {
  for (const level of ['M', 'Q'] as const) {
    const address = 'https://passport.example/01/09521234000013/10/LOT-7%2FA/21/SN0001'
    assert.deepEqual(await decodeQr(renderQrSvg(address, { level }).svg), [address])
  }
})

test('it is a plain QR code as GS1 Digital Link requires, not one with FNC1', async () => {
  const { svg } = renderQrSvg('https://passport.example/01/09521234000013/10/L7', { level: 'M' })
  assert.deepEqual(await identifyQr(svg), [']Q1'])
})

test('any passport address decodes to itself', async () => {
  const address = fc
    .tuple(fc.domain(), fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/))
    .map(([host, id]) => `https://${host}/p/${id}`)
  await fc.assert(
    fc.asyncProperty(address, fc.constantFrom({}, { isInline: true } as const), async (text, how) => {
      assert.deepEqual(await decodeQr(renderQrSvg(text, { level: 'M', ...how }).svg), [text])
    }),
    { numRuns: 60 },
  )
})

test('the quiet zone is four modules wide, and the background is white', () => {
  const { svg } = renderQrSvg('https://a.example/p/0', { level: 'M' })
  const { data, width } = paint(svg)
  const dark = Array.from({ length: width * width }, (_, i) => i).filter(i => data[i * 4] === 0)
  for (const places of [dark.map(i => i % width), dark.map(i => Math.floor(i / width))]) {
    const module = PIXELS_PER_MODULE
    assert.deepEqual([Math.min(...places), Math.max(...places)], [4 * module, width - 4 * module - 1])
  }
  assert.match(svg, /<path fill="#fff" d="M0 0h/)
})

test('an inline symbol is the path alone', () => {
  const { svg } = renderQrSvg('https://a.example/p/0', { level: 'M', isInline: true })
  assert.match(
    svg,
    /^<svg viewBox="0 0 33 33" aria-hidden="true"[^>]*><path fill="none" stroke="#000" [^>]*\/><\/svg>$/,
  )
})

test('the address is escaped in the SVG', () => {
  const { svg } = renderQrSvg('https://a.example/"><script>alert(1)</script>', { level: 'M' })
  assert.ok(!svg.includes('<script'))
  assert.match(svg, /&lt;script&gt;/)
})

test('a size in millimetres is written into the symbol', () => {
  assert.match(
    renderQrSvg('https://a.example/p/0', { level: 'M', sizeMm: 25 }).svg,
    /width="25mm" height="25mm"/,
  )
})
