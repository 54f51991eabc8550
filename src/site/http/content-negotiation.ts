/** What a reader's headers ask for: HTML or JSON-LD, and in which compression (RFC 9110 §12.5.1, §12.5.3). */

export type Form = 'html' | 'jsonld'
export type Encoding = 'br' | 'gzip' | 'identity'

/** Security bounds: real headers are a tenth of this; what is beyond is not read. */
const MAX_HEADER_LENGTH = 1_000
const MAX_RANGES = 32

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

type Range = { value: string; quality: number }

/**
 * The form that suits an `Accept` header best. HTML unless JSON-LD (or JSON, which it is) is wanted more, or is wanted
 * as much and by name where HTML is only meant by a wildcard. Nothing suitable asked for: HTML.
 */
export function preferredForm(accept: string | undefined): Form {
  if (accept === undefined) return 'html'
  const ranges = parseRanges(accept)
  const html = rank(ranges, HTML_RANGES)
  const jsonld = rank(ranges, JSONLD_RANGES)
  if (jsonld.quality !== html.quality) return jsonld.quality > html.quality ? 'jsonld' : 'html'
  return jsonld.quality > 0 && jsonld.isNamed && !html.isNamed ? 'jsonld' : 'html'
}

/** Whether HTML is asked for by name, as browsers do and programs do not: a person is told in words what is wrong. */
export const prefersHtml = (accept: string | undefined): boolean =>
  preferredForm(accept) === 'html' && /text\/html|application\/xhtml\+xml/i.test(accept ?? '')

/** Ranges that match a form, the most specific first: its quality is the one that counts. */
const HTML_RANGES = ['text/html', 'application/xhtml+xml', 'text/*', '*/*']
const JSONLD_RANGES = ['application/ld+json', 'application/json', 'application/*', '*/*']

function rank(ranges: readonly Range[], matching: readonly string[]): { quality: number; isNamed: boolean } {
  for (const candidate of matching) {
    const found = ranges.filter(range => range.value === candidate)
    const quality = Math.max(...found.map(range => range.quality))
    if (found.length > 0) return { quality, isNamed: !candidate.endsWith('*') }
  }
  return { quality: 0, isNamed: false }
}

/** Whether an `Accept` header names linksets, and nothing that it wants more. */
export function prefersLinkset(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = parseRanges(accept)
  const quality = ranges.find(range => range.value === 'application/linkset+json')?.quality ?? 0
  return quality > 0 && ranges.every(range => range.quality <= quality)
}

/** The smallest encoding that an `Accept-Encoding` header allows. */
export function negotiateEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity'
  const ranges = parseRanges(header)
  const quality = (name: string) =>
    (ranges.find(range => range.value === name) ?? ranges.find(range => range.value === '*'))?.quality ?? 0
  const [br, gzip] = [quality('br'), quality('gzip')]
  if (br === 0 && gzip === 0) return 'identity'
  return br >= gzip ? 'br' : 'gzip'
}

/** Lower case, without parameters other than `q`; malformed ranges are left out. */
function parseRanges(header: string): Range[] {
  const parts = header.slice(0, MAX_HEADER_LENGTH).split(',')
  if (header.length > MAX_HEADER_LENGTH) parts.pop()
  return parts.slice(0, MAX_RANGES).flatMap(part => {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(parameter => /^q=/i.test(parameter))?.slice(2) ?? '1'
    if (value === '' || !QUALITY.test(weight)) return []
    // A client that decodes a query twice sends "application/ld json"; no type has a space of its own.
    return [{ value: value.toLowerCase().replace(' ', '+'), quality: Number(weight) }]
  })
}

/** Remembers the answers to the few header values that nearly all readers send. */
export function memoize<T>(answer: (header: string | undefined) => T): (header: string | undefined) => T {
  const known = new Map<string | undefined, T>()
  return header => {
    const remembered = known.get(header)
    if (remembered !== undefined) return remembered
    const fresh = answer(header)
    if (known.size >= MAX_MEMOIZED) known.clear()
    if (header === undefined || header.length <= MAX_HEADER_LENGTH) known.set(header, fresh)
    return fresh
  }
}

const MAX_MEMOIZED = 1_000
