/** Creates, hashes and compares secrets. */
import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** For secrets of high entropy (keys, link tokens), for which a fast hash is enough. */
export const sha256Hex = (text: string) => hash('sha256', text, 'hex')

/** Without i and l, which look alike. */
const LETTERS = 'abcdefghjkmnopqrstuvwxyz'

export const randomBase62 = (length: number): string => randomText(length, BASE62)

/** For secrets that people type: 4.6 bits per letter. */
export const randomLetters = (length: number): string => randomText(length, LETTERS)

const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** The CRC-32 as six base62 characters: detects a mistyped key without a look-up. */
export function checksum62(text: string): string {
  let out = ''
  for (let rest = crc32(text); out.length < 6; rest = Math.floor(rest / 62)) out = BASE62[rest % 62] + out
  return out
}

export function isEqualInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
