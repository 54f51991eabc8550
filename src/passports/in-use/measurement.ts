/** A measurement: at one second, the values of some metrics of an item. */

/** A word of the API, and the letter that is stored. */
export const SOURCES = { bms: 'b', workshop: 'w', test: 't', estimate: 'e' } as const
export const OCCASIONS = { placed_on_market: 'p', status_change: 's', handover: 'h' } as const

export type MeasurementSource = keyof typeof SOURCES
export type Occasion = keyof typeof OCCASIONS

export const SOURCE_NAMES = ['bms', 'workshop', 'test', 'estimate'] as const satisfies MeasurementSource[]
export const OCCASION_NAMES = ['placed_on_market', 'status_change', 'handover'] as const satisfies Occasion[]

/** Null for a metric without a value; without nulls at the end. */
export type SlotValues = readonly (number | null)[]

/** The newest revision of a measurement. `at` is in whole seconds. */
export type Measurement = {
  at: Date
  revision: number
  source: MeasurementSource
  occasion: Occasion | null
  values: SlotValues
  stored_at: Date
}

export const toSourceName = (letter: string): MeasurementSource =>
  SOURCE_NAMES.find(name => SOURCES[name] === letter) ?? 'bms'

export const toOccasionName = (letter: string | null): Occasion | null =>
  OCCASION_NAMES.find(name => OCCASIONS[name] === letter) ?? null

/** The start of the time that `measurement_latest.seconds` counts from. */
const SECONDS_FROM = Date.UTC(2000, 0, 1)

export const fromStoredSeconds = (seconds: number): Date => new Date(SECONDS_FROM + seconds * 1_000)

/** 10:00:00Z without the milliseconds, which no measurement has. */
export const formatSecond = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`
