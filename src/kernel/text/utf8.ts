/** UTF-8 in bytes: whether it is valid, and what places and lengths in it are as text. */
import { isAscii, isUtf8 } from 'node:buffer'
import { AppError } from '../errors/errors.ts'

/** The bytes of a valid text without a byte order mark, as RFC 8259 §8.1 allows. Throws `bad_request`. */
export function requireUtf8(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) {
    throw new AppError('bad_request', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.')
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The first place from `at` on that is not inside of a character. */
export function alignToCharacter(bytes: Buffer, at: number): number {
  let place = at
  while (isContinuation(bytes[place])) place++
  return place
}

const COUNT_BYTES = 64 * 1024

/** The length of a part as a JavaScript string, without making it. Stops once it is more than `max`. */
export function countCodeUnits(
  bytes: Buffer,
  from: number,
  until: number,
  max = Number.POSITIVE_INFINITY,
): number {
  let count = 0
  for (let at = from; at < until && count <= max; at += COUNT_BYTES) {
    const end = Math.min(at + COUNT_BYTES, until)
    // Most texts are ASCII, and native code sees that fifty times as fast as a loop.
    count += isAscii(bytes.subarray(at, end)) ? end - at : countOfAny(bytes, at, end)
  }
  return count
}

function countOfAny(bytes: Buffer, from: number, until: number): number {
  let count = 0
  for (let at = from; at < until; at++) {
    const byte = bytes[at] ?? 0
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}

/** A character of one UTF-16 code unit has at most three bytes, one of two has four. */
const MAX_BYTES_OF_UNIT = 3

/** Returns true if parts have more than `max` UTF-16 code units together. */
export function areLongerThan(
  bytes: Buffer,
  parts: readonly (readonly [from: number, until: number])[],
  max: number,
): boolean {
  const length = parts.reduce((sum, [from, until]) => sum + until - from, 0)
  if (length <= max) return false
  if (length > max * MAX_BYTES_OF_UNIT) return true
  let left = max
  for (const [from, until] of parts) left -= countCodeUnits(bytes, from, until, left)
  return left < 0
}

/** The place as people count it: lines, and columns of a JavaScript string. */
export function describePlace(bytes: Buffer, position: number): string {
  let line = 1
  let start = 0
  for (let end = bytes.indexOf(0x0a); end >= 0 && end < position; end = bytes.indexOf(0x0a, start)) {
    line++
    start = end + 1
  }
  return `line ${line}, column ${countCodeUnits(bytes, start, position) + 1}`
}
