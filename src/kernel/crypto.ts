/** Secrets: made from the system's randomness, kept only as hashes, compared in constant time. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** SHA-256 as hex: for secrets of high entropy (keys, link tokens), where a slow hash would protect nothing. */
export const sha256Hex = (text: string) => hash('sha256', text, 'hex')

/** No i and no l, which look alike. */
const LETTERS = 'abcdefghjkmnopqrstuvwxyz'

/** `length` characters of base62. */
export const randomBase62 = (length: number): string => randomText(length, BASE62)

/** `length` small letters, 4.6 bits each, for what people type. */
export const randomLetters = (length: number): string => randomText(length, LETTERS)

/** Each character is evenly drawn: byte values past the last whole round are left out. */
function randomText(length: number, alphabet: string): string {
  const end = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < end && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** Six base62 characters of the CRC-32 of a text, so that a mistyped key is told from a wrong one without a look-up. */
export function checksum62(text: string): string {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < 6; i++) {
    out = BASE62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}

export function isEqualInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
