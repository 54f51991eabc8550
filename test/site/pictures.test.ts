/** Tests the pictures of a page as they are rendered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { PictureFile } from '../../src/passports/read/picture-files.ts'
import { FULL, read, renderPage, rowOf } from './passport-views.ts'

const ids = ['a', 'b', 'c'].map(letter => letter.repeat(64))
const file = (id: string, width: number, height: number): [string, PictureFile] => [
  id,
  { width, height, color: '#aabbcc', url: `https://carnet.example/m/${id}/1280.jpg` },
]
const [first = '', second = '', third = ''] = ids
const FILES = new Map([file(first, 2400, 1800), file(second, 500, 900)])
const view = (count: number) => {
  const entries = [
    { media: first, alt: { en: 'A "blue" shirt', de: 'Ein blaues Hemd' } },
    { media: second, alt: { en: 'Its label' }, caption: { en: 'Sewn <in>' } },
    { media: third, alt: { en: 'A file that is gone' } },
  ]
  const row = rowOf('textile', { ...FULL.textile, pictures: entries.slice(0, count) }, { schema_version: 2 })
  return { ...read(row), pictures: FILES }
}

describe('the pictures of a page', () => {
  test('the first has three types, all widths, its shape and its words, and loads first', () => {
    const html = renderPage(view(1), 'de')
    const header = /<header>.*<\/header>/s.exec(html)?.[0] ?? ''
    const widths = (extension: string) =>
      [320, 640, 1280].map(width => `../m/${first}/${width}.${extension} ${width}w`).join(',')
    for (const extension of ['avif', 'webp', 'jpg'])
      assert.ok(header.includes(`srcset="${widths(extension)}"`))
    assert.match(header, /<source type="image\/avif".*<source type="image\/webp".*<img /s)
    assert.match(header, /class="c0" alt="Ein blaues Hemd" width="2400" height="1800" fetchpriority="high">/)
    assert.match(
      html,
      new RegExp(`<meta property="og:image" content="https://carnet.example/m/${first}/1280.jpg">`),
    )
    assert.doesNotMatch(html, /id="pictures"|loading="lazy"| style=/)
    assert.match(renderPage(view(1), 'fi'), /alt="A &#34;blue&#34; shirt" lang="en"/)
  })

  test('the others load late, in a row that the keyboard can scroll; a missing file has none', () => {
    const html = renderPage(view(3), 'en')
    const gallery = /<div id="pictures">.*?<\/div>/s.exec(html)?.[0] ?? ''
    assert.match(gallery, /<ul class="row" tabindex="0" aria-label="Pictures"><li><figure/)
    assert.match(gallery, /class="c1" alt="Its label" width="500" height="900" loading="lazy">/)
    assert.match(gallery, /<figcaption><bdi>Sewn &#60;in&#62;<\/bdi><\/figcaption>/)
    assert.doesNotMatch(gallery, /1280\.avif/)
    assert.doesNotMatch(html, /A file that is gone/)
  })

  test('a caption in another language than the page says so below it; what a picture shows has only its lang', () => {
    const gallery = /<div id="pictures">.*?<\/div>/s.exec(renderPage(view(3), 'fi'))?.[0] ?? ''
    assert.match(gallery, /alt="Its label" lang="en" width/)
    const note = '<small class="from">Vain kielellä: <a href="?lang=en">englanti</a></small>'
    assert.ok(gallery.includes(`<bdi lang="en">Sewn &#60;in&#62;</bdi>${note}</figcaption>`), gallery)
    assert.equal(gallery.split('class="from"').length, 2)
  })

  test('have their shape, and their colour until they arrive, by a rule of the style sheet', () => {
    const html = renderPage(view(2), 'en')
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
    const colors = 'background:#aabbcc;color:#000'
    assert.ok(style.includes(`.c0{--r:1.333;${colors}}.c1{--r:0.556;${colors}}`), style.slice(-200))
    assert.doesNotMatch(renderPage(view(0), 'en'), /\.c0|\.pic|<picture/)
  })

  test('a passport with all fields and two pictures fits in one flight of packets', () => {
    assert.ok(gzipSync(renderPage(view(2), 'el')).length < 8_000)
  })
})
