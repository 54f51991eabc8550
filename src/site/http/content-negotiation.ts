/** Selects the media type and the encoding that a request's headers ask for (RFC 9110 §12.5.1, §12.5.3). */

export type Encoding = 'br' | 'gzip' | 'identity'

/** Something that can be sent as these media types, the most exact one first. */
export type Offer = { mediaTypes: readonly [string, ...string[]] }

/** Security bounds: real headers are a tenth of this. The rest of a longer one is ignored. */
const MAX_HEADER_LENGTH = 1_000
const MAX_RANGES = 32
const MAX_MEMOIZED = 1_000

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

type Range = { value: string; quality: number }
type Rank = { quality: number; isNamed: boolean }

/**
 * Selects the offer that an `Accept` header prefers. If it prefers two equally, the one that it names beats
 * the one that only a wildcard matches, then the earlier wins. If it accepts none, the first is sent all the
 * same.
 */
export function negotiate<T extends Offer>(accept: string | undefined, offers: readonly [T, ...T[]]): T {
  const [first, ...others] = offers
  if (accept === undefined) return first
  const ranges = parseRanges(accept)
  let best = { offer: first, rank: rankOffer(ranges, first) }
  for (const offer of others) {
    const rank = rankOffer(ranges, offer)
    if (isBetter(rank, best.rank)) best = { offer, rank }
  }
  return best.offer
}

const isBetter = (rank: Rank, than: Rank): boolean =>
  rank.quality === than.quality
    ? rank.quality > 0 && rank.isNamed && !than.isNamed
    : rank.quality > than.quality

/** The most specific range that matches decides. */
function rankOffer(ranges: readonly Range[], { mediaTypes }: Offer): Rank {
  for (const candidate of [...mediaTypes, mediaTypes[0].replace(/\/.*/, '/*'), '*/*']) {
    const matching = ranges.filter(range => range.value === candidate)
    if (matching.length === 0) continue
    return {
      quality: Math.max(...matching.map(range => range.quality)),
      isNamed: !candidate.endsWith('*'),
    }
  }
  return { quality: 0, isNamed: false }
}

/** Whether an `Accept` header names link sets and prefers nothing else. */
export function prefersLinkset(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = parseRanges(accept)
  const quality = ranges.find(range => range.value === 'application/linkset+json')?.quality ?? 0
  return quality > 0 && ranges.every(range => range.quality <= quality)
}

/** The encoding that makes the smallest body among those that an `Accept-Encoding` header prefers. */
export function negotiateEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity'
  const ranges = parseRanges(header)
  const getQuality = (name: string) =>
    (ranges.find(range => range.value === name) ?? ranges.find(range => range.value === '*'))?.quality ?? 0
  const [br, gzip] = [getQuality('br'), getQuality('gzip')]
  if (br === 0 && gzip === 0) return 'identity'
  return br >= gzip ? 'br' : 'gzip'
}

/** Lower case, without parameters other than `q`. Malformed ranges are left out. */
function parseRanges(header: string): Range[] {
  const parts = header.slice(0, MAX_HEADER_LENGTH).split(',')
  if (header.length > MAX_HEADER_LENGTH) parts.pop()
  return parts.slice(0, MAX_RANGES).flatMap(part => {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(parameter => /^q=/i.test(parameter))?.slice(2) ?? '1'
    if (value === '' || !QUALITY.test(weight)) return []
    // A client that decodes a query twice sends "application/ld json"; no media type has a space of its own.
    return [{ value: value.toLowerCase().replace(' ', '+'), quality: Number(weight) }]
  })
}

/** Caches results for the few header values that nearly all readers send. */
export function memoize<T>(compute: (header: string | undefined) => T): (header: string | undefined) => T {
  const cache = new Map<string | undefined, T>()
  return header => {
    const cached = cache.get(header)
    if (cached !== undefined) return cached
    const result = compute(header)
    if (cache.size >= MAX_MEMOIZED) cache.clear()
    if (header === undefined || header.length <= MAX_HEADER_LENGTH) cache.set(header, result)
    return result
  }
}
