/** Identifiers are made here, never by the database: time-ordered for the index, unguessable, short enough for a small QR symbol. */
import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUE = new Map([...ALPHABET].map((letter, value) => [letter, value]))
const ID_PATTERN = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const RANDOM_BITS = 74n
const LOW_BITS = 62n
const VARIANT = 2n << LOW_BITS

const pool = new BigUint64Array(512)
let used = pool.length

function random64(): bigint {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++] ?? 0n
}

const random74 = () => ((random64() & 0x3ffn) << 64n) | random64()

let lastMs = -1
let lastBits = 0n

/**
 * A UUIDv7 (RFC 9562 §5.7) of this millisecond in the hyphenated form PostgreSQL reads: 74 random bits, and within one
 * millisecond of this process each greater than the one before by a random step of 48 bits (§6.2, method 2), so that
 * ids sort in the order of creation and one still says nothing useful about the next.
 */
export function newUuid(nowMs: number): string {
  if (nowMs === lastMs) lastBits += (random64() >> 16n) + 1n
  if (nowMs !== lastMs || lastBits >> RANDOM_BITS > 0n) lastBits = random74()
  lastMs = nowMs
  const time = nowMs.toString(16).padStart(12, '0')
  const high = (lastBits >> LOW_BITS).toString(16).padStart(3, '0')
  const low = (BigInt.asUintN(62, lastBits) | VARIANT).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}`
}

/** The lowest UUIDv7 of a millisecond: what is older sorts before it. */
export function uuidFloor(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** Names for requests, in the order they came: sixteen random characters of this process, ten that count. */
export function requestIds(): () => string {
  const process = Array.from({ length: 16 }, () => ALPHABET[Number(random64() & 31n)]).join('')
  let count = 0
  return () => process + (++count).toString(32).padStart(10, '0')
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
