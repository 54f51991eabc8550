/** Files for tests of pictures and documents: good ones, and more than 200 that must be refused or come out clean. */
import { deflateSync } from 'node:zlib'
import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { createRandom } from '../standards/random.ts'

/** Latitude and longitude that must never be served. */
export const PLANTED_PLACE = '51/1 30/1 26/1'
export const PLANTED_TEXT = 'planted-owner-of-the-camera'

type Size = { width: number; height: number }

const paint = ({ width, height }: Size) => {
  const random = createRandom(width * 7 + height)
  const shapes = Array.from(
    { length: 30 },
    () =>
      `<circle cx="${random(width)}" cy="${random(height)}" r="${1 + random(Math.ceil(width / 4))}" fill="hsl(${random(360)} 60% 50%)"/>`,
  )
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`,
    ),
  )
}

/** A JPEG with a place, an owner and a comment in its metadata. */
export const makeJpeg = ({ width, height }: Size, orientation = 1): Promise<Buffer> =>
  paint({ width, height })
    .flatten({ background: '#ffffff' })
    .withExif({
      IFD0: { Artist: PLANTED_TEXT, Copyright: PLANTED_TEXT },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: PLANTED_PLACE,
        GPSLongitudeRef: 'E',
        GPSLongitude: PLANTED_PLACE,
      },
    })
    .withMetadata({ orientation })
    .jpeg()
    .toBuffer()

/** A JPEG with soft and sharp shapes and the grain of a camera: it weighs what a photograph weighs. */
export async function makePhotograph({ width, height }: Size): Promise<Buffer> {
  const random = createRandom(width * 11 + height)
  const sharpPart = await paint({ width: width >> 1, height: height >> 1 })
    .blur(2)
    .png()
    .toBuffer()
  const { data, info } = await paint({ width, height })
    .flatten({ background: '#ffffff' })
    .blur(width / 80)
    .composite([{ input: sharpPart, gravity: 'centre' }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let i = 0; i < data.length; i++)
    data[i] = Math.max(0, Math.min(255, (data[i] ?? 0) * 0.8 + 25 + random(24) + random(24) - 23))
  return sharp(data, { raw: info }).jpeg({ quality: 92 }).toBuffer()
}

export const makePng = (size: Size): Promise<Buffer> => paint(size).png().toBuffer()
export const makeWebp = (size: Size): Promise<Buffer> => paint(size).webp().toBuffer()
export const makeAvif = (size: Size): Promise<Buffer> => paint(size).avif({ effort: 0 }).toBuffer()
export const makeGif = (size: Size): Promise<Buffer> => paint(size).gif({ effort: 1 }).toBuffer()

export async function makePdf(text = 'Declaration of conformity'): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.addPage([300, 200]).drawText(text, { size: 12, x: 20, y: 100 })
  return Buffer.from(await document.save())
}

/** The bytes of a PDF whose catalog has one more entry. `compressed`: in a stream of objects. */
async function makeActivePdf(name: string, compressed: boolean): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.addPage()
  const action = document.context.obj({ S: name, JS: PDFString.of('app.alert(1)'), F: PDFString.of('x.exe') })
  document.catalog.set(PDFName.of('OpenAction'), document.context.register(action))
  return Buffer.from(await document.save({ useObjectStreams: compressed }))
}

async function makePdfWithFile(): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.addPage()
  await document.attach(await makePdf(), 'inner.pdf', { mimeType: 'application/pdf' })
  return Buffer.from(await document.save())
}

/** A PDF with these objects, of which the first three are its catalog, pages and page. `at`: false positions. */
function makeRawPdf(
  more: readonly string[],
  { catalog = '', page = '', at = {} }: { catalog?: string; page?: string; at?: Record<number, string> },
): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] ${page} >>`,
    ...more,
  ]
  const texts = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`)
  const body = `%PDF-1.7\n${texts.join('')}`
  const rows = texts.map(
    (text, i) => `${String(body.indexOf(at[i + 1] ?? text)).padStart(10, '0')} 00000 n \n`,
  )
  const end = `trailer\n<< /Size ${texts.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(
    `${body}xref\n0 ${texts.length + 1}\n0000000000 65535 f \n${rows.join('')}${end}`,
    'latin1',
  )
}

const makeStream = (content: string, entries = '') =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`

/** PDFs with something active that only some programs find. */
function makeDisguisedPdfs(): HostileFile[] {
  const script = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>'
  const hidden = `5 0 obj\n${script}\nendobj\n`
  const packed = deflateSync(Buffer.from(`5 0 ${script}`)).toString('latin1')
  const opens = { catalog: '/OpenAction 5 0 R' }
  return [
    {
      name: 'a PDF with a script in a stream',
      bytes: makeRawPdf([makeStream(hidden), 'null'], { ...opens, at: { 5: hidden } }),
    },
    {
      name: 'a PDF with a script that a later object replaces',
      bytes: makeRawPdf(
        [makeStream(packed, '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode'), 'null'],
        opens,
      ),
    },
    {
      name: 'a PDF with a file in a note',
      bytes: makeRawPdf(['<< /F (x.exe) /EF << /F 5 0 R >> >>', makeStream('MZ')], {
        page: '/Annots [<< /Subtype /Text /Rect [0 0 9 9] /FS 4 0 R >>]',
      }),
    },
  ]
}

const LINKED = { page: '/Annots [<< /Subtype /Link /Rect [0 0 9 9] /A 4 0 R >>]' }

/** A PDF with a link whose action is this. `compressed`: the action stands in a stream of objects. */
export function makeLinkedPdf(action: string, { more = [] as string[], compressed = false } = {}): Buffer {
  if (!compressed) return makeRawPdf([action, ...more], LINKED)
  const packed = deflateSync(Buffer.from(`4 0 ${action}`)).toString('latin1')
  const stream = makeStream(packed, '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode')
  return makeRawPdf(['null', stream, ...more], LINKED)
}

const toHex = (text: string, encoding: 'latin1' | 'utf16le' = 'latin1') =>
  Buffer.from(text, encoding).toString('hex')

/** Links that start a script, or reach a file or another machine, each also in a stream of objects. */
function makeLinkedPdfs(): HostileFile[] {
  const script = 'javascript:alert(1)'
  const share = '\\\\\\\\host\\\\share'
  const actions: Record<string, string> = {
    'to a file of a share': `<< /S /GoToR /D [0 /Fit] /F (${share}\\\\a.pdf) >>`,
    'to a file, under a disguised name': `<< /S /Go#54oR /D [0 /Fit] /F (a.pdf) >>`,
    'to a file in a file': '<< /S /GoToE /D [0 /Fit] /T << /R /C /N (a.pdf) >> >>',
    'to a thread of another file': `<< /S /Thread /D 0 /F (${share}) >>`,
    'to a file that is described': '<< /S /Thread /D 0 /F << /Type /Filespec /UF (a.pdf) >> >>',
    'to a script': `<< /S /URI /URI (${script}) >>`,
    'to a script, in capitals': '<< /S /URI /URI (JaVaScRiPt:alert\\(1\\)) >>',
    'to a script, as hexadecimal digits': `<< /S /URI /URI <${toHex(script)}> >>`,
    'to a script, in UTF-16': `<< /S /URI /URI <fffe${toHex(script, 'utf16le')}> >>`,
    'to a script, as octal numbers': '<< /S /URI /URI (\\152\\141vascript:alert\\(1\\)) >>',
    'to a script, after blanks': '<< /S /URI /URI ( \\t java\\nscript:alert\\(1\\)) >>',
    'to a script, under a disguised name': `<< /S /U#52I /U#52I (${script}) >>`,
    'to a local file': '<< /S /URI /URI (file:///etc/passwd) >>',
    'to data': '<< /S /URI /URI (data:text/html,x) >>',
    'to a share': `<< /S /URI /URI (${share}) >>`,
    'to a share, as an address': '<< /S /URI /URI (//host/share) >>',
  }
  const files = Object.entries(actions).flatMap(([what, action]) =>
    [false, true].map(compressed => ({
      name: `a PDF with a link ${what}${compressed ? ', compressed' : ''}`,
      bytes: makeLinkedPdf(action, { compressed }),
    })),
  )
  const hidden = `4 0 obj\n<< /S /URI /URI % comment\n(${script}) >>\nendobj\n`
  return [
    ...files,
    {
      name: 'a PDF with a link whose address is an object',
      bytes: makeLinkedPdf('<< /S /URI /URI 5 0 R >>', { more: [`(${script})`] }),
    },
    {
      name: 'a PDF with a link in a stream that a table of positions leads to',
      bytes: makeRawPdf(['null', makeStream(hidden)], { ...LINKED, at: { 4: hidden } }),
    },
    {
      name: 'a PDF with a base that is a script',
      bytes: makeRawPdf([], { catalog: `/URI << /Base (${script}//) >>` }),
    },
    {
      name: 'a PDF with a picture from another file',
      bytes: makeRawPdf([makeStream('', `/Type /XObject /Subtype /Image /F (${share})`)], {
        page: '/Resources << /XObject << /X 4 0 R >> >>',
      }),
    },
  ]
}

/** The head of a PNG of this size, and one line of pixels. */
function makePngHead({ width, height }: Size): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0], 8)
  const pixels = deflateSync(Buffer.alloc(Math.ceil(width / 8) + 1))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return ~crc >>> 0
}

/** A GIF of 1 × 1 pixels with many frames. */
function makeLongGif(frames: number): Buffer {
  const head = Buffer.from('474946383961010001008000000000 00ffffff'.replaceAll(' ', ''), 'hex')
  const frame = Buffer.from('21f904000a00000000 2c00000000010001000002024401 00'.replaceAll(' ', ''), 'hex')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])])
}

export type HostileFile = { name: string; bytes: Buffer }

/** All of them are refused, or come out without anything but their pixels. */
export async function makeHostileFiles(): Promise<HostileFile[]> {
  const size = { width: 120, height: 90 }
  const good = {
    jpeg: await makeJpeg(size),
    png: await makePng(size),
    webp: await makeWebp(size),
    avif: await makeAvif(size),
    gif: await makeGif(size),
    pdf: await makePdf(),
  }
  const html = Buffer.from('<!doctype html><script>alert(document.cookie)</script>')
  const files: HostileFile[] = [
    { name: 'empty', bytes: Buffer.alloc(0) },
    { name: 'one byte', bytes: Buffer.from([0xff]) },
    { name: 'a picture of 30,000 by 30,000 pixels', bytes: makePngHead({ width: 30_000, height: 30_000 }) },
    {
      name: 'a picture of 2 billion pixels a side',
      bytes: makePngHead({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }),
    },
    { name: 'a picture of 12,001 by 1 pixels', bytes: makePngHead({ width: 12_001, height: 1 }) },
    { name: 'a GIF with 10,000 frames', bytes: makeLongGif(10_000) },
    { name: 'a PDF that is HTML too', bytes: Buffer.concat([good.pdf, html]) },
    { name: 'HTML that is a PDF too', bytes: Buffer.concat([html, good.pdf]) },
    { name: 'a PNG that is a script too', bytes: Buffer.concat([good.png, Buffer.from('*/alert(1)//')]) },
    {
      name: 'a JPEG that is a ZIP too',
      bytes: Buffer.concat([good.jpeg, Buffer.from('PK\x05\x06'.padEnd(22, '\0'))]),
    },
    { name: 'an SVG', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>') },
    {
      name: 'an SVG that begins like a PNG',
      bytes: Buffer.from('\x89PNG\r\n\x1a\n<svg onload="alert(1)"/>', 'latin1'),
    },
    { name: 'HTML', bytes: html },
    { name: 'a program', bytes: Buffer.from('MZ\x90\0'.padEnd(500, 'x'), 'latin1') },
    { name: 'a PDF in a PDF', bytes: await makePdfWithFile() },
    { name: 'a PDF of nothing', bytes: Buffer.from('%PDF-1.7\n%%EOF') },
    {
      name: 'an encrypted PDF',
      bytes: Buffer.concat([good.pdf, Buffer.from('\ntrailer\n<< /Encrypt 9 0 R >>\n')]),
    },
    {
      name: 'a PDF with a script under a disguised name',
      bytes: Buffer.concat([
        good.pdf,
        Buffer.from('\n99 0 obj\n<< /S /J#61vaScript /J#53 (app.alert(1)) >>\nendobj\n'),
      ]),
    },
    {
      name: 'a deeply nested PDF',
      bytes: Buffer.from(`%PDF-1.7\n1 0 obj\n${'['.repeat(200_000)}\nendobj\n%%EOF`),
    },
  ]
  files.push(...makeDisguisedPdfs(), ...makeLinkedPdfs())
  for (const action of ['JavaScript', 'Launch', 'SubmitForm', 'ImportData']) {
    for (const compressed of [true, false]) {
      files.push({
        name: `a PDF with the action ${action}${compressed ? ', compressed' : ''}`,
        bytes: await makeActivePdf(action, compressed),
      })
    }
  }
  const random = createRandom(20)
  for (const [type, bytes] of Object.entries(good)) {
    for (let i = 0; i < 13; i++) {
      files.push({
        name: `a ${type} cut at a random place (${i})`,
        bytes: bytes.subarray(0, random(bytes.length)),
      })
      const broken = Buffer.from(bytes)
      for (let n = 0; n < 20; n++) broken[random(broken.length)] = random(256)
      files.push({ name: `a ${type} with 20 random bytes (${i})`, bytes: broken })
    }
    files.push({ name: `a ${type} after a text`, bytes: Buffer.concat([Buffer.from('x'), bytes]) })
    files.push({ name: `a ${type} before HTML`, bytes: Buffer.concat([bytes, html]) })
  }
  for (const place of ['jpeg', 'webp', 'avif', 'png'] as const) {
    const planted = await sharp(good.jpeg).keepMetadata()[place]().toBuffer()
    files.push({ name: `a ${place} with a place and an owner`, bytes: planted })
  }
  return files
}
