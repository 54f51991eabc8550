/**
 * Creates identifiers: ordered by time for the index, unguessable, and short enough for a small QR symbol.
 */
import { randomFillSync } from 'node:crypto'
import { notFound } from '../errors/errors.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HYPHEN = 0x2d
const HEX_VALUE = Uint8Array.from(
  { length: 128 },
  (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0,
)
const VALUE = new Map([...ALPHABET].map((letter, value) => [letter, value]))
const ID_PATTERN = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const pool = new Uint16Array(4096)
let used = pool.length

function random16(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++] ?? 0
}

const HEX4 = Array.from({ length: 0x1_0000 }, (_, n) => n.toString(16).padStart(4, '0'))

let lastMs = -1
let lastTime = ''
// The 74 random bits of the last id, from the left: 12, 14 and three times 16. Separate variables for speed.
let bits12 = 0
let bits14 = 0
let bits48a = 0
let bits48b = 0
let bits48c = 0

/**
 * A UUIDv7 (RFC 9562 §5.7) with 74 random bits. Within a millisecond and process, each is greater than the
 * previous one by a random step of 48 bits (§6.2, method 2): ids sort by creation, and the next cannot be
 * guessed.
 */
export function newUuid(nowMs: number): string {
  if (nowMs !== lastMs) begin(nowMs)
  else step()
  return `${lastTime}-7${hex4(bits12).slice(1)}-${hex4(bits14 | 0x8000)}-${hex4(bits48a)}${hex4(bits48b)}${hex4(bits48c)}`
}

const hex4 = (n: number) => HEX4[n] ?? ''

const formatTime = (ms: number) => ms.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')

function begin(nowMs: number): void {
  lastMs = nowMs
  lastTime = formatTime(nowMs)
  bits12 = random16() & 0x0fff
  bits14 = random16() & 0x3fff
  bits48a = random16()
  bits48b = random16()
  bits48c = random16()
}

/**
 * Adds a step of up to 2^48. After the end of the 74 bits it continues from zero: still unique, but out of
 * order.
 */
function step(): void {
  let sum = bits48c + random16() + 1
  bits48c = sum & 0xffff
  sum = bits48b + random16() + (sum >> 16)
  bits48b = sum & 0xffff
  sum = bits48a + random16() + (sum >> 16)
  bits48a = sum & 0xffff
  sum = bits14 + (sum >> 16)
  bits14 = sum & 0x3fff
  bits12 = (bits12 + (sum >> 14)) & 0x0fff
}

/** The lowest possible UUIDv7 of a millisecond. */
export function uuidFloor(ms: number): string {
  return `${formatTime(Math.max(0, ms))}-7000-8000-000000000000`
}

/** Sequential ids of requests: sixteen random characters per process, ten of a counter. */
export function requestIds(): () => string {
  const process = Array.from({ length: 16 }, () => ALPHABET[random16() & 31]).join('')
  let count = 0
  return () => process + (++count).toString(32).padStart(10, '0')
}

/** The public form of a UUID: 26 characters of lower-case Crockford base32. */
export function idFromUuid(uuid: string): string {
  let id = ''
  // Five bits at a time from the left, after two zero bits.
  let bits = 2
  let held = 0
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i)
    if (code === HYPHEN) continue
    held = (held << 4) | (HEX_VALUE[code] ?? 0)
    bits += 4
    if (bits >= 5) {
      bits -= 5
      id += ALPHABET[(held >> bits) & 31]
      held &= (1 << bits) - 1
    }
  }
  return id
}

/** The UUID of a public id; undefined if the text is not an id. */
export function parseId(id: string): string | undefined {
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

/** Throws `not_found` if `id` is not an id. */
export function requireUuid(id: string, what: string): string {
  const uuid = parseId(id)
  if (uuid === undefined) throw notFound(what)
  return uuid
}
