/** Bytes as text: base58btc, and base64url without padding. Only one text is accepted for the same bytes. */
import { malformed } from './signature-error.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE58_DIGITS = new Map(Array.from(BASE58, (letter, digit) => [letter, BigInt(digit)]))
/** Enough for signatures and keys. The time to decode grows with the square of the length. */
const MAX_BASE58_LENGTH = 200

export function encodeBase58(bytes: Uint8Array): string {
  let text = ''
  for (let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= 58n) {
    text = BASE58.charAt(Number(rest % 58n)) + text
  }
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text
}

/** Throws `malformed` for other letters, and for more than 200. */
export function decodeBase58(text: string): Buffer {
  if (text.length > MAX_BASE58_LENGTH) throw malformed('A value in base58 is too long.')
  let number = 0n
  for (const letter of text) {
    const digit = BASE58_DIGITS.get(letter)
    if (digit === undefined) throw malformed('A value is not base58.')
    number = number * 58n + digit
  }
  const hex = number === 0n ? '' : number.toString(16)
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')])
}

export const encodeBase64Url = (bytes: Uint8Array | string): string =>
  Buffer.from(bytes).toString('base64url')

/** Throws `malformed` for padding, other letters, and unused bits that are set. */
export function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw malformed('A value is not base64url.')
  return bytes
}
