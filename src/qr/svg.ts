/** QR symbols as self-contained SVG: smallest version, quiet zone of four modules, one path, a title, a white ground. */
import { createHash } from 'node:crypto'
import { correction, generate } from 'lean-qr'
import { bestSymbol } from './mask.ts'

export const QR_LEVELS = ['M', 'Q'] as const
export type QrLevel = (typeof QR_LEVELS)[number]

/** Modules of white on each side that ISO/IEC 18004 asks for; scanners fail with less. */
const QUIET_ZONE = 4

/** What an SVG is served with: opened on its own it runs nothing and loads nothing. */
export const SVG_HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
}

export type QrSymbol = { svg: string; etag: string }

const MOST_REMEMBERED = 500
const remembered = new Map<string, QrSymbol>()

/**
 * The symbol of a text. `level` is the error correction (M 15 %, Q 25 %), `sizeMm` the printed width in millimetres
 * with the quiet zone; without it the symbol scales to its place.
 */
export function qrSymbol(text: string, wish: { level: QrLevel; sizeMm?: number | undefined }): QrSymbol {
  const key = `${wish.level} ${wish.sizeMm ?? ''} ${text}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  const symbol = { svg: draw(text, wish), etag }
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(key, symbol)
  return symbol
}

function draw(text: string, { level, sizeMm }: { level: QrLevel; sizeMm?: number | undefined }): string {
  const symbol = bestSymbol(level, mask =>
    generate(text, {
      minCorrectionLevel: correction[level],
      maxCorrectionLevel: correction[level],
      mask: mask as 0,
    }),
  )
  const side = symbol.size + 2 * QUIET_ZONE
  const size = sizeMm === undefined ? '' : ` width="${sizeMm}mm" height="${sizeMm}mm"`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"${size} role="img" shape-rendering="crispEdges">` +
    `<title>QR code: ${escaped(text)}</title><path fill="#fff" d="M0 0h${side}v${side}H0z"/>` +
    `<path fill="#000" d="${modules(symbol)}"/></svg>\n`
  )
}

/** Each run of dark modules in a row is one rectangle of the path. */
function modules({ size, dark }: { size: number; dark: Uint8Array }): string {
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const start = x
      while (x < size && dark[y * size + x] === 1) x++
      if (x > start) path += `M${start + QUIET_ZONE} ${y + QUIET_ZONE}h${x - start}v1h-${x - start}z`
    }
  }
  return path
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, letter => ENTITY[letter] ?? '')
