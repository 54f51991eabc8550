/** GS1 Digital Link addresses (URI Syntax 1.4 and later): written canonically, read strictly. */
import { isGtin } from './gtin.ts'
import { isLotOrSerial } from './lot-serial.ts'

export type DigitalLink = { gtin14: string; cpv?: string; lot?: string; serial?: string }

/** Percent-encodes a value as GS1's reference engine does: `! ' ( ) *` too, which encodeURIComponent leaves. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/** `/01/{gtin14}[/10/{lot}][/21/{serial}]`. */
export function gs1Path(gtin14: string, { lot, serial }: { lot?: string; serial?: string } = {}): string {
  const batch = lot === undefined ? '' : `/10/${encode(lot)}`
  const unit = serial === undefined ? '' : `/21/${encode(serial)}`
  return `/01/${gtin14}${batch}${unit}`
}

export type LinkProblem = 'encoding' | 'no_key' | 'gtin' | 'order' | 'value'

const QUALIFIERS = ['22', '10', '21'] as const
const MEMBER = { 22: 'cpv', 10: 'lot', 21: 'serial' } as const

/**
 * Reads a raw, still percent-encoded path. The rightmost `/01/` is the key, whatever stem stands before it; after it
 * only 22, 10, 21 in this order, each with its value. A trailing slash is forgiven.
 */
export function parseGs1Path(rawPath: string): { link: DigitalLink } | { problem: LinkProblem } {
  const segments = decode(rawPath.replace(/\/$/, '').split('/').slice(1))
  if (segments === undefined) return { problem: 'encoding' }
  const key = segments.findLastIndex((segment, i) => segment === '01' && (segments.length - i) % 2 === 0)
  if (key < 0) return { problem: 'no_key' }
  const gtin14 = segments[key + 1] ?? ''
  if (gtin14.length !== 14 || !isGtin(gtin14)) return { problem: 'gtin' }
  const link: DigitalLink = { gtin14 }
  let next = 0
  for (let i = key + 2; i < segments.length; i += 2) {
    const place = QUALIFIERS.findIndex((one, n) => n >= next && one === segments[i])
    const value = segments[i + 1] ?? ''
    const qualifier = QUALIFIERS[place]
    if (qualifier === undefined) return { problem: 'order' }
    if (!isLotOrSerial(value)) return { problem: 'value' }
    link[MEMBER[qualifier]] = value
    next = place + 1
  }
  return { link }
}

function decode(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
