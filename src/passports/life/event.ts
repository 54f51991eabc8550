/** The types of events of units: repairs, accidents, the end of life. */
import type { Audience } from '../../categories/field.ts'

/** Withdraws an event, or puts another in its place. Each category has it. */
export const CORRECTION = 'correction'

export type EventPart = { name: string; partNumber?: string; serial?: string; passportUrl?: string }

/** The members of an event that people write. A text of `note` for each language. */
export type EventData = {
  readonly note?: Readonly<Record<string, string>>
  readonly reference?: string
  readonly parts?: readonly EventPart[]
  readonly by?: { name: string; country?: string }
}

/** An event in the place of a corrected one. `at`: a day, or a time in UTC with milliseconds. */
export type EventContent = EventData & { kind: string; at: string; public?: false }

/** The data that is stored, and covered by the hash. `corrects` and `event`: only of a correction. */
export type StoredData = EventData & { corrects?: number; event?: EventContent }

/** A checked event that has no number yet. `moves`: the state of the unit may follow from it. */
export type NewEvent = {
  kind: string
  at: string
  isPublic: boolean
  ends: boolean
  moves: boolean
  corrects: number | null
  data: StoredData
}

/** An event as its account sees it. `at` is a day or a time, like that of `EventContent`. */
export type LifeEvent = {
  number: number
  kind: string
  at: string
  storedAt: Date
  data: StoredData
  audience: readonly Audience[]
  /** The key, the person or the access link. */
  recordedBy: string
  /** The number of the last correction. */
  correctedBy: number | null
  hash: string
}

/** The stored `at` as it was sent. */
export const formatEventTime = ({ at, is_day }: { at: Date; is_day: boolean }): string =>
  is_day ? at.toISOString().slice(0, 10) : at.toISOString()

export const isDay = (at: string): boolean => at.length === 10

/** The event as the API and the command line print it. */
export const toEventJson = ({
  number,
  kind,
  at,
  storedAt,
  data,
  audience,
  recordedBy,
  correctedBy,
  hash,
}: LifeEvent) => ({
  number,
  kind,
  at,
  stored_at: storedAt.toISOString(),
  note: data.note ?? null,
  reference: data.reference ?? null,
  parts: data.parts ?? [],
  by: data.by ?? null,
  recorded_by: recordedBy,
  audience,
  corrects: data.corrects ?? null,
  event: data.event ?? null,
  corrected_by: correctedBy,
  hash,
})
