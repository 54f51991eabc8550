/**
 * Limits how many readers of one network count for a passport on a day, with a count-min sketch and a Bloom
 * filter: they have a fixed size, contain no hash and no address, and are cleared each day.
 */
import { randomInt } from 'node:crypto'
import { getNetwork } from '../kernel/http/network.ts'

/** Fewer than the default `scan_devices`, so that one network alone cannot make an item suspect. */
export const MAX_READERS_PER_NETWORK = 32

/**
 * 2 MiB. With a million readers a day, one in 10^30 pairs of network and passport reaches the limit because
 * of others.
 */
const COUNTERS = 2 ** 21
/**
 * Bits of the filter, 4 MiB. Of a million readers a day, one in 5,000 passes although the limit is reached.
 */
const FILTER_BITS = 2 ** 25
/** The multiplier of Fibonacci hashing: consecutive days become very different numbers. */
const DAY_MULTIPLIER = 0x9e3779b1

export function createReaderLimit() {
  const counters = new Uint8Array(COUNTERS)
  const filter = new Uint8Array(FILTER_BITS / 8)
  const seed = randomInt(2 ** 32)
  let today: number | undefined

  const hasBit = (bit: number) => ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  const setBit = (bit: number) => {
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  return {
    /**
     * Whether this reader of a network still counts separately. `readerHash`: 32 hex digits. Unrolled,
     * because it is called for each scan.
     */
    admits(day: number, passportId: string, address: string, readerHash: string) {
      const [a, b] = [getBitIndex(readerHash, 0), getBitIndex(readerHash, 8)]
      const [c, d] = [getBitIndex(readerHash, 16), getBitIndex(readerHash, 24)]
      if (hasBit(a) && hasBit(b) && hasBit(c) && hasBit(d)) return true
      const daySeed = seed + Math.imul(day, DAY_MULTIPLIER)
      const hash = mixBits(addText(addText(daySeed, passportId), getNetwork(address, 56)))
      const [first, second] = [hash % COUNTERS, (hash >>> 11) % COUNTERS]
      const count = Math.min(counters[first] ?? 0, counters[second] ?? 0)
      if (count >= MAX_READERS_PER_NETWORK) return false
      if (counters[second] === count) counters[second] = count + 1
      if (counters[first] === count) counters[first] = count + 1
      setBit(a)
      setBit(b)
      setBit(c)
      setBit(d)
      return true
    },
    startDay(day: number) {
      if (today !== undefined && day !== today) {
        counters.fill(0)
        filter.fill(0)
      }
      today = day
    },
  }
}

export type ReaderLimit = ReturnType<typeof createReaderLimit>

const getBitIndex = (readerHash: string, at: number) =>
  Number.parseInt(readerHash.slice(at, at + 8), 16) % FILTER_BITS

/** FNV-1a. */
function addText(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** The finaliser of MurmurHash3. */
function mixBits(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
