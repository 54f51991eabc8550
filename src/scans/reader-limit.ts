/**
 * Limits how many readers of one network count for a passport on a day: one address with many user agents
 * would be many readers. A count-min sketch counts the readers, a Bloom filter knows who is counted. Both
 * have a fixed size, hold no hash and no address, and are cleared each day.
 */
import { randomInt } from 'node:crypto'
import { getNetwork } from '../kernel/http/network.ts'

/** Fewer than the devices that make an item suspect: one network alone cannot make it suspect. */
export const MAX_READERS_PER_NETWORK = 32

/** 2 MiB. With a million readers a day, one in 10^30 pairs of network and passport is counted too high. */
const COUNTERS = 2 ** 21
/** Bits, 4 MiB. Of a million readers a day, one in 5,000 passes although the limit is reached. */
const MARKS = 2 ** 25
/** Multiplied with a day, changes half of its bits. */
const SPREAD = 0x9e3779b1

export function createReaderLimit() {
  const counters = new Uint8Array(COUNTERS)
  const marks = new Uint8Array(MARKS / 8)
  const seed = randomInt(2 ** 32)
  let today: number | undefined

  const isMarked = (bit: number) => ((marks[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  const mark = (bit: number) => {
    marks[bit >>> 3] = (marks[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  return {
    /**
     * Whether this reader of a network still counts separately. `visitor` is the reader's hash: 32 random hex
     * digits. Written out for speed: every scan comes through here.
     */
    admits(day: number, passportId: string, address: string, visitor: string) {
      const [a, b] = [readBit(visitor, 0), readBit(visitor, 8)]
      const [c, d] = [readBit(visitor, 16), readBit(visitor, 24)]
      if (isMarked(a) && isMarked(b) && isMarked(c) && isMarked(d)) return true
      const hash = finish(
        addText(addText(seed + Math.imul(day, SPREAD), passportId), getNetwork(address, 56)),
      )
      const [one, other] = [hash % COUNTERS, (hash >>> 11) % COUNTERS]
      const count = Math.min(counters[one] ?? 0, counters[other] ?? 0)
      if (count >= MAX_READERS_PER_NETWORK) return false
      if (counters[other] === count) counters[other] = count + 1
      if (counters[one] === count) counters[one] = count + 1
      mark(a)
      mark(b)
      mark(c)
      mark(d)
      return true
    },
    startDay(day: number) {
      if (today !== undefined && day !== today) {
        counters.fill(0)
        marks.fill(0)
      }
      today = day
    },
  }
}

export type ReaderLimit = ReturnType<typeof createReaderLimit>

const readBit = (visitor: string, at: number) => Number.parseInt(visitor.slice(at, at + 8), 16) % MARKS

/** FNV-1a. */
function addText(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** The finaliser of MurmurHash3. */
function finish(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
