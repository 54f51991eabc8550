/** QR symbols as self-contained SVG: smallest version, quiet zone of four modules, one path, a title, a white ground. */
import { createHash } from 'node:crypto'
import { darkRuns, type QrLevel, QUIET_ZONE, qrModules } from './modules.ts'

/** Printed width that can be asked for, from and to, in millimetres. */
export const SIZE_MM = [10, 1_000] as const

/** What an SVG is served with: opened on its own it runs nothing and loads nothing. */
export const SVG_HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
}

export type QrSymbol = { svg: string; etag: string }

const MOST_REMEMBERED = 500
const remembered = new Map<string, QrSymbol>()

/** `isQuick`: with a mask that is set and not chosen. */
type Wish = { level: QrLevel; sizeMm?: number | undefined; isQuick?: true }

/**
 * Mask of a quick symbol (ISO/IEC 18004, 7.8). All eight can be read; to choose the one that scans best is two thirds of
 * the work, 0.2 of 0.33 ms, and a quarter of a page that is made for the first time.
 */
const QUICK_MASK = 2

/**
 * The symbol of a text. `level` is the error correction (M 15 %, Q 25 %), `sizeMm` the printed width in millimetres
 * with the quiet zone; without it the symbol scales to its place.
 */
export function qrSymbol(text: string, wish: Wish): QrSymbol {
  const key = `${wish.level} ${wish.sizeMm ?? ''} ${wish.isQuick ?? ''} ${text}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  const symbol = { svg: draw(text, wish), etag }
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(key, symbol)
  return symbol
}

function draw(text: string, { level, sizeMm, isQuick }: Wish): string {
  const code = qrModules(text, level, isQuick ? { mask: QUICK_MASK } : {})
  let path = ''
  darkRuns(code, (x, y, length) => {
    path += `M${x} ${y}h${length}v1h-${length}z`
  })
  const side = code.size + 2 * QUIET_ZONE
  const size = sizeMm === undefined ? '' : ` width="${sizeMm}mm" height="${sizeMm}mm"`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"${size} role="img" shape-rendering="crispEdges">` +
    `<title>QR code: ${escaped(text)}</title><path fill="#fff" d="M0 0h${side}v${side}H0z"/>` +
    `<path fill="#000" d="${path}"/></svg>\n`
  )
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, letter => ENTITY[letter] ?? '')
