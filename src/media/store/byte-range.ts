/** A range of the bytes of an object, as a request names it before anybody knows how long the object is. */

/** `last`: that many bytes at the end. `to` is inclusive, and undefined for the rest of the object. */
export type ByteRange = { from: number; to: number | undefined } | { last: number }

/** `bytes` start at `from`; there are none if the range is outside of the object. `size`: of the object. */
export type ReadRange = { bytes: Buffer; from: number; size: number }

/** The first byte and the one after the last; undefined if an object of this size has none in the range. */
export function resolveRange(range: ByteRange, size: number): { from: number; end: number } | undefined {
  if ('last' in range)
    return range.last === 0 || size === 0 ? undefined : { from: Math.max(0, size - range.last), end: size }
  const { from, to = size - 1 } = range
  return from >= size || to < from ? undefined : { from, end: Math.min(to + 1, size) }
}

/** The most bytes that the range can have. */
export function countRangeBytes(range: ByteRange): number {
  if ('last' in range) return range.last
  return range.to === undefined ? Number.POSITIVE_INFINITY : range.to - range.from + 1
}

export const formatRange = (range: ByteRange): string =>
  'last' in range ? `-${range.last}` : `${range.from}-${range.to ?? ''}`

/** The range of bytes that are at hand. They share the memory of `all`. */
export function sliceRange(all: Buffer, range: ByteRange): ReadRange {
  const { from, end } = resolveRange(range, all.length) ?? { from: 0, end: 0 }
  return { bytes: all.subarray(from, end), from, size: all.length }
}
