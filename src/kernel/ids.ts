/** Identifiers are made here, never by the database: time-ordered for the index, unguessable, short enough for a small QR symbol. */
import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUE = new Map([...ALPHABET].map((letter, value) => [letter, value]))
const ID_PATTERN = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const pool = new Uint8Array(4096)
let used = pool.length

function randomBytes10(): Uint8Array {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 10
  return pool.subarray(used - 10, used)
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A UUIDv7 (RFC 9562 §5.7) of this millisecond with 74 random bits, in the hyphenated form PostgreSQL reads. */
export function newUuid(nowMs: number): string {
  const random = randomBytes10()
  const time = nowMs.toString(16).padStart(12, '0')
  const at = (i: number) => HEX[random[i] ?? 0]
  const version = HEX[0x70 | ((random[0] ?? 0) & 0x0f)]
  const variant = HEX[0x80 | ((random[2] ?? 0) & 0x3f)]
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${at(1)}-${variant}${at(3)}-${at(4)}${at(5)}${at(6)}${at(7)}${at(8)}${at(9)}`
}

/** The 26 characters of lower-case Crockford base32 that stand for a UUID at the doors. */
export function idFromUuid(uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  let id = ''
  // 128 bits read from the left in steps of five, after two zero bits: 26 characters.
  let bits = 2
  let held = 0
  for (let i = 0; i < 32; i++) {
    held = (held << 4) | Number.parseInt(hex[i] ?? '0', 16)
    bits += 4
    if (bits >= 5) {
      bits -= 5
      id += ALPHABET[(held >> bits) & 31]
      held &= (1 << bits) - 1
    }
  }
  return id
}

/** The UUID behind an id, or undefined when the text is no id (wrong length, letter or case). */
export function findUuid(id: string): string | undefined {
  if (!ID_PATTERN.test(id)) return undefined
  let hex = ''
  let bits = -2
  let held = 0
  for (const letter of id) {
    held = (held << 5) | (VALUE.get(letter) ?? 0)
    bits += 5
    while (bits >= 4) {
      bits -= 4
      hex += ((held >> bits) & 15).toString(16)
      held &= (1 << bits) - 1
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
