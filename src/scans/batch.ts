/** Scans on their way to the database, already without anything of the reader but keyed hashes. */
import type { Device } from './device.ts'

/** What the door says of a passport; a row of the passport has these. */
export type ScannedPassport = {
  id: string
  account_id: number
  category: string
  level: 'm' | 'b' | 'i'
  model_id: string
  parent_id: string | null
}

/** Scans of one passport, day, country and device. */
export type ScanCounter = {
  /** Its place in the batch. */
  slot: number
  passport: ScannedPassport
  day: number
  country: string
  device: Device
  scans: number
  crawlers: number
}

/** A reader of an item in an hour. */
export type ItemVisit = {
  passportId: string
  accountId: number
  hour: number
  visitor: string
  before: string
  country: string
  scans: number
}

export type ScanBatch = {
  /** Given when it is first written; the same at each further try. */
  number?: number
  scans: number
  /** In the order of their slots. */
  counters: Map<string, ScanCounter>
  /** A day's readers, by hash: the slot of the cell they count in if nobody has seen them that day. */
  visitors: Map<string, number>
  items: Map<string, ItemVisit>
}

export const createScanBatch = (): ScanBatch => ({
  scans: 0,
  counters: new Map(),
  visitors: new Map(),
  items: new Map(),
})

/** What a batch weighs in memory and in a statement: rows, not scans. */
export const countBatchRows = (batch: ScanBatch): number =>
  batch.counters.size + batch.visitors.size + batch.items.size

/** The cell of these words, made at first use. */
export function getCounter(
  batch: ScanBatch,
  words: Omit<ScanCounter, 'slot' | 'scans' | 'crawlers'>,
): ScanCounter {
  const { passport, day, country, device } = words
  const key = `${passport.id}${country}${device}${day}`
  let cell = batch.counters.get(key)
  if (cell === undefined) {
    cell = { slot: batch.counters.size, passport, day, country, device, scans: 0, crawlers: 0 }
    batch.counters.set(key, cell)
  }
  return cell
}
