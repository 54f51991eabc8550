/** UTF-8 in bytes: whether it is valid, and what places and lengths in it are as text. */
import { isUtf8 } from 'node:buffer'
import { AppError } from '../errors.ts'

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

/** The length of a part as a JavaScript string, without making it. */
export function countCodeUnits(bytes: Buffer, from: number, until: number): number {
  let count = 0
  for (let at = from; at < until; at++) {
    const byte = bytes[at] ?? 0
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}

/** The place as people count it: lines, and columns of a JavaScript string. */
export function describePlace(bytes: Buffer, position: number): string {
  let line = 1
  let start = 0
  for (let at = 0; at < position; at++) {
    if (bytes[at] !== 0x0a) continue
    line++
    start = at + 1
  }
  return `line ${line}, column ${countCodeUnits(bytes, start, position) + 1}`
}
