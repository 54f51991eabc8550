/** QR symbols as PNG for programs that print no SVG: whole pixels a module, and the resolution written in the file. */
import { crc32 } from 'node:zlib'
import { toPngBuffer } from 'lean-qr/extras/node_export'
import { type QrLevel, QUIET_ZONE, qrModules } from './modules.ts'

export const DPI = [300, 600] as const
export type Dpi = (typeof DPI)[number]

const MM_PER_INCH = 25.4
/** The length of a PNG's signature and of its IHDR chunk, which stands first (PNG, third edition, §5.6). */
const HEAD_LENGTH = 8 + 25

export type PngWish = { level: QrLevel; sizeMm: number; dpi: Dpi }

/** At most `sizeMm` wide with the quiet zone: the pixels of a module are a whole number, at least one. */
export function qrPng(text: string, { level, sizeMm, dpi }: PngWish): Buffer {
  const modules = qrModules(text, level)
  const pixels = Math.floor(((sizeMm / MM_PER_INCH) * dpi) / (modules.size + 2 * QUIET_ZONE))
  const png = toPngBuffer(modules, { pad: QUIET_ZONE, scale: Math.max(1, pixels), off: [255, 255, 255] })
  return withResolution(Buffer.from(png), dpi)
}

/** A pHYs chunk behind the head, so that a layout program places the symbol at its size. */
function withResolution(png: Buffer, dpi: Dpi): Buffer {
  const perMetre = Math.round((dpi / MM_PER_INCH) * 1000)
  const body = Buffer.alloc(13)
  body.write('pHYs', 0, 'latin1')
  body.writeUInt32BE(perMetre, 4)
  body.writeUInt32BE(perMetre, 8)
  body.writeUInt8(1, 12)
  const chunk = Buffer.alloc(4 + body.length + 4)
  chunk.writeUInt32BE(body.length - 4)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), 4 + body.length)
  return Buffer.concat([png.subarray(0, HEAD_LENGTH), chunk, png.subarray(HEAD_LENGTH)])
}
