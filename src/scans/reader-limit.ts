/**
 * How many readers one network can be to a passport on a day. A user agent costs nothing to change, so without a bound
 * one address writes as many rows, and is as many readers, as it likes. Two sketches of fixed size, since a list of who
 * was here grows with whoever comes: counters that never count too little, and marks of who is counted already (a
 * count-min sketch and a Bloom filter). They hold no hash and no address, and are emptied each day.
 */
import { randomInt } from 'node:crypto'
import { getNetwork } from '../kernel/http/network.ts'

/** Fewer than the devices that make an item suspected: no single network can bring that about. */
export const MAX_READERS_PER_NETWORK = 32

/** 2 MiB. With a million readers a day, one in 10^30 pairs of network and passport would be counted too high. */
const COUNTERS = 2 ** 21
/** 4 MiB. Of a million readers a day, one in 5,000 is taken for one who is counted already, and counts all the same. */
const MARKS = 2 ** 25

export type ReaderLimit = {
  /**
   * Whether a reader of a day is told apart from the others of their network. `visitor` is the hash that they would
   * be told apart by, 32 random hex digits.
   */
  admits: (day: number, passportId: string, address: string, visitor: string) => boolean
  /** Forgets everybody when another day has begun. */
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
      const hash = hashOf(seed, `${day} ${passportId} ${getNetwork(address, 56)}`)
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

/** FNV-1a with a seed that nobody outside knows, mixed at its end as MurmurHash3 does. */
function hashOf(seed: number, text: string): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
