/** Selects the media type and the encoding that a request's headers ask for (RFC 9110 §12.5.1, §12.5.3). */
import { MAX_HEADER_LENGTH, parseRanges, type Range } from '../../i18n/negotiate.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

/** A representation that can be sent as one of these media types, the most exact one first. */
export type Representation = { mediaTypes: readonly [string, ...string[]] }

const MAX_MEMOIZED = 1_000

/** `isExplicit`: the header names the media type, not only a wildcard that matches it. */
type Rank = { quality: number; isExplicit: boolean }

/**
 * Selects the offer that an `Accept` header prefers. Of two with the same quality, a named type beats a
 * wildcard match, then the earlier offer wins. If the header accepts none, returns the first.
 */
export function negotiateMediaType<T extends Representation>(
  accept: string | undefined,
  offers: readonly [T, ...T[]],
): T {
  const [first, ...others] = offers
  if (accept === undefined) return first
  const ranges = parseMediaRanges(accept)
  let best = { offer: first, rank: rankOffer(ranges, first) }
  for (const offer of others) {
    const rank = rankOffer(ranges, offer)
    if (isBetter(rank, best.rank)) best = { offer, rank }
  }
  return best.offer
}

const isBetter = (rank: Rank, than: Rank): boolean =>
  rank.quality === than.quality
    ? rank.quality > 0 && rank.isExplicit && !than.isExplicit
    : rank.quality > than.quality

/** The most specific range that matches decides. */
function rankOffer(ranges: readonly Range[], { mediaTypes }: Representation): Rank {
  for (const candidate of [...mediaTypes, mediaTypes[0].replace(/\/.*/, '/*'), '*/*']) {
    const matching = ranges.filter(range => range.value === candidate)
    if (matching.length === 0) continue
    return {
      quality: Math.max(...matching.map(range => range.quality)),
      isExplicit: !candidate.endsWith('*'),
    }
  }
  return { quality: 0, isExplicit: false }
}

/**
 * True if an `Accept` header has no opinion on an offer: it is missing or empty, or accepts the offer only as
 * one of all media types.
 */
export function isMatchedByWildcard(accept: string | undefined, { mediaTypes }: Representation): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const ranges = parseMediaRanges(accept)
  const names: readonly string[] = [...mediaTypes, mediaTypes[0].replace(/\/.*/, '/*')]
  const isNamed = ranges.some(({ value }) => names.includes(value))
  return !isNamed && ranges.some(({ value, quality }) => value === '*/*' && quality > 0)
}

/** Returns true if an `Accept` header names link sets, and no other media type with a higher quality. */
export function prefersLinkset(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = parseMediaRanges(accept)
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

/** Some clients turn the "+" of "application/ld+json" into a space; media types have no spaces. */
const parseMediaRanges = (header: string): Range[] =>
  parseRanges(header).map(({ value, ...range }) => ({ ...range, value: value.replace(' ', '+') }))

/** Caches results for the few header values that nearly all readers send. */
export function memoize<T>(compute: (header: string | undefined) => T): (header: string | undefined) => T {
  const cache = new BoundedMap<string | undefined, T>(MAX_MEMOIZED)
  return header =>
    header !== undefined && header.length > MAX_HEADER_LENGTH
      ? compute(header)
      : cache.getOrMake(header, compute)
}
