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

/**
 * `isInline`: for embedding in a page, which has its own background and title. It is printed on a clean
 * sheet, so it needs the least correction: fewer, larger modules. Always uses one mask.
 */
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
  const code = isInline ? buildQrModules(text, 'L', { mask: INLINE_MASK }) : buildQrModules(text, level)
  const side = code.size + 2 * QUIET_ZONE
  const box = `viewBox="0 0 ${side} ${side}"`
  if (isInline) {
    return `<svg ${box} aria-hidden="true" shape-rendering="crispEdges">${drawDashedPath(code)}</svg>`
  }
  const dark = `<path fill="#000" d="${drawDarkPath(code)}"/></svg>`
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

/**
 * One line to and fro through all rows, with the runs of dark modules as its dashes. It turns in the quiet
 * zone. Compressed it has 160 bytes less than the outline, but only browsers draw it: programs for print
 * often lack dashes.
 */
function drawDashedPath(code: Modules): string {
  const width = code.size + 2
  const rows = Array.from({ length: code.size }, (_, y) => `h${y % 2 === 0 ? width : -width}`)
  const dashes = [0, 0]
  const add = (isDark: boolean, length: number) => {
    if (isDark === (dashes.length % 2 === 1)) dashes.push((dashes.pop() ?? 0) + length)
    else dashes.push(length)
  }
  for (let y = 0; y < code.size; y++) {
    add(false, y === 0 ? 1 : 3)
    for (let x = 0; x < code.size; x++) add(code.get(y % 2 === 0 ? x : code.size - 1 - x, y), 1)
  }
  const start = `M${QUIET_ZONE - 1} ${QUIET_ZONE}.5`
  return `<path fill="none" stroke="#000" stroke-dasharray="${dashes.join(' ')}" d="${start}${rows.join('v1')}"/>`
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeXml = (text: string) => text.replace(/[&<>"']/g, character => ENTITY[character] ?? '')
