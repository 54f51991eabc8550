/** From a request to numbers: what a scan leaves behind is made here, and the address and user agent end here. */
import { getNetwork } from '../kernel/http/network.ts'
import { getCounter, type ScanBatch, type ScannedPassport } from './batch.ts'
import { type CountryLookup, UNKNOWN_COUNTRY } from './country.ts'
import { isCrawler } from './crawlers.ts'
import { HOURS_PER_DAY } from './day.ts'
import { type Device, detectDevice } from './device.ts'
import type { ReaderLimit } from './reader-limit.ts'
import type { Salts } from './salts.ts'
import { isCounted, type SettingsCache } from './settings.ts'

/** Who looked, as the door saw it. In memory only, for a second as a rule. */
export type ScanReader = {
  address: string
  userAgent: string
  /** Two letters that a trusted proxy has sent. */
  country?: string | undefined
  /** Of a signed-in person. */
  sessionToken?: string | undefined
}

/** The same reader at the same passport within the same hour, `times` over. */
export type PendingScan = { passport: ScannedPassport; reader: ScanReader; hour: number; times: number }

export type ScanTools = {
  settings: SettingsCache
  salts: Salts
  countries: CountryLookup
  readerLimit: ReaderLimit
}

/** Adds one sighting to a batch, unless its account or category is not counted: then nothing is derived. */
export function countScan(
  batch: ScanBatch,
  { passport, reader, hour, times }: PendingScan,
  tools: ScanTools,
): void {
  const settings = tools.settings.get(passport.account_id)
  if (!isCounted(settings, passport.category)) return
  const day = Math.floor(hour / HOURS_PER_DAY)
  const kind = findKind(reader.userAgent)
  batch.scans += times
  if (kind === 'crawler') {
    getCounter(batch, { passport, day, country: UNKNOWN_COUNTRY, device: 'other' }).crawlers += times
    return
  }
  const country = tools.countries.find(reader.address, reader.country)
  const cell = getCounter(batch, { passport, day, country, device: kind })
  cell.scans += times
  const { words, visitor } = hashReader(passport.id, reader, day, tools)
  if (!batch.visitors.has(visitor)) batch.visitors.set(visitor, cell.slot)
  if (passport.level !== 'i' || settings.clone_rules === null) return
  const key = `${hour}${visitor}${country}`
  const visit = batch.items.get(key)
  if (visit !== undefined) visit.scans += times
  else {
    // A salt that is gone belongs to a day that no window looks back to from this one.
    const before = tools.salts.has(day - 1) ? tools.salts.hash(day - 1, words) : visitor
    const { id: passportId, account_id: accountId } = passport
    batch.items.set(key, { passportId, accountId, hour, visitor, before, country, scans: times })
  }
}

/** The hash that stands for a reader, and what it is made of; beyond the cap all of a network are one more reader. */
function hashReader(
  passportId: string,
  { address, userAgent }: ScanReader,
  day: number,
  { salts, readerLimit }: ScanTools,
): { words: string; visitor: string } {
  const words = `${passportId}\n${address}\n${userAgent}`
  const visitor = salts.hash(day, words)
  if (readerLimit.admits(day, passportId, address, visitor)) return { words, visitor }
  const shared = `${passportId}\n${getNetwork(address, 56)}`
  return { words: shared, visitor: salts.hash(day, shared) }
}

const kinds = new Map<string, Device | 'crawler'>()
const MAX_CACHED_KINDS = 2_000

/** Remembered for the few hundred user agents that most readers have. */
function findKind(userAgent: string): Device | 'crawler' {
  let kind = kinds.get(userAgent)
  if (kind === undefined) {
    kind = isCrawler(userAgent) ? 'crawler' : detectDevice(userAgent)
    if (kinds.size >= MAX_CACHED_KINDS) kinds.clear()
    kinds.set(userAgent, kind)
  }
  return kind
}
