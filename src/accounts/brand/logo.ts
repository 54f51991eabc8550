/** Checks uploaded logos. The type comes from the bytes, not from the file's name. */
import type { Detail, DetailCode } from '../../kernel/errors/errors.ts'
import { sanitizeSvg } from './sanitize-svg.ts'

export const MAX_LOGO_BYTES = 8_192
/** A drawing may be larger before it is cleaned, because editors add much that is not drawing. */
const MAX_SVG_SOURCE_BYTES = 65_536
/** A few kB can be a picture of a hundred million pixels, which each reader's browser would decode. */
export const MAX_LOGO_SIDE_PIXELS = 1_200

export const LOGO_TYPES = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
} as const
export type LogoType = keyof typeof LOGO_TYPES

/** `width` and `height` are pixels, or an SVG's own measures rounded up. */
export type Logo = { type: LogoType; bytes: Buffer; width: number; height: number }

/** The picture as it is stored, or the error of `field`. */
export function parseLogo(bytes: Buffer, field: string): Logo | Detail {
  const error = (code: DetailCode, problem: string): Detail => ({
    path: [field],
    code,
    message: `${field} ${problem}`,
  })
  const logo = readRaster(bytes) ?? readSvg(bytes)
  if (logo === undefined)
    return error('format', 'is not a picture that can be used: send a PNG, JPEG, WebP or SVG file.')
  const { type, width, height } = logo
  const size = logo.bytes.length
  if (size > MAX_LOGO_BYTES)
    return error(
      'max',
      `has ${size} bytes; at most ${MAX_LOGO_BYTES} are allowed. Save it smaller, or as a simpler SVG.`,
    )
  if (type === 'svg' || Math.max(width, height) <= MAX_LOGO_SIDE_PIXELS) return logo
  return error(
    'max',
    `is ${width} × ${height} pixels; at most ${MAX_LOGO_SIDE_PIXELS} are allowed on each side.`,
  )
}

function readSvg(bytes: Buffer): Logo | undefined {
  if (bytes.length > MAX_SVG_SOURCE_BYTES || !/^\s*(?:\ufeff)?\s*</.test(bytes.toString('utf8', 0, 64)))
    return undefined
  const clean = sanitizeSvg(bytes.toString('utf8'))
  if (clean === undefined) return undefined
  // Only the proportions matter, so a drawing may be one unit high.
  const scale = Math.max(1, 100 / Math.min(clean.width, clean.height))
  const [width, height] = [clean.width * scale, clean.height * scale].map(side =>
    Math.min(Math.ceil(side), 1e6),
  )
  return { type: 'svg', bytes: Buffer.from(clean.text), width: width ?? 1, height: height ?? 1 }
}

function readRaster(bytes: Buffer): Logo | undefined {
  const found = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  return found !== undefined && found.width > 0 && found.height > 0 ? { ...found, bytes } : undefined
}

type Picture = Omit<Logo, 'bytes'>

function readPng(bytes: Buffer): Picture | undefined {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 16) !== '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    return undefined
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** The first frame header (ITU-T T.81, B.2.2) among the segments. */
function readJpeg(bytes: Buffer): Picture | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { type: 'jpg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return undefined
}

/** RFC 9649: the three kinds of first chunk. */
function readWebp(bytes: Buffer): Picture | undefined {
  if (bytes.length < 30 || !/^RIFF[\s\S]{4}WEBP$/.test(bytes.toString('latin1', 0, 12))) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type: 'webp', width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const sides = bytes.readUInt32LE(21)
      return { type: 'webp', width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { type: 'webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
