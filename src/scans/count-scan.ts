/** From a request to numbers: what a scan leaves behind is made here, and the address and user agent end here. */
import { networkOf } from '../kernel/network.ts'
import { type Batch, cellOf, type Scanned } from './batch.ts'
import { type Countries, UNKNOWN_COUNTRY } from './country.ts'
import { isCrawler } from './crawlers.ts'
import { HOURS_A_DAY } from './day.ts'
import { type Device, deviceOf } from './device.ts'
import type { ReaderCap } from './reader-limit.ts'
import type { Salts } from './salts.ts'
import { isCounted, type SettingsMirror } from './settings.ts'

/** Who looked, as the door saw it. In memory only, for a second as a rule. */
export type Reader = {
  address: string
  userAgent: string
  /** Two letters that a trusted proxy has sent. */
  country?: string | undefined
  /** Of a signed-in person. */
  sessionToken?: string | undefined
}

/** The same reader at the same passport within the same hour, `times` over. */
export type Sighting = { passport: Scanned; reader: Reader; hour: number; times: number }

export type Tools = { settings: SettingsMirror; salts: Salts; countries: Countries; readerCap: ReaderCap }

/** Adds one sighting to a batch, unless its account or category is not counted: then nothing is derived. */
export function addSighting(batch: Batch, { passport, reader, hour, times }: Sighting, tools: Tools): void {
  const settings = tools.settings.of(passport.account_id)
  if (!isCounted(settings, passport.category)) return
  const day = Math.floor(hour / HOURS_A_DAY)
  const kind = kindOf(reader.userAgent)
  batch.scans += times
  if (kind === 'crawler') {
    cellOf(batch, { passport, day, country: UNKNOWN_COUNTRY, device: 'other' }).crawlers += times
    return
  }
  const country = tools.countries.of(reader.address, reader.country)
  const cell = cellOf(batch, { passport, day, country, device: kind })
  cell.scans += times
  const { words, visitor } = identify(passport.id, reader, day, tools)
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
function identify(
  passportId: string,
  { address, userAgent }: Reader,
  day: number,
  { salts, readerCap }: Tools,
): { words: string; visitor: string } {
  const words = `${passportId}\n${address}\n${userAgent}`
  const visitor = salts.hash(day, words)
  if (readerCap.admits(day, passportId, address, visitor)) return { words, visitor }
  const shared = `${passportId}\n${networkOf(address, 56)}`
  return { words: shared, visitor: salts.hash(day, shared) }
}

const kinds = new Map<string, Device | 'crawler'>()
const MOST_KINDS = 2_000

/** Remembered for the few hundred user agents that most readers have. */
function kindOf(userAgent: string): Device | 'crawler' {
  let kind = kinds.get(userAgent)
  if (kind === undefined) {
    kind = isCrawler(userAgent) ? 'crawler' : deviceOf(userAgent)
    if (kinds.size >= MOST_KINDS) kinds.clear()
    kinds.set(userAgent, kind)
  }
  return kind
}
