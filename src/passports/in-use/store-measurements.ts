/** Stores checked measurements: the function of the database compares them with those that are stored. */
import { isDeepStrictEqual } from 'node:util'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { InUseTable } from '../../categories/in-use/table.ts'
import { withRetries } from '../../kernel/db/database.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import type { RowRejection } from '../core/row-problems.ts'
import type { CheckedMeasurement } from './check-measurement.ts'
import {
  formatSecond,
  fromStoredSeconds,
  type Measurement,
  OCCASIONS,
  type SlotValues,
  SOURCES,
  toOccasionName,
  toSourceName,
} from './measurement.ts'

/** `index`: of the row in the call. `id`: the UUID of the item. */
export type MeasurementRow = { index: number; id: string; measured: CheckedMeasurement; table: InUseTable }

export type StoredMeasurement = { index: number; id: string; measurement: Measurement; warnings: Detail[] }

/** `unchanged`: equal ones were stored before. */
export type StoreResult = {
  stored: StoredMeasurement[]
  unchanged: StoredMeasurement[]
  errors: RowRejection[]
}

type SentRow = {
  n: number
  id: string
  at: Date
  values: SlotValues
  source: string
  occasion: string | null
  corrects: boolean
}

type DecidedRow = Omit<SentRow, 'at' | 'corrects'> & {
  at: string
  revision: number
  old_values: SlotValues | null
  old_source: string | null
  old_occasion: string | null
  /** Null unless an equal row is stored. */
  stored_at: string | null
  outcome: 'new' | 'same' | 'duplicate' | 'revisions' | 'day' | 'ended'
}

/** `latest`: by item, the values before and when each was measured. */
type Answer = {
  rows: DecidedRow[]
  latest: Record<string, [values: SlotValues, seconds: SlotValues]>
  stored_at: string
}

export const MAX_ROWS_A_DAY = 96
const MAX_REVISION = 20

/** A row that fails does not affect others. Rows of one item and second count in their order. */
export async function storeMeasurements(
  ctx: AccountContext,
  rows: readonly MeasurementRow[],
  isDryRun: boolean,
): Promise<StoreResult> {
  const result: StoreResult = { stored: [], unchanged: [], errors: [] }
  for (const wave of splitWaves(rows)) {
    const answer = await callFunction(ctx, wave, isDryRun)
    addOutcomes(result, wave, answer)
  }
  return result
}

/** Equal rows of one item and second, one after the other, in a call. */
type Same = readonly [MeasurementRow, ...MeasurementRow[]]

/** Each item and second is in a wave once. More waves than revisions would all be refused. */
function splitWaves(rows: readonly MeasurementRow[]): Same[][] {
  const waves: Same[][] = []
  const byKey = Map.groupBy(rows, ({ id, measured }) => `${id} ${measured.at.getTime()}`)
  for (const same of byKey.values()) {
    let wave = 0
    let group: [MeasurementRow, ...MeasurementRow[]] | undefined
    for (const row of same) {
      if (group !== undefined && isEqual(group[0].measured, row.measured)) group.push(row)
      else {
        group = [row]
        waves[wave] ??= []
        waves[wave]?.push(group)
        wave++
      }
    }
  }
  return waves
}

const isEqual = (a: CheckedMeasurement, b: CheckedMeasurement): boolean =>
  isDeepStrictEqual([a.values, a.source, a.occasion], [b.values, b.source, b.occasion])

async function callFunction(
  { sql, accountId, actorId }: AccountContext,
  wave: readonly Same[],
  isDryRun: boolean,
): Promise<Answer> {
  const sent = wave.map(([{ id, measured }], n): SentRow => {
    const { at, values, source, occasion, corrects } = measured
    const letters = { source: SOURCES[source], occasion: occasion && OCCASIONS[occasion] }
    return { n, id, at, values, corrects, ...letters }
  })
  const [row] = await withRetries(
    () => sql<{ answer: Answer }[]>`
      select public.carnet_measure(${accountId}, ${actorId}, ${JSON.stringify(sent)}::text::jsonb, ${isDryRun}) as answer`,
  )
  if (row === undefined) throw new Error('carnet_measure answered nothing')
  return row.answer
}

function addOutcomes(result: StoreResult, wave: readonly Same[], answer: Answer): void {
  const outcomes = new Map(answer.rows.map(row => [row.n, row]))
  const newest = createCounterCheck(answer.latest)
  const inTime = wave
    .map((same, n) => ({ same, row: outcomes.get(n) }))
    .toSorted((a, b) => a.same[0].measured.at.getTime() - b.same[0].measured.at.getTime())
  for (const { same, row } of inTime) {
    if (row === undefined) throw new Error('carnet_measure left out a row')
    const [first, ...repeated] = same
    if (row.outcome === 'new' || row.outcome === 'same') {
      const measurement = toMeasurement(first.measured, row, answer.stored_at)
      const warnings = row.outcome === 'new' ? newest.findFalls(first) : []
      const one = { index: first.index, id: first.id, measurement, warnings }
      result[row.outcome === 'new' ? 'stored' : 'unchanged'].push(one)
      for (const { index } of repeated) result.unchanged.push({ ...one, index, warnings: [] })
    } else {
      const error = row.outcome === 'ended' ? hasEnded() : invalid([explainOutcome(row, first)])
      result.errors.push(...same.map(({ index }) => ({ index, error })))
    }
  }
}

/** The revision of an equal row is the stored one, which the function counts one further. */
const toMeasurement = (
  { at, values, source, occasion }: CheckedMeasurement,
  { outcome, revision, stored_at }: DecidedRow,
  storedAt: string,
): Measurement => ({
  at,
  revision: outcome === 'same' ? revision - 1 : revision,
  source,
  occasion,
  values,
  stored_at: new Date(outcome === 'same' ? (stored_at ?? storedAt) : storedAt),
})

const hasEnded = () =>
  new AppError('ended', 'This item is not in use any more: it has ended, or another passport followed.')

function explainOutcome(row: DecidedRow, { measured, table }: MeasurementRow): Detail {
  const at = formatSecond(measured.at)
  if (row.outcome === 'day') {
    const message = `An item has at most ${MAX_ROWS_A_DAY} measurements of one UTC day; ${at.slice(0, 10)} has them already. Send fewer, such as the lowest and the highest value of a day.`
    return { path: ['at'], code: 'max', message }
  }
  if (row.outcome === 'revisions') {
    const message = `The measurement of ${at} was corrected ${MAX_REVISION} times already, which is the most.`
    return { path: ['corrects'], code: 'max', message }
  }
  const stored = JSON.stringify(nameValues(row.old_values ?? [], table))
  const words = [toSourceName(row.old_source ?? ''), toOccasionName(row.old_occasion)].filter(Boolean)
  const message = `Another measurement of ${at} is stored: ${stored.slice(0, 500)} (${words.join(', ')}). Send "corrects": true to replace it.`
  return { path: ['at'], code: 'duplicate', message }
}

/** By the names of the metrics, in the order of their slots. */
export const nameValues = (values: SlotValues, { metrics }: InUseTable): Record<string, number> =>
  Object.fromEntries(
    metrics.flatMap(({ name, slot }) => {
      const value = values[slot]
      return typeof value === 'number' ? [[name, value]] : []
    }),
  )

/** Warns about counters below their latest value. Call it with the rows in the order of their times. */
function createCounterCheck(latest: Answer['latest']) {
  const known = new Map<string, { value: number; at: number }>()
  const find = (id: string, slot: number) => {
    const key = `${id} ${slot}`
    const [values, seconds] = latest[id] ?? [[], []]
    const value = values[slot]
    if (!known.has(key) && typeof value === 'number')
      known.set(key, { value, at: fromStoredSeconds(seconds[slot] ?? 0).getTime() })
    return known.get(key)
  }
  return {
    findFalls({ id, measured, table }: MeasurementRow): Detail[] {
      const at = measured.at.getTime()
      return table.metrics.flatMap(({ name, slot, kind }): Detail[] => {
        const value = measured.values[slot]
        if (kind !== 'counter' || typeof value !== 'number') return []
        const before = find(id, slot)
        if (before !== undefined && before.at >= at) return []
        known.set(`${id} ${slot}`, { value, at })
        if (before === undefined || value >= before.value) return []
        const when = formatSecond(new Date(before.at))
        const message = `values.${name} is a counter, and is lower than the ${before.value} of ${when}. It is stored.`
        return [{ path: ['values', name], code: 'counter_falls', message }]
      })
    },
  }
}

/** The error of a call with one row. */
export function requireOne<T>(found: T | undefined, [failed]: readonly RowRejection[]): T {
  if (found !== undefined) return found
  throw failed?.error ?? new AppError('internal', 'The measurement was neither stored nor rejected.')
}
