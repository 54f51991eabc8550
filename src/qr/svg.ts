/** Renders QR symbols as self-contained SVG: one path, a title and a white background. */
import { hash } from 'node:crypto'
import { buildQrModules, forEachDarkRun, type Modules, type QrLevel, QUIET_ZONE } from './modules.ts'

/** The smallest and largest printed width in millimetres. */
export const SIZE_MM = [10, 1_000] as const

/** With these headers an SVG runs and loads nothing when opened on its own. */
export const SVG_HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
}

type QrSymbol = { svg: string; etag: string }

const MAX_CACHED = 500
const cache = new Map<string, QrSymbol>()

/** `isInline`: for embedding in a page, which has its own background and title; always uses one mask. */
type SvgOptions = { level: QrLevel; sizeMm?: number | undefined; isInline?: true }

/**
 * One of the eight valid masks (ISO/IEC 18004, 7.8). Choosing the best one would take a quarter of a page's
 * time.
 */
const INLINE_MASK = 2

/**
 * `sizeMm` is the printed width in millimetres with the quiet zone; without it the symbol scales to its
 * container.
 */
export function renderQrSvg(text: string, options: SvgOptions): QrSymbol {
  const key = `${options.level} ${options.sizeMm ?? ''} ${options.isInline ?? ''} ${text}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const etag = `"${hash('sha256', key, 'base64url').slice(0, 22)}"`
  const symbol = { svg: drawSvg(text, options), etag }
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
 * Draws all dark modules as one path. In each row it follows the upper edge of dark modules and the lower
 * edge of light ones to the right, then returns along the lower edge. Compressed it has half the bytes of one
 * rectangle per run: 430 instead of 940.
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
const escapeXml = (text: string) => text.replace(/[&<>"']/g, character => ENTITY[character] ?? '')
