/** Renders QR symbols as PNG for programs that cannot print SVG. */
import { crc32, deflateSync } from 'node:zlib'
import { buildQrModules, type Modules, type QrLevel, QUIET_ZONE } from './modules.ts'

export const DPI = [300, 600] as const
export type Dpi = (typeof DPI)[number]

const MM_PER_INCH = 25.4
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Row filters: unchanged, and difference from the row above (PNG, third edition, §9.2). */
const FILTER_NONE = 0
const FILTER_UP = 2

export type PngOptions = { level: QrLevel; sizeMm: number; dpi: Dpi }

/** Returns the pixels per side, with the quiet zone, of a symbol at most `sizeMm` wide. */
export const getPngSide = (modules: Modules, { sizeMm, dpi }: Pick<PngOptions, 'sizeMm' | 'dpi'>): number =>
  countSideModules(modules) *
  Math.max(1, Math.floor(((sizeMm / MM_PER_INCH) * dpi) / countSideModules(modules)))

const countSideModules = ({ size }: Modules) => size + 2 * QUIET_ZONE

/**
 * Renders a symbol at most `sizeMm` wide with the quiet zone; a module has at least one pixel, a pixel one
 * bit. Takes some milliseconds for 100 mm at 600 dpi, so keep it off the thread that answers requests.
 */
export function renderQrPng(text: string, { level, sizeMm, dpi }: PngOptions): Buffer {
  const modules = buildQrModules(text, level)
  const side = getPngSide(modules, { sizeMm, dpi })
  const packed = deflateSync(buildPixelRows(modules, side), { level: 1 })
  return Buffer.concat([
    SIGNATURE,
    buildChunk('IHDR', buildSquare(side, 13)),
    // The resolution lets layout programs place the symbol in the right size.
    buildChunk('pHYs', buildSquare(Math.round((dpi / MM_PER_INCH) * 1000), 9)),
    buildChunk('IDAT', packed),
    buildChunk('IEND', Buffer.alloc(0)),
  ])
}

function buildPixelRows(modules: Modules, side: number): Buffer {
  const scale = side / countSideModules(modules)
  const stride = 1 + Math.ceil(side / 8)
  const rows = Buffer.alloc(side * stride)
  for (let y = 0; y < side; y++) {
    const at = y * stride
    const isFirst = y % scale === 0
    // The other rows of a module are stored as equal to the first, which compresses well.
    rows[at] = isFirst ? FILTER_NONE : FILTER_UP
    if (!isFirst) continue
    // In one-bit greyscale, 1 is white.
    rows.fill(0xff, at + 1, at + stride)
    const row = y / scale - QUIET_ZONE
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(column, row)) continue
      const begin = (column + QUIET_ZONE) * scale
      for (let x = begin; x < begin + scale; x++) {
        const byte = at + 1 + (x >> 3)
        rows[byte] = (rows[byte] ?? 0) & ~(0x80 >> (x & 7))
      }
    }
  }
  return rows
}

/** The number for both axes, then 1: the bits of a pixel in `IHDR`, metres as the unit in `pHYs`. */
function buildSquare(side: number, length: number): Buffer {
  const body = Buffer.alloc(length)
  body.writeUInt32BE(side, 0)
  body.writeUInt32BE(side, 4)
  body.writeUInt8(1, 8)
  return body
}

function buildChunk(type: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
