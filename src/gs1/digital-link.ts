/**
 * Writes and parses GS1 Digital Link paths (GS1 Digital Link URI Syntax; ABNF 1.4.1), which are printed on
 * products.
 */
import { findGtinError } from './gtin.ts'
import { isLotOrSerial } from './lot-serial.ts'

/** `cpv` is AI 22 (consumer product variant): parsed, never written. */
export type DigitalLink = { gtin14: string; cpv?: string; lot?: string; serial?: string }

export type DigitalLinkError =
  /** No `01` is followed by complete pairs of key and value. */
  | 'no_key'
  | 'bad_escape'
  | 'bad_gtin'
  | 'unknown_qualifier'
  /** The order is 01, 22, 10, 21, each at most once. */
  | 'wrong_order'
  | 'bad_cpv'
  | 'bad_lot'
  | 'bad_serial'

/** `/01/{gtin14}[/10/{lot}][/21/{serial}]`. `gtin14` has 14 digits; the others must pass `isLotOrSerial`. */
export function buildGs1Path(
  gtin14: string,
  { lot, serial }: { lot?: string; serial?: string } = {},
): string {
  return (
    `/01/${gtin14}` +
    (lot === undefined ? '' : `/10/${encodeSegment(lot)}`) +
    (serial === undefined ? '' : `/21/${encodeSegment(serial)}`)
  )
}

/** Encodes like GS1's own library, with the five characters that `encodeURIComponent` leaves unchanged. */
const encodeSegment = (value: string) =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const QUALIFIERS = [
  { key: '22', name: 'cpv', error: 'bad_cpv' },
  { key: '10', name: 'lot', error: 'bad_lot' },
  { key: '21', name: 'serial', error: 'bad_serial' },
] as const

/**
 * Parses a percent-encoded path. It may have a prefix and a trailing slash; the last `01` counts. Never
 * throws.
 */
export function parseDigitalLink(rawPath: string): DigitalLink | { error: DigitalLinkError } {
  const segments = decodeSegments(rawPath)
  if (segments === undefined) return { error: 'bad_escape' }
  const start = findGtinKey(segments)
  if (start === undefined) return { error: 'no_key' }
  const gtin14 = segments[start + 1] ?? ''
  if (gtin14.length !== 14 || findGtinError(gtin14) !== undefined) return { error: 'bad_gtin' }
  const link: DigitalLink = { gtin14 }
  let lastPosition = -1
  for (let i = start + 2; i < segments.length; i += 2) {
    const position = QUALIFIERS.findIndex(({ key }) => key === segments[i])
    const qualifier = QUALIFIERS[position]
    if (qualifier === undefined) return { error: 'unknown_qualifier' }
    if (position <= lastPosition) return { error: 'wrong_order' }
    const value = segments[i + 1] ?? ''
    if (!isLotOrSerial(value)) return { error: qualifier.error }
    link[qualifier.name] = value
    lastPosition = position
  }
  return link
}

function decodeSegments(rawPath: string): string[] | undefined {
  const path = rawPath.split(/[?#]/, 1)[0] ?? ''
  const segments = path.split('/')
  if (segments.at(-1) === '') segments.pop()
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Finds the last `01` at the position of a key. A lot can be `01` too, but is at the position of a value. */
function findGtinKey(segments: readonly string[]): number | undefined {
  for (let i = segments.length - 2; i >= 0; i -= 2) if (segments[i] === '01') return i
  return undefined
}
