/** Scans on their way to the database, already without anything of the reader but keyed hashes. */
import type { Device } from './device.ts'

/** What the door says of a passport; a row of the passport has these. */
export type Scanned = {
  id: string
  account_id: number
  category: string
  level: 'm' | 'b' | 'i'
  model_id: string
  parent_id: string | null
}

/** Scans of one passport, day, country and device. */
export type Cell = {
  /** Its place in the batch. */
  slot: number
  passport: Scanned
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

export type Batch = {
  /** Given when it is first written; the same at each further try. */
  number?: number
  scans: number
  /** In the order of their slots. */
  cells: Map<string, Cell>
  /** A day's readers, by hash: the slot of the cell they count in if nobody has seen them that day. */
  visitors: Map<string, number>
  items: Map<string, ItemVisit>
}

export const newBatch = (): Batch => ({
  scans: 0,
  cells: new Map(),
  visitors: new Map(),
  items: new Map(),
})

/** What a batch weighs in memory and in a statement: rows, not scans. */
export const weightOf = (batch: Batch): number => batch.cells.size + batch.visitors.size + batch.items.size

/** The cell of these words, made at first use. */
export function cellOf(batch: Batch, words: Omit<Cell, 'slot' | 'scans' | 'crawlers'>): Cell {
  const { passport, day, country, device } = words
  const key = `${passport.id}${country}${device}${day}`
  let cell = batch.cells.get(key)
  if (cell === undefined) {
    cell = { slot: batch.cells.size, passport, day, country, device, scans: 0, crawlers: 0 }
    batch.cells.set(key, cell)
  }
  return cell
}
