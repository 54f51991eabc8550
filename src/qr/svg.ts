/** QR symbols as self-contained SVG: smallest version, quiet zone of four modules, one path, a title, a white ground. */
import { createHash } from 'node:crypto'
import { buildQrModules, forEachDarkRun, type Modules, type QrLevel, QUIET_ZONE } from './modules.ts'

/** Printed width that can be asked for, from and to, in millimetres. */
export const SIZE_MM = [10, 1_000] as const

/** What an SVG is served with: opened on its own it runs nothing and loads nothing. */
export const SVG_HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
}

export type QrSymbol = { svg: string; etag: string }

const MAX_CACHED = 500
const cache = new Map<string, QrSymbol>()

/** `isInline`: for a page, which brings the white ground and the words, with a mask that is set and not chosen. */
type SvgOptions = { level: QrLevel; sizeMm?: number | undefined; isInline?: true }

/**
 * Mask of an inline symbol (ISO/IEC 18004, 7.8). All eight can be read; to choose the one that scans best is two thirds of
 * the work, 0.2 of 0.33 ms, and a quarter of a page that is made for the first time.
 */
const INLINE_MASK = 2

/**
 * The symbol of a text. `level` is the error correction (M 15 %, Q 25 %), `sizeMm` the printed width in millimetres
 * with the quiet zone; without it the symbol scales to its place.
 */
export function renderQrSvg(text: string, wish: SvgOptions): QrSymbol {
  const key = `${wish.level} ${wish.sizeMm ?? ''} ${wish.isInline ?? ''} ${text}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  const symbol = { svg: drawSvg(text, wish), etag }
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, symbol)
  return symbol
}

function drawSvg(text: string, { level, sizeMm, isInline }: SvgOptions): string {
  const code = buildQrModules(text, level, isInline ? { mask: INLINE_MASK } : {})
  const side = code.size + 2 * QUIET_ZONE
  const box = `viewBox="0 0 ${side} ${side}"`
  const dark = `<path fill="#000" d="${drawDarkPath(code)}"/></svg>`
  if (isInline) return `<svg ${box} aria-hidden="true" shape-rendering="crispEdges">${dark}`
  const size = sizeMm === undefined ? '' : ` width="${sizeMm}mm" height="${sizeMm}mm"`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${box}${size} role="img" shape-rendering="crispEdges">` +
    `<title>QR code: ${escapeXml(text)}</title><path fill="#fff" d="M0 0h${side}v${side}H0z"/>${dark}\n`
  )
}

/**
 * All dark modules as one filled shape: each row from the left, along the upper edge where it is dark and along the
 * lower edge where it is light, which encloses nothing, and back along the lower edge. Compressed it has half the bytes
 * of a rectangle for each run: 430 of 940 for a passport's address.
 */
function drawDarkPath(code: Modules): string {
  let path = `M${QUIET_ZONE} ${QUIET_ZONE}`
  let [row, at] = [QUIET_ZONE, QUIET_ZONE]
  forEachDarkRun(code, (x, y, length) => {
    for (; row < y; row++) {
      path += `v1H${QUIET_ZONE}`
      at = QUIET_ZONE
    }
    path += x > at ? `v1h${x - at}v-1h${length}` : `h${length}`
    at = x + length
  })
  return `${path}v1H${QUIET_ZONE}z`
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeXml = (text: string) => text.replace(/[&<>"']/g, letter => ENTITY[letter] ?? '')
