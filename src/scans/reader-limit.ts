/**
 * Limits how many readers of one network count for a passport on a day: one address with many user agents would be many
 * readers. A count-min sketch counts the readers, a Bloom filter knows who is counted. Both have a fixed size, hold no
 * hash and no address, and are cleared each day.
 */
import { randomInt } from 'node:crypto'
import { getNetwork } from '../kernel/http/network.ts'

/** Lower than the number of devices that make an item suspect, so one network alone cannot make it suspect. */
export const MAX_READERS_PER_NETWORK = 32

/** 2 MiB. With a million readers a day, one in 10^30 pairs of network and passport is counted too high. */
const COUNTERS = 2 ** 21
/** Bits, 4 MiB. Of a million readers a day, one in 5,000 passes although the limit is reached. */
const MARKS = 2 ** 25

export type ReaderLimit = {
  /** Whether this reader of a network still counts separately. `visitor` is the reader's hash: 32 random hex digits. */
  admits: (day: number, passportId: string, address: string, visitor: string) => boolean
  /** Clears the sketches if another day has begun. */
  startDay: (day: number) => void
}

export function createReaderLimit(): ReaderLimit {
  const counters = new Uint8Array(COUNTERS)
  const marks = new Uint8Array(MARKS / 8)
  const seed = randomInt(2 ** 32)
  let today: number | undefined

  const isMarked = (bit: number) => ((marks[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0

  return {
    admits(day, passportId, address, visitor) {
      const bits = [0, 8, 16, 24].map(at => Number.parseInt(visitor.slice(at, at + 8), 16) % MARKS)
      if (bits.every(isMarked)) return true
      const hash = hashText(seed, `${day} ${passportId} ${getNetwork(address, 56)}`)
      const [one, other] = [hash % COUNTERS, (hash >>> 11) % COUNTERS]
      const count = Math.min(counters[one] ?? 0, counters[other] ?? 0)
      if (count >= MAX_READERS_PER_NETWORK) return false
      for (const cell of new Set([one, other])) if (counters[cell] === count) counters[cell] = count + 1
      for (const bit of bits) marks[bit >>> 3] = (marks[bit >>> 3] ?? 0) | (1 << (bit & 7))
      return true
    },
    startDay(day) {
      if (today !== undefined && day !== today) {
        counters.fill(0)
        marks.fill(0)
      }
      today = day
    },
  }
}

/** FNV-1a with a secret seed and the finaliser of MurmurHash3. */
function hashText(seed: number, text: string): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
