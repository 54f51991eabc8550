/** Tests that HTML of shops becomes the text that readers of a shop see, and that other texts stay. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPlainText } from '../../src/kernel/text/plain-text.ts'

const TEXTS: readonly (readonly [html: string, text: string])[] = [
  ['<p>Wash &amp; dry</p>', 'Wash & dry'],
  ['<p>One</p>\n<p>Two<br>Three</p>', 'One\n\nTwo\nThree'],
  ['<ul>\n <li>Wool</li>\n <li>Silk &lt; 5 %</li>\n</ul>', '• Wool\n• Silk < 5 %'],
  ['<ol><li>Wash<li>Dry</ol>', '1. Wash\n2. Dry'],
  ['<ul><li>Wool<ul><li>of sheep</li></ul></li></ul>', '• Wool\n• of sheep'],
  ['<h2>Care</h2><div>Wash</div><div>Dry</div>', 'Care\n\nWash\nDry'],
  ['<table><tr><td>Size</td><td>M</td></tr><tr><td>Fit</td><td>slim</td></tr></table>', 'Size M\nFit slim'],
  ['Hi<script>alert(1)</script> there<!-- note -->', 'Hi there'],
  ['<style>p{}</style><b>Bold</b>\nsecond line', 'Bold\nsecond line'],
  ['<img src=x onerror=alert(1)>Picture<iframe src="https://a.example">', 'Picture'],
  ['&lt;p&gt;Wool &amp;amp; silk&lt;/p&gt;', 'Wool & silk'],
  ['30&nbsp;&deg;C &ndash; &#8364; &#x20AC;', '30 °C – € €'],
  ['<p></p>', ''],
  ['Below <30 °C, 2 < 3, AT&T, a<b> x', 'Below <30 °C, 2 < 3, AT&T, a x'],
  ['Plain text\n\nin two paragraphs', 'Plain text\n\nin two paragraphs'],
  ['<brand>Nord</brand>', '<brand>Nord</brand>'],
]

for (const [html, text] of TEXTS)
  test(`${JSON.stringify(html)} becomes ${JSON.stringify(text)}`, () => assert.equal(toPlainText(html), text))

test('tags that do not end, at any length, are text or end with the text', () => {
  const LONG = 100_000
  assert.equal(toPlainText('<'.repeat(LONG)), '<'.repeat(LONG))
  assert.equal(toPlainText('<script>'.repeat(LONG)), '')
  assert.equal(toPlainText('<!--'.repeat(LONG)), '')
  assert.equal(toPlainText(`a<p ${'b'.repeat(LONG)}`), `a<p ${'b'.repeat(LONG)}`)
})
