/** Turns a scan into counts, and drops the reader's address and user agent. */
import { BoundedMap } from '../kernel/values/bounded-map.ts'
import { getOrCreateCounter, type ScanBatch, type ScannedPassport } from './batch.ts'
import { type CountryLookup, UNKNOWN_COUNTRY } from './country.ts'
import { isCrawler } from './crawlers.ts'
import { HOURS_PER_DAY } from './day.ts'
import { type Device, detectDevice } from './device.ts'
import type { ReaderLimit } from './reader-limit.ts'
import type { RecentReaders } from './recent-readers.ts'
import type { Salts } from './salts.ts'
import { isCounted, type SettingsCache } from './settings.ts'

/** The reader as its request describes it. Only kept in memory, usually for a second. */
export type ScanReader = {
  address: string
  userAgent: string
  /** Two letters from a trusted proxy. */
  country?: string | undefined
  /** Session cookie of a signed-in person. */
  sessionToken?: string | undefined
  /** The request says that it may be a reload. */
  isReload?: boolean
}

/**
 * Requests for a passport by one reader within an hour: `times` that are no reloads, and `reloads`. The last
 * was made `at` this time, in milliseconds.
 */
export type PendingScan = {
  passport: ScannedPassport
  reader: Omit<ScanReader, 'isReload'>
  hour: number
  times: number
  reloads: number
  at: number
}

export type CountingContext = {
  settings: SettingsCache
  salts: Salts
  countries: CountryLookup
  readerLimit: ReaderLimit
  recentReaders: RecentReaders
}

/** Adds scans to a batch. Computes nothing if counting is off for their account or category. */
export function countScan(batch: ScanBatch, scan: PendingScan, context: CountingContext): void {
  const { passport, reader, hour } = scan
  const settings = context.settings.get(passport.account_id)
  if (!isCounted(settings, passport.category)) return
  const day = Math.floor(hour / HOURS_PER_DAY)
  const kind = detectKind(reader.userAgent)
  if (kind === 'crawler') {
    const requests = scan.times + scan.reloads
    batch.scans += requests
    getOrCreateCounter(batch, { passport, day, country: UNKNOWN_COUNTRY, device: 'other' }).crawlers +=
      requests
    return
  }
  const { readerText, readerHash, ownHash } = hashReader(passport, reader, day, context)
  const times = countTimes(scan, context.recentReaders.see(ownHash, scan.at))
  if (times === 0) return
  batch.scans += times
  const country = context.countries.find(reader.address, reader.country)
  const counter = getOrCreateCounter(batch, { passport, day, country, device: kind })
  counter.scans += times
  if (!batch.readers.has(readerHash)) batch.readers.set(readerHash, counter.slot)
  if (passport.level !== 'i' || settings.clone_rules === null) return
  const key = `${hour}${readerHash}${country}`
  const visit = batch.items.get(key)
  if (visit !== undefined) visit.scans += times
  else {
    // With yesterday's salt, a reader is recognised across midnight. Older salts may be deleted already.
    const previousHash = context.salts.has(day - 1) ? context.salts.hash(day - 1, readerText) : readerHash
    const { id: passportId, account_id: accountId } = passport
    batch.items.set(key, { passportId, accountId, hour, readerHash, previousHash, country, scans: times })
  }
}

/**
 * A reload counts if the reader has not asked before: it may be a scanner app that bypasses caches. Without
 * that header, the next request may be another phone of the same model at the same address.
 */
const countTimes = ({ times, reloads }: PendingScan, isRecent: boolean): number =>
  times === 0 && reloads > 0 && !isRecent ? 1 : times

/** Above the limit, all readers of a network share one hash; `ownHash` is never shared. */
function hashReader(
  passport: ScannedPassport,
  { address, userAgent }: PendingScan['reader'],
  day: number,
  { salts, readerLimit }: CountingContext,
): { readerText: string; readerHash: string; ownHash: string } {
  const readerText = `${passport.id}\n${address}\n${userAgent}`
  const ownHash = salts.hash(day, readerText)
  const network = readerLimit.findFullNetwork(day, passport, address, ownHash)
  if (network === undefined) return { readerText, readerHash: ownHash, ownHash }
  const shared = `${passport.id}\n${network}`
  return { readerText: shared, readerHash: salts.hash(day, shared), ownHash }
}

/** For the few hundred user agents of most readers. */
const cachedKinds = new BoundedMap<string, Device | 'crawler'>(2_000)

function detectKind(userAgent: string): Device | 'crawler' {
  let kind = cachedKinds.get(userAgent)
  if (kind === undefined) {
    kind = isCrawler(userAgent) ? 'crawler' : detectDevice(userAgent)
    cachedKinds.set(userAgent, kind)
  }
  return kind
}
