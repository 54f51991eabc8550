/** Tests the texts of labels: whatever the script of a name is, two decoders read each code, cropped at 400 dpi. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { Blob, Face } from 'harfbuzzjs'
import jsQrModule from 'jsqr'
import { getSymbolMm, LABEL_SHEETS, renderLabelSheet } from '../../src/qr/label-sheet.ts'
import { findUnprintable, shapeText } from '../../src/qr/text/shape-text.ts'
import { isPlainText } from '../../src/qr/text/text.ts'
import { IS_FULL } from '../full.ts'
import { decodePixels } from './decode.ts'

// Node imports this CommonJS package as the function itself, but its types describe a default export.
const decodeAlone = jsQrModule as unknown as typeof jsQrModule.default

const FORMAT = LABEL_SHEETS['38x21']
const LABELS = FORMAT.columns * FORMAT.rows
const DPI = 400

const NAMES = {
  Latin: 'Merinowolldecke „Ålesund“ aus Šumava, Größe 140 × 200',
  Greek: 'Μάλλινη κουβέρτα από την Αθήνα, γαλάζια',
  Cyrillic: 'Шерстяное одеяло «Ладога», синее, тёплое',
  Arabic: 'بطانية من الصوف (مقاس 140 × 200) أزرق فاتح',
  Hebrew: 'שמיכת צמר (140 × 200) כחולה וחמה מאוד',
  Hindi: 'ऊनी कंबल क्षत्रिय हिन्दी श्रृंखला नीला',
  Thai: 'ผ้าห่มขนแกะที่นุ่มและอบอุ่นสำหรับฤดูหนาว',
  Japanese: 'ウールの毛布「東京」冬用・青色、140×200センチ',
  Korean: '양모 담요 겨울용 파란색 서울 컬렉션 대형',
  Chinese: '羊毛毯子，冬季用，蓝色，140×200厘米',
  Taiwanese: '羊毛毯子，臺灣製造，藍色，冬季專用',
  emoji: '🧶🐑 Wool 👩‍👩‍👧 🇩🇪 ❤️🔥✅ 🧶🐑🧶🐑🧶🐑',
  '240 letters': 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(6).slice(0, 240),
  '240 ideographs': '毛布'.repeat(120),
  'letters without a font': 'தமிழ் போர்வை நீலம் குளிர்காலம்',
  'sixty marks on a letter': `a${'\u0301'.repeat(60)}${'\u0e49'.repeat(60)} Zalgo`,
}

const addressOf = (n: number) =>
  `https://id.example.com/01/09506000134352/10/LOT-7/21/SN${String(n).padStart(4, '0')}`

async function renderSheet(title: string): Promise<Buffer> {
  const labels = Array.from({ length: LABELS }, (_, n) => ({
    address: addressOf(n),
    title,
    lines: [`Serial ${n}`, title],
    whole: addressOf(n).slice(8),
  }))
  const chunks: Buffer[] = []
  for await (const chunk of renderLabelSheet(labels, { format: FORMAT, level: 'M' }))
    chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe('a sheet of labels', () => {
  let pdfium: Awaited<ReturnType<typeof PDFiumLibrary.init>>
  before(async () => {
    pdfium = await PDFiumLibrary.init()
  })
  after(() => pdfium.destroy())

  async function rasterise(pdf: Buffer) {
    const document = await pdfium.loadDocument(pdf)
    try {
      return await document.getPage(0).render({ scale: DPI / 72 })
    } finally {
      document.destroy()
    }
  }

  /** The pixels of a label, or of its left part, as RGBA. jsQR takes some letters for parts of a code. */
  function crop(
    { data, width }: { data: Uint8Array; width: number },
    n: number,
    partMm: number = FORMAT.width,
  ) {
    const pixels = (mm: number) => Math.round((mm / 25.4) * DPI)
    const left = pixels(FORMAT.left + (n % FORMAT.columns) * (FORMAT.width + FORMAT.gap))
    const top = pixels(FORMAT.top + Math.floor(n / FORMAT.columns) * FORMAT.height)
    const [wide, high] = [pixels(partMm), pixels(FORMAT.height)]
    const cropped = new Uint8ClampedArray(wide * high * 4)
    for (let y = 0; y < high; y++) {
      const from = ((top + y) * width + left) * 4
      cropped.set(data.subarray(from, from + wide * 4), y * wide * 4)
    }
    return { data: cropped, width: wide, height: high }
  }

  // A complete sheet for every script takes minutes on a busy machine.
  const every = IS_FULL ? 1 : 8
  for (const [script, name] of Object.entries(NAMES)) {
    test(`${script}: two decoders read the codes`, async () => {
      const page = await rasterise(await renderSheet(name))
      const unread: string[] = []
      for (let n = 0; n < LABELS; n += every) {
        const label = crop(page, n)
        if (!(await decodePixels(label)).includes(addressOf(n))) unread.push(`ZXing ${n}`)
        const code = crop(page, n, getSymbolMm(FORMAT))
        if (decodeAlone(code.data, code.width, code.height)?.data !== addressOf(n)) unread.push(`jsQR ${n}`)
      }
      assert.deepEqual(unread, [])
    })
  }

  test('a text that all labels share is drawn once in the file for each size', async () => {
    const pdf = (await renderSheet(NAMES.Japanese)).toString('latin1')
    assert.equal(pdf.split('/Subtype /Form').length - 1, 2)
  })
})

const REQUEST = { language: 'und', size: 8, weight: 400, width: 60, maxLines: 3 } as const
const shape = (text: string, more: { language?: string; width?: number; maxLines?: number } = {}) =>
  shapeText({ ...REQUEST, text, ...more })

/** The horizontal extent of outlines. */
function extentOf(outlines: string): [left: number, right: number] {
  const xs = [...outlines.matchAll(/^([-\d.]+) [-\d.]+ [ml]$/gm)].map(([, x]) => Number(x))
  return [Math.min(...xs), Math.max(...xs)]
}

describe('shaping a text', () => {
  // Marks without their letters reach far to the left; the document clips them.
  const spaced = Object.entries(NAMES).filter(([script]) => script !== 'sixty marks on a letter')
  for (const [script, name] of spaced) {
    test(`${script}: lines end where their room ends`, async () => {
      const { outlines, lines } = await shape(name)
      const [left, right] = extentOf(outlines)
      assert.ok(
        lines <= 3 && left > -1 && right <= REQUEST.width + 1,
        `${lines} lines from ${left} to ${right}`,
      )
    })
  }

  test('only letters that no font has are named', async () => {
    for (const [script, name] of Object.entries(NAMES)) {
      const expected = script === 'letters without a font' ? [...new Set(name.replaceAll(' ', ''))] : []
      assert.deepEqual(await findUnprintable([...new Set(name)].join('')), expected, script)
      assert.deepEqual(new Set((await shape(name)).unprintable), new Set(expected), script)
    }
  })

  test('Arabic letters are joined and run from right to left', async () => {
    const room = { width: 300, maxLines: 1 }
    const joined = await shape('بطانية', room)
    const apart = await shape([...'بطانية'].join('\u200c'), room)
    const widthOf = ({ outlines }: { outlines: string }) => extentOf(outlines)[1] - extentOf(outlines)[0]
    assert.ok(widthOf(joined) < widthOf(apart))
    // The text stands at the right edge of its room, and its first letter is the rightmost.
    assert.ok(extentOf(joined.outlines)[1] > 290)
    const first = extentOf((await shape('ב', room)).outlines)
    const [left] = extentOf((await shape('בא', room)).outlines)
    assert.ok(left < first[0] - 2)
  })

  test('a part from left to right keeps its order in a text from right to left', async () => {
    const room = { width: 300, maxLines: 1 }
    const number = extentOf((await shape('צמר 140', room)).outlines)
    const later = (await shape('צמר 140', room)).outlines
    const same = (await shape('140', room)).outlines
    assert.ok(number[0] > 200)
    // The digits have the same shapes in the same order, further to the right.
    const steps = (outlines: string) =>
      [...outlines.matchAll(/^([-\d.]+) ([-\d.]+) m$/gm)].map(([, x, y]) => [Number(x), Number(y)] as const)
    const digits = steps(same)
    const found = steps(later).slice(0, digits.length)
    const shift = (found[0]?.[0] ?? 0) - (digits[0]?.[0] ?? 0)
    for (const [i, [x]] of digits.entries()) assert.ok(Math.abs((found[i]?.[0] ?? 0) - x - shift) < 0.05)
  })

  test('ideographs are written as the language of the text writes them', async () => {
    const outlines = async (language: string) => (await shape('直骨', { language })).outlines
    const [zh, tw, ja, ko] = await Promise.all(['zh', 'zh-TW', 'ja', 'ko'].map(outlines))
    assert.notEqual(zh, ja)
    assert.notEqual(zh, tw)
    assert.notEqual(tw, ko)
    assert.equal(await outlines('zh-Hans-CN'), zh)
    assert.equal(await outlines('not a language'), zh)
  })

  test('half a surrogate pair, controls and nothing at all are shaped, too', async () => {
    assert.equal((await shape('')).lines, 0)
    assert.deepEqual((await shape('毛\u0000\n布\u200b')).unprintable, [])
    assert.equal((await shape('毛\ud83d')).lines, 1)
  })
})

test('the fonts that PDFKit embeds have every character of a plain text', () => {
  const { resolve } = createRequire(import.meta.url)
  for (const name of ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold']) {
    const file = readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
    const has = new Set(new Face(new Blob(new Uint8Array(file).buffer)).collectUnicodes())
    const missing = Array.from({ length: 0x10000 }, (_, code) => code).filter(
      code => isPlainText(String.fromCharCode(code)) && !has.has(code),
    )
    assert.deepEqual(missing, [], name)
  }
})
