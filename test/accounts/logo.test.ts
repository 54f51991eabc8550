/** Tests which files are accepted as logos, and that a cleaned SVG contains only drawing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { MAX_LOGO_BYTES, parseLogo } from '../../src/accounts/brand/logo.ts'
import { sanitizeSvg } from '../../src/accounts/brand/sanitize-svg.ts'

const svg = (inside: string, attributes = 'viewBox="0 0 40 20"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`
const png = (width: number, height: number, more = 0) => {
  const bytes = Buffer.alloc(33 + more)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const size = (bytes: Buffer | string) => {
  const { type, width, height } = parseLogo(Buffer.from(bytes), 'logo') as Exclude<
    ReturnType<typeof parseLogo>,
    { code: unknown }
  >
  return [type, width, height]
}

describe('sanitizeSvg', () => {
  test('leaves a plain drawing unchanged', () => {
    const drawing =
      '<title>Nordlicht &amp; Co</title><defs><linearGradient id="g"><stop offset="0" stop-color="#123"/></linearGradient></defs>' +
      '<style>.a{fill:url(#g)}</style><g transform="translate(1 2)"><path class="a" d="M0 0h40v20z"/><text x="1" y="2">N&lt;</text></g>'
    assert.equal(sanitizeSvg(svg(drawing))?.text, svg(drawing))
  })

  test('keeps references to its own parts, colours, transforms and selectors', () => {
    const drawing =
      '<style>.a:not(.b){fill:rgba(1, 2, 3, 0.5);transform:rotate(calc(1deg * 2))}g:nth-child(2){mask:url(#m)}</style>' +
      '<g clip-path="url(\'#c\')" mask="url(#m)" fill="url(#g) hsl(1 2% 3%)" transform="matrix(1 0 0 1 0 0) rotate (5) skewX(1)"><path d="M0 0"/></g>'
    assert.equal(sanitizeSvg(svg(drawing))?.text, svg(drawing))
  })

  test('drops what drawing programs add, and returns the size', () => {
    const source = `\ufeff<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><!-- made by -->
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:e="urn:e" width="80px" height="40" e:version="1"><metadata><x/></metadata><e:view id="b"/><path d="M0 0"/></svg>`
    assert.deepEqual(sanitizeSvg(source), {
      text: '<svg xmlns="http://www.w3.org/2000/svg" width="80px" height="40"><path d="M0 0"/></svg>',
      width: 80,
      height: 40,
    })
  })

  const HOSTILE = [
    '<script>alert(1)</script>',
    '<script xlink:href="https://evil.example/x.js"/>',
    '<g onload="alert(1)" onclick=\'x()\'/>',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="alert(1)"/></body></foreignObject>',
    '<image href="https://evil.example/track.png"/>',
    '<a href="javascript:alert(1)"><text>x</text></a>',
    '<use href="https://evil.example/x.svg#a"/>',
    '<use xlink:href="data:image/svg+xml;base64,AAAA#a"/>',
    '<set attributeName="href" to="javascript:alert(1)"/>',
    '<animate attributeName="d" values="a;b"/>',
    '<style>@import "https://evil.example/x.css";</style>',
    '<style>g{background:url(https://evil.example/x)}</style>',
    '<style>g{background:u\\72l(https://evil.example/x)}</style>',
    '<style>g{background:url(  "//evil.example/x")}</style>',
    '<style>g{background:u<!-- -->rl(https://evil.example/x)}</style>',
    '<style>g{background:u<![CDATA[rl(]]>https://evil.example/x)}</style>',
    '<style>g{background:u<g/>rl(https://evil.example/x)}</style>',
    '<style>@im<?x?>port "https://evil.example/x"</style>',
    '<rect fill="\\75rl(&quot;https://evil.example/x&quot;)"/>',
    '<rect fill="url(https://evil.example/x#a)"/>',
    '<rect fill="&#117;rl(https://evil.example/x)"/>',
    '<rect style="background:image-set(\'https://evil.example/x\' 1x)"/>',
    '<rect mask="image-set(\'https://evil.example/x\' 1x)"/>',
    '<rect fill="-webkit-image-set(&quot;https://evil.example/x&quot; 1x)"/>',
    '<rect mask="image( \'https://evil.example/x\')"/>',
    '<rect clip-path="src(\'https://evil.example/x\')"/>',
    '<rect mask="cross-fade(\'https://evil.example/x\', red)"/>',
    '<rect mask="IMAGE-SET(\'https://evil.example/x\' 1x)"/>',
    '<rect mask="a-function-of-next-year(\'https://evil.example/x\')"/>',
    '<rect fill="url(#a) url(https://evil.example/x)"/>',
    '<rect fill="url(\'#a\' https://evil.example/x)"/>',
    '<style>g{background:element(#evil)}</style>',
    '<style>g{mask:paint(evil)}</style>',
    '<style><![CDATA[ @font-face { src: url(https://evil.example/f) } ]]></style>',
    '<handler type="application/ecmascript">alert(1)</handler>',
    '<filter id="f"><feImage href="https://evil.example/x"/></filter>',
  ]
  for (const hostile of HOSTILE) {
    test(`keeps nothing of ${hostile}`, () => {
      const clean = sanitizeSvg(svg(`${hostile}<path d="M0 0"/>`))?.text ?? ''
      assert.doesNotMatch(
        clean,
        /evil|alert|script|onload|onclick|data:|import|foreign|image|set |animate|handler/,
      )
      assert.match(clean, /<path d="M0 0"\/>/)
    })
  }

  test('rejects SVG that is incomplete, not XML or declares entities', () => {
    const bad = [
      '',
      'text',
      '<svg',
      svg('<g>'),
      svg('</g>'),
      svg('<g></p></g>'),
      `${svg('')}${svg('')}`,
      `<html>${svg('')}</html>`,
      `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('')}`,
      svg('<text>&x;</text>'),
      svg('<text>a & b</text>'),
      svg('<path d=M0/>'),
      svg('<path d="<"/>'),
      svg('', ''),
      svg('', 'viewBox="0 0 0 0"'),
      svg('<use href="#a"/>'.repeat(17)),
    ]
    for (const source of bad) assert.equal(sanitizeSvg(source), undefined, source.slice(0, 60))
  })

  test('for any input the output has only allowed elements and attributes, and a second pass changes nothing', () => {
    const bit = fc.constantFrom(
      ...[
        '<script>',
        '</script>',
        '<g ',
        'onload="x"',
        '>',
        '</g>',
        '<path d="M0"/>',
        '<!--',
        '-->',
        '<![CDATA[',
      ],
      ...[
        ']]>',
        '&lt;',
        '&#60;',
        '"',
        "'",
        '<style>',
        '</style>',
        'url(',
        'x',
        ' href="#a"',
        '/>',
        '<use',
        '\u0000',
      ],
    )
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 20 }), bits => {
        const clean = sanitizeSvg(svg(bits.join('')))
        if (clean === undefined) return
        assert.doesNotMatch(clean.text, /<script|<[^>]* on\w+=/)
        assert.equal(sanitizeSvg(clean.text)?.text, clean.text)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('parseLogo', () => {
  test('detects the image type from the bytes', () => {
    assert.deepEqual(size(png(320, 80)), ['png', 320, 80])
    assert.deepEqual(size(svg('')), ['svg', 200, 100])
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108005000a003', 'hex')
    assert.deepEqual(size(jpeg), ['jpg', 160, 80])
    const webp = (chunk: string, rest: string) =>
      Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), Buffer.from(chunk), Buffer.from(rest, 'hex')])
    assert.deepEqual(size(webp('VP8 ', '00000000000000 9d012aa0005000'.replace(' ', ''))), ['webp', 160, 80])
    assert.deepEqual(size(webp('VP8L', '000000002f9fc01300000000000000')), ['webp', 160, 80])
    assert.deepEqual(size(webp('VP8X', '0a000000000000009f00004f0000')), ['webp', 160, 80])
  })

  test('explains a rejected file in one sentence', () => {
    const message = (bytes: Buffer) => (parseLogo(bytes, 'logo') as { message?: string }).message
    assert.match(message(Buffer.from('GIF89a')) ?? '', /^logo is not a picture that can be used/)
    assert.match(message(Buffer.alloc(0)) ?? '', /not a picture/)
    assert.match(message(png(0, 10)) ?? '', /not a picture/)
    assert.match(message(png(10, 10, MAX_LOGO_BYTES)) ?? '', /^logo has 8225 bytes; at most 8192 are allowed/)
    assert.match(message(png(30_000, 10)) ?? '', /30000 × 10 pixels; at most 1200 are allowed/)
    assert.match(
      message(Buffer.from(svg(`<path d="${'M0 0'.repeat(3_000)}"/>`))) ?? '',
      /bytes; at most 8192 are allowed/,
    )
    assert.match(message(Buffer.from(svg('<!-- -->'.repeat(10_000)))) ?? '', /not a picture/)
  })

  test('never throws, whatever the bytes', () => {
    const starts = ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', '\xff\xd8\xff', 'RIFF\0\0\0\0WEBPVP8X', '<svg', '']
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        parseLogo(Buffer.concat([Buffer.from(start, 'latin1'), rest]), 'logo')
      }),
      { numRuns: 2_000 },
    )
  })
})
