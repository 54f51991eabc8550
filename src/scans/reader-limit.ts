/**
 * Limits how many readers of one network count for a passport on a day, with count-min sketches and a Bloom
 * filter: they have a fixed size, contain no hash and no address, and are cleared each day.
 */
import { randomInt } from 'node:crypto'
import { getNetwork } from '../kernel/http/network.ts'

/** Fewer than the default `scan_devices`, so that one network alone cannot make an item suspect. */
export const MAX_READERS_PER_NETWORK = 32
/**
 * For an IPv6 /32 of models and batches, which many customers of one provider may honestly scan on a day. For
 * items, it is the same as of a smaller network.
 */
export const MAX_READERS_PER_PROVIDER = 250

/**
 * 2 MiB for each size of network. With a million readers a day, one in 10^30 pairs of network and passport
 * reaches the limit because of others.
 */
const COUNTERS = 2 ** 21
/**
 * Bits of the filter, 4 MiB. Of a million readers a day, one in 5,000 passes although the limit is reached.
 */
const FILTER_BITS = 2 ** 25
/** The multiplier of Fibonacci hashing: consecutive days become very different numbers. */
const DAY_MULTIPLIER = 0x9e3779b1

export type ReadPassport = { id: string; level: 'm' | 'b' | 'i' }

export function createReaderLimit() {
  const [households, sites, providers] = [createSketch(), createSketch(), createSketch()]
  const filter = new Uint8Array(FILTER_BITS / 8)
  const seed = randomInt(2 ** 32)
  let today: number | undefined

  const hasBit = (bit: number) => ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  const setBit = (bit: number) => {
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  return {
    /**
     * The largest network of this reader that has reached its limit, so that its further readers count as
     * one. If undefined, the reader counts separately. `readerHash`: 32 hex digits. Unrolled, because it is
     * called for each scan.
     */
    findFullNetwork(day: number, passport: ReadPassport, address: string, readerHash: string) {
      const [a, b] = [getBitIndex(readerHash, 0), getBitIndex(readerHash, 8)]
      const [c, d] = [getBitIndex(readerHash, 16), getBitIndex(readerHash, 24)]
      if (hasBit(a) && hasBit(b) && hasBit(c) && hasBit(d)) return undefined
      const passportSeed = addText(seed + Math.imul(day, DAY_MULTIPLIER), passport.id)
      const household = getNetwork(address, 56)
      const householdHash = hashNetwork(passportSeed, household)
      if (household.includes(':')) {
        const site = dropGroup(household)
        const provider = dropGroup(site)
        const [siteHash, providerHash] = [
          hashNetwork(passportSeed, site),
          hashNetwork(passportSeed, provider),
        ]
        const maxOfProvider = passport.level === 'i' ? MAX_READERS_PER_NETWORK : MAX_READERS_PER_PROVIDER
        if (providers.count(providerHash) >= maxOfProvider) return provider
        if (sites.count(siteHash) >= MAX_READERS_PER_NETWORK) return site
        if (households.count(householdHash) >= MAX_READERS_PER_NETWORK) return household
        providers.add(providerHash)
        sites.add(siteHash)
      } else if (households.count(householdHash) >= MAX_READERS_PER_NETWORK) return household
      households.add(householdHash)
      setBit(a)
      setBit(b)
      setBit(c)
      setBit(d)
      return undefined
    },
    startDay(day: number) {
      if (today !== undefined && day !== today) {
        for (const sketch of [households, sites, providers]) sketch.clear()
        filter.fill(0)
      }
      today = day
    },
  }
}

/** Counts by hash, never too low. */
function createSketch() {
  const counters = new Uint8Array(COUNTERS)
  const count = (hash: number) =>
    Math.min(counters[hash % COUNTERS] ?? 0, counters[(hash >>> 11) % COUNTERS] ?? 0)
  return {
    count,
    add(hash: number) {
      const before = count(hash)
      const [first, second] = [hash % COUNTERS, (hash >>> 11) % COUNTERS]
      if (counters[first] === before) counters[first] = before + 1
      if (counters[second] === before) counters[second] = before + 1
    },
    clear: () => void counters.fill(0),
  }
}

export type ReaderLimit = ReturnType<typeof createReaderLimit>

const getBitIndex = (readerHash: string, at: number) =>
  Number.parseInt(readerHash.slice(at, at + 8), 16) % FILTER_BITS

/** From /56 to /48, and on to /32. */
const dropGroup = (network: string) => network.slice(0, network.lastIndexOf(':'))

const hashNetwork = (seed: number, network: string) => mixBits(addText(seed, network))

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
