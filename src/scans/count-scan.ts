/** Turns a scan into counts. After this step, the reader's address and user agent are no longer stored. */
import { BoundedMap } from '../kernel/bounded-map.ts'
import { getNetwork } from '../kernel/http/network.ts'
import { getCounter, type ScanBatch, type ScannedPassport } from './batch.ts'
import { type CountryLookup, UNKNOWN_COUNTRY } from './country.ts'
import { isCrawler } from './crawlers.ts'
import { HOURS_PER_DAY } from './day.ts'
import { type Device, detectDevice } from './device.ts'
import type { ReaderLimit } from './reader-limit.ts'
import type { Salts } from './salts.ts'
import { isCounted, type SettingsCache } from './settings.ts'

/** The reader of a request. Held in memory only, usually for a second. */
export type ScanReader = {
  address: string
  userAgent: string
  /** Two letters from a trusted proxy. */
  country?: string | undefined
  /** Session cookie of a signed-in person. */
  sessionToken?: string | undefined
}

/** The `times` scans of a passport by one reader within an hour. */
export type PendingScan = { passport: ScannedPassport; reader: ScanReader; hour: number; times: number }

export type ScanTools = {
  settings: SettingsCache
  salts: Salts
  countries: CountryLookup
  readerLimit: ReaderLimit
}

/** Adds scans to a batch. If counting is off for their account or category, nothing is derived. */
export function countScan(
  batch: ScanBatch,
  { passport, reader, hour, times }: PendingScan,
  tools: ScanTools,
): void {
  const settings = tools.settings.get(passport.account_id)
  if (!isCounted(settings, passport.category)) return
  const day = Math.floor(hour / HOURS_PER_DAY)
  const kind = detectKind(reader.userAgent)
  batch.scans += times
  if (kind === 'crawler') {
    getCounter(batch, { passport, day, country: UNKNOWN_COUNTRY, device: 'other' }).crawlers += times
    return
  }
  const country = tools.countries.find(reader.address, reader.country)
  const counter = getCounter(batch, { passport, day, country, device: kind })
  counter.scans += times
  const { identity, visitor } = hashReader(passport.id, reader, day, tools)
  if (!batch.visitors.has(visitor)) batch.visitors.set(visitor, counter.slot)
  if (passport.level !== 'i' || settings.clone_rules === null) return
  const key = `${hour}${visitor}${country}`
  const visit = batch.items.get(key)
  if (visit !== undefined) visit.scans += times
  else {
    // If that salt is deleted, no search window includes its day.
    const before = tools.salts.has(day - 1) ? tools.salts.hash(day - 1, identity) : visitor
    const { id: passportId, account_id: accountId } = passport
    batch.items.set(key, { passportId, accountId, hour, visitor, before, country, scans: times })
  }
}

/** Returns the reader's hash and the hashed text. Above the limit a network's readers share one. */
function hashReader(
  passportId: string,
  { address, userAgent }: ScanReader,
  day: number,
  { salts, readerLimit }: ScanTools,
): { identity: string; visitor: string } {
  const identity = `${passportId}\n${address}\n${userAgent}`
  const visitor = salts.hash(day, identity)
  if (readerLimit.admits(day, passportId, address, visitor)) return { identity, visitor }
  const shared = `${passportId}\n${getNetwork(address, 56)}`
  return { identity: shared, visitor: salts.hash(day, shared) }
}

/** For the few hundred user agents that most readers have. */
const cachedKinds = new BoundedMap<string, Device | 'crawler'>(2_000)

function detectKind(userAgent: string): Device | 'crawler' {
  let kind = cachedKinds.get(userAgent)
  if (kind === undefined) {
    kind = isCrawler(userAgent) ? 'crawler' : detectDevice(userAgent)
    cachedKinds.set(userAgent, kind)
  }
  return kind
}
