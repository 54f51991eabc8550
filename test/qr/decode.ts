/** Decodes our rasterised SVG with an independent QR decoder (ZXing), for every test of symbols. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

// The decoder's own loader would download the module that the package contains.
const wasmBinary = readFileSync(
  fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')),
).buffer
prepareZXingModule({ overrides: { wasmBinary: wasmBinary as ArrayBuffer } })

export const PIXELS_PER_MODULE = 4
const QUIET = 4

/** The texts of all QR symbols found in the drawing. */
export const decodeQr = async (svg: string) => (await read(svg)).map(result => result.text)

/** The AIM identifiers of those symbols: `]Q1` is a plain QR code, `]Q3` one with FNC1. */
export const identifyQr = async (svg: string) => (await read(svg)).map(result => result.symbologyIdentifier)

/** The text of the first symbol in a PNG file, which the decoder reads itself. */
export const decodePng = async (png: Uint8Array): Promise<string | undefined> =>
  (await readBarcodes(new Uint8Array(png), { formats: ['QRCode'] }))[0]?.text

/** The texts of all symbols on a PDF's pages, in drawing order. Each fill operation draws one symbol. */
export async function decodePdf(pdf: Buffer): Promise<string[]> {
  const drawn = pageContents(pdf).flatMap(content => content.split(/\bf\n/).flatMap(symbolIn))
  return (await Promise.all(drawn.map(decodeQr))).flat()
}

function pageContents(pdf: Buffer): string[] {
  const text = pdf.toString('latin1')
  return [...text.matchAll(/\/FlateDecode\n>>\nstream\n([\s\S]*?)\nendstream/g)].map(([, bytes = '']) =>
    inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'),
  )
}

/** Filled rectangles as an SVG that `paint` can read, one unit per module. */
function symbolIn(filled: string): string[] {
  const number = '(-?[\\d.]+)'
  const rectangle = new RegExp(`^${[number, number, number, number].join(' ')} re$`, 'gm')
  const runs = [...filled.matchAll(rectangle)].map(([, ...sizes]) => sizes.map(Number))
  if (runs.length === 0) return []
  const [left, top] = [0, 1].map(axis => Math.min(...runs.map(run => run[axis] ?? 0))) as [number, number]
  const module = runs[0]?.[3] ?? 1
  const units = (points: number) => Math.round(points / module)
  const path = runs.map(([x = 0, y = 0, width = 0]) => {
    const run = units(width)
    return `M${units(x - left) + QUIET} ${units(y - top) + QUIET}h${run}v1h-${run}z`
  })
  const size = Math.max(...runs.map(([, y = 0]) => units(y - top))) + 1 + 2 * QUIET
  return [`<svg viewBox="0 0 ${size} ${size}"><path fill="#000" d="${path.join('')}"/></svg>`]
}

/** The texts of all symbols among pixels of four bytes. */
export const decodePixels = async (pixels: Pixels) => (await readPixels(pixels)).map(result => result.text)

type Pixels = { data: Uint8ClampedArray; width: number; height: number }

const readPixels = (pixels: Pixels) =>
  readBarcodes({ ...pixels, colorSpace: 'srgb' } as Parameters<typeof readBarcodes>[0], {
    formats: ['QRCode'],
  })

const read = (svg: string) => readPixels(paint(svg))

/** Rasterises the SVG: white, and black inside the path of the modules. */
export function paint(svg: string) {
  const scale = PIXELS_PER_MODULE
  const side = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  const width = side * scale
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  const dashes = /stroke-dasharray="([^"]+)"/.exec(svg)?.[1]
  const path = dashes === undefined ? /fill="#000" d="([^"]+)"/.exec(svg)?.[1] : outlineDashes(dashes, svg)
  const turns = turnsOf(path ?? '', side)
  for (let y = 0; y < width; y++) {
    let inside = 0
    for (let x = 0; x < width; x++) {
      if (x % scale === 0) inside += turns[Math.floor(y / scale)]?.[x / scale] ?? 0
      if (inside !== 0) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return { data, width, height: width, colorSpace: 'srgb' }
}

/** The dashes of one line to and fro through all rows, as rectangles. It may turn only between dashes. */
function outlineDashes(dashes: string, svg: string): string {
  const [, left = '', top = '', width = ''] = /d="M(\d+) (\d+)\.5((?:h\d+)(?:v1h-?\d+)*)"/.exec(svg) ?? []
  const length = Number(/\d+/.exec(width)?.[0]) + 1
  assert.ok(width.split('v1').every((row, y) => row === `h${y % 2 === 0 ? '' : '-'}${length - 1}`))
  let at = 0
  return dashes
    .split(' ')
    .map((text, i) => {
      const [row, x, run] = [Math.floor(at / length), at % length, Number(text)]
      at += run
      if (i % 2 === 1 || run === 0) return ''
      assert.ok(x + run < length, 'a dash ends within its row')
      const start = Number(left) + (row % 2 === 0 ? x : length - 1 - x - run)
      return `M${start} ${Number(top) + row}h${run}v1h-${run}z`
    })
    .join('')
}

/**
 * For each row of modules, where the path enters and leaves the shape (SVG's rule `nonzero`): upward edges
 * count 1, downward -1.
 */
function turnsOf(path: string, side: number): number[][] {
  const turns = Array.from({ length: side }, () => new Array<number>(side + 1).fill(0))
  let [x, y, startX, startY] = [0, 0, 0, 0]
  const goTo = (to: number) => {
    for (let row = Math.min(y, to); row < Math.max(y, to); row++) {
      const line = turns[row]
      if (line !== undefined) line[x] = (line[x] ?? 0) + Math.sign(y - to)
    }
    y = to
  }
  assert.match(path, /^(?:M\d+ \d+|[hv]-?\d+|H\d+|z)*$/)
  for (const [, command, first = '', second = ''] of path.matchAll(/([MhvHz])(-?\d+)?(?: (\d+))?/g)) {
    if (command === 'M') [x, y, startX, startY] = [+first, +second, +first, +second]
    else if (command === 'h') x += Number(first)
    else if (command === 'H') x = Number(first)
    else if (command === 'v') goTo(y + Number(first))
    else {
      assert.equal(x, startX, 'the shape closes by an upright line')
      goTo(startY)
    }
  }
  return turns
}
