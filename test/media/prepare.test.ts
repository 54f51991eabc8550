/** Tests what uploaded files become: rendered pictures and checked PDFs, and nothing else of them. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { detectMediaType } from '../../src/media/files/media-type.ts'
import { type Preparation, type PreparedPicture, VARIANT_TYPES } from '../../src/media/files/prepared-file.ts'
import { createPreparer } from '../../src/media/prepare/preparer.ts'
import {
  makeAvif,
  makeGif,
  makeHostileFiles,
  makeJpeg,
  makeLinkedPdf,
  makePdf,
  makePng,
  makeWebp,
  PLANTED_TEXT,
} from './sample-files.ts'

const preparer = createPreparer()
after(() => preparer.stop())

const prepare = (bytes: Buffer): Promise<Preparation> => preparer.prepare(bytes)

async function preparePicture(bytes: Buffer): Promise<PreparedPicture> {
  const prepared = await prepare(bytes)
  assert.ok('kind' in prepared && prepared.kind === 'picture', JSON.stringify(prepared).slice(0, 200))
  return prepared
}

async function getRejection(bytes: Buffer) {
  const prepared = await prepare(bytes)
  assert.ok('rejection' in prepared, 'the file is refused')
  return prepared.rejection
}

describe('a picture', () => {
  test('is rendered in three widths and three types', async () => {
    const { variants, width, height, color } = await preparePicture(
      await makeJpeg({ width: 1_500, height: 1_000 }),
    )
    assert.deepEqual([width, height], [1_500, 1_000])
    assert.match(color, /^#[0-9a-f]{6}$/)
    assert.deepEqual(
      variants.map(one => `${one.width} ${one.type}`),
      [320, 640, 1_280].flatMap(one => Object.keys(VARIANT_TYPES).map(type => `${one} ${type}`)),
    )
    for (const one of variants) {
      const read = await sharp(one.bytes).metadata()
      assert.equal(read.width, one.width)
      assert.equal(read.height, Math.round((one.width * 2) / 3))
    }
  })

  for (const [name, make] of Object.entries({ makePng, makeWebp, makeAvif, makeGif })) {
    test(`of each other type is rendered, too (${name})`, async () => {
      const { type, variants } = await preparePicture(await make({ width: 300, height: 200 }))
      assert.equal(type, `image/${name.slice('make'.length).toLowerCase()}`)
      assert.equal(variants.length, 3)
    })
  }

  test('is never enlarged, and its largest width shows it in full', async () => {
    const listSizes = async (width: number) => {
      const { variants } = await preparePicture(await makePng({ width, height: 60 }))
      const jpegs = variants.filter(one => one.type === 'jpg')
      return Promise.all(jpegs.map(async one => [one.width, (await sharp(one.bytes).metadata()).width]))
    }
    assert.deepEqual(await listSizes(200), [[320, 200]])
    assert.deepEqual(await listSizes(320), [[320, 320]])
    assert.deepEqual(await listSizes(400), [
      [320, 320],
      [640, 400],
    ])
  })

  test('is turned as its metadata says, and keeps none of it', async () => {
    const sent = await makeJpeg({ width: 300, height: 150 }, 6)
    assert.ok(sent.includes(PLANTED_TEXT), 'the sent file has the planted text')
    const { width, height, variants } = await preparePicture(sent)
    assert.deepEqual([width, height], [150, 300])
    for (const { bytes } of variants) {
      const { exif, xmp, iptc, orientation } = await sharp(bytes).metadata()
      assert.deepEqual(
        { exif, xmp, iptc, orientation },
        {
          exif: undefined,
          xmp: undefined,
          iptc: undefined,
          orientation: undefined,
        },
      )
      assert.ok(!Buffer.from(bytes).includes(PLANTED_TEXT))
    }
  })

  test('in grey, with transparency or in CMYK becomes a picture for the web', async () => {
    const base = sharp(await makePng({ width: 120, height: 90 }))
    for (const sent of [
      await base.clone().greyscale().png().toBuffer(),
      await base.clone().ensureAlpha(0.5).png().toBuffer(),
      await base.clone().flatten().toColourspace('cmyk').jpeg().toBuffer(),
      await base.clone().png({ palette: true }).toBuffer(),
    ]) {
      const { variants } = await preparePicture(sent)
      for (const { bytes } of variants) assert.equal((await sharp(bytes).metadata()).space, 'srgb')
    }
  })

  test('has its mean colour behind it, or white if that would be seen through it', async () => {
    const dark = { create: { width: 40, height: 40, channels: 3, background: '#102030' } } as const
    const cutOut = await sharp({ create: { ...dark.create, channels: 4, background: '#00000000' } })
      .composite([{ input: await sharp(dark).resize(30, 30).png().toBuffer() }])
      .png()
      .toBuffer()
    assert.equal((await preparePicture(cutOut)).color, '#ffffff')
    const opaque = await sharp(dark).ensureAlpha(1).png().toBuffer()
    assert.equal((await preparePicture(opaque)).color, '#102030')
  })

  test('of 50 megapixels is rendered, and one of more is refused with its size', async () => {
    const make = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#446688' } })
        .png()
        .toBuffer()
    await preparePicture(await make(10_000, 5_000))
    const { code, message } = await getRejection(await make(10_000, 5_001))
    assert.equal(code, 'media_dimensions')
    assert.match(message, /10000 × 5001 pixels/)
  })
})

describe('a document', () => {
  test('is taken as it is', async () => {
    const accepted = { kind: 'document', type: 'application/pdf' }
    assert.deepEqual(await prepare(await makePdf()), accepted)
    const named = Buffer.concat([await makePdf(), Buffer.from('\n99 0 obj\n/constructor\nendobj\n')])
    assert.deepEqual(await prepare(named), accepted)
  })

  for (const address of [
    'https://nordlicht.example/a?b=c:d',
    'HTTP://nordlicht.example',
    'mailto:help@nordlicht.example',
    'tel:+495415550100',
    'www.nordlicht.example/a:b',
    'pages/2#a:b',
  ])
    test(`may link to ${address}`, async () => {
      const bytes = makeLinkedPdf(`<< /S /URI /URI (${address}) >>`)
      assert.deepEqual(await prepare(bytes), { kind: 'document', type: 'application/pdf' })
    })
})

describe('a PDF of 20 MB', () => {
  const MAX_BYTES = 20 * 1024 * 1024

  for (const part of ['[', '/A#41 ', '(<<'])
    test(`that has nothing but ${part} is refused before it is parsed`, async () => {
      const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(MAX_BYTES - 100, part)])
      const { code, message } = await getRejection(bytes)
      // A parser reaches its limit of processor time: "takes too much memory or time".
      assert.deepEqual([code, /damaged or incomplete/.test(message)], ['media_unreadable', true], message)
    })

  test('may have comments, white space and a long table of positions', async () => {
    const pdf = await makePdf()
    const lines = '0000000016 00000 n\r\n'.repeat(60_000)
    const more = Buffer.from(`\nxref\n0 60000\n${lines}%${'x'.repeat(2_000_000)}\n${' '.repeat(2_000_000)}`)
    assert.deepEqual(await prepare(Buffer.concat([pdf, more])), { kind: 'document', type: 'application/pdf' })
  })
})

describe('hostile files', () => {
  test('are refused, or come out as clean pictures and PDFs, and the process goes on', async () => {
    const files = await makeHostileFiles()
    assert.ok(files.length >= 200, String(files.length))
    for (const { name, bytes } of files) {
      const prepared = await prepare(bytes)
      if ('rejection' in prepared) {
        assert.match(prepared.rejection.code, /^media_/, name)
        continue
      }
      if (prepared.kind === 'document') {
        assert.doesNotMatch(name, /^a PDF with a (link|base|picture)/)
        assert.equal(detectMediaType(bytes), 'application/pdf', name)
        continue
      }
      for (const variant of prepared.variants) {
        const text = Buffer.from(variant.bytes).toString('latin1')
        assert.ok(!/<script|alert\(|planted|PK\x05\x06|<svg/.test(text), name)
        assert.equal((await sharp(variant.bytes).metadata()).exif, undefined, name)
      }
    }
    assert.ok('kind' in (await prepare(await makePdf())), 'the next good file is prepared')
  })

  test('that must be refused are, each for its reason', async () => {
    const codes: Record<string, string> = {}
    for (const { name, bytes } of await makeHostileFiles()) {
      if (EXPECTED[name] !== undefined) codes[name] = (await getRejection(bytes)).code
    }
    assert.deepEqual(codes, EXPECTED)
  })

  const EXPECTED: Record<string, string> = {
    empty: 'media_unreadable',
    'one byte': 'media_type',
    'a picture of 30,000 by 30,000 pixels': 'media_dimensions',
    'a picture of 12,001 by 1 pixels': 'media_dimensions',
    'HTML that is a PDF too': 'media_type',
    'an SVG': 'media_type',
    'an SVG that begins like a PNG': 'media_unreadable',
    HTML: 'media_type',
    'a program': 'media_type',
    'a PDF in a PDF': 'media_active_content',
    'a PDF of nothing': 'media_unreadable',
    'an encrypted PDF': 'media_active_content',
    'a PDF with a script under a disguised name': 'media_active_content',
    'a PDF with a script in a stream': 'media_active_content',
    'a PDF with a script that a later object replaces': 'media_active_content',
    'a PDF with a file in a note': 'media_active_content',
    'a PDF with the action JavaScript': 'media_active_content',
    'a PDF with the action JavaScript, compressed': 'media_active_content',
    'a PDF with the action Launch': 'media_active_content',
    'a PDF with the action Launch, compressed': 'media_active_content',
  }

  test('that take too long end only their process', async () => {
    const hasty = createPreparer({ maxCpuMs: 1 })
    const prepared = await hasty.prepare(await makeJpeg({ width: 4_000, height: 3_000 }))
    assert.ok('rejection' in prepared)
    assert.match(prepared.rejection.message, /too much memory or time/)
    hasty.stop()
  })

  test('a good file that gets no processor time is not to blame', async () => {
    const hasty = createPreparer({ timeoutMs: 1 })
    await assert.rejects(hasty.prepare(await makePng({ width: 40, height: 30 })), {
      code: 'unavailable',
      retryAfterMs: 5_000,
    })
    hasty.stop()
  })
})
