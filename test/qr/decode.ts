/** An independent QR decoder (ZXing) over the SVG we draw, painted into pixels: the judge of every symbol test. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

// Its own loader would ask a foreign host for the module that the package ships.
const wasmBinary = readFileSync(
  fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')),
).buffer
prepareZXingModule({ overrides: { wasmBinary: wasmBinary as ArrayBuffer } })

const PIXELS_PER_MODULE = 4

/** The texts of all QR symbols found in the drawing. */
export const decodeQr = async (svg: string) => (await read(svg)).map(result => result.text)

/** The AIM identifiers of those symbols: `]Q1` is a plain QR code, `]Q3` one with FNC1. */
export const identifyQr = async (svg: string) => (await read(svg)).map(result => result.symbologyIdentifier)

/** The text of the first symbol in a PNG file, which the decoder reads itself. */
export const decodePng = async (png: Uint8Array): Promise<string | undefined> =>
  (await readBarcodes(new Uint8Array(png), { formats: ['QRCode'] }))[0]?.text

const read = (svg: string) =>
  readBarcodes(paint(svg) as Parameters<typeof readBarcodes>[0], { formats: ['QRCode'] })

function paint(svg: string) {
  const scale = PIXELS_PER_MODULE
  const width = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * scale
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  const path = /fill="#000" d="([^"]+)"/.exec(svg)?.[1] ?? ''
  for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let py = Number(y) * scale; py < (Number(y) + 1) * scale; py++) {
      for (let px = Number(x) * scale; px < (Number(x) + Number(run)) * scale; px++) {
        data.fill(0, (py * width + px) * 4, (py * width + px) * 4 + 3)
      }
    }
  }
  return { data, width, height: width, colorSpace: 'srgb' }
}
