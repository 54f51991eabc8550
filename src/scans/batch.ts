/**
 * A batch of counted scans of one shard, to be written. A reader is an address with a user agent; the batch
 * and the database have only its hash (the column `visitor`), which differs by passport and day.
 */
import type { Device } from './device.ts'

/** The columns of a passport that counting needs. */
export type ScannedPassport = {
  id: string
  account_id: number
  category: string
  level: 'm' | 'b' | 'i'
  model_id: string
  parent_id: string | null
  /** The shard of its account; missing or null: the shared database. */
  shard?: number | null
}

/** The scans of one passport by day, country and device. */
export type ScanCounter = {
  /** Its index among the counters of the batch. */
  slot: number
  passport: ScannedPassport
  day: number
  country: string
  device: Device
  scans: number
  crawlers: number
}

/** The scans of an item by one reader within an hour. `previousHash`: with the salt of the day before. */
export type ItemVisit = {
  passportId: string
  accountId: number
  hour: number
  readerHash: string
  previousHash: string
  country: string
  scans: number
}

export type ScanBatch = {
  /** Assigned at the first attempt to write the batch; the same for each retry. */
  number?: number
  shard: number | null
  scans: number
  /** In the order of their slots. */
  counters: Map<string, ScanCounter>
  /** For each reader's hash, the slot of the counter that counts the reader if it is new on that day. */
  readers: Map<string, number>
  items: Map<string, ItemVisit>
}

export const createScanBatch = (shard: number | null): ScanBatch => ({
  shard,
  scans: 0,
  counters: new Map(),
  readers: new Map(),
  items: new Map(),
})

/** The size of a batch in memory and in a statement depends on its rows, not on its scans. */
export const countBatchRows = (batch: ScanBatch): number =>
  batch.counters.size + batch.readers.size + batch.items.size

/** Creates the counter of this passport, day, country and device if needed. */
export function getOrCreateCounter(
  batch: ScanBatch,
  dimensions: Omit<ScanCounter, 'slot' | 'scans' | 'crawlers'>,
): ScanCounter {
  const { passport, day, country, device } = dimensions
  const key = `${passport.id}${country}${device}${day}`
  let counter = batch.counters.get(key)
  if (counter === undefined) {
    counter = { slot: batch.counters.size, passport, day, country, device, scans: 0, crawlers: 0 }
    batch.counters.set(key, counter)
  }
  return counter
}
