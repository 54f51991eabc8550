/** Checks a measurement as it was sent, by the table of the item's category. */

import type { InUseTable, Metric } from '../../categories/in-use/table.ts'
import { findNearestName } from '../../categories/names/nearest-name.ts'
import { type Detail, invalid } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import {
  type MeasurementSource,
  OCCASION_NAMES,
  type Occasion,
  type SlotValues,
  SOURCE_NAMES,
} from './measurement.ts'

export type CheckedMeasurement = {
  at: Date
  values: SlotValues
  source: MeasurementSource
  occasion: Occasion | null
  corrects: boolean
}

const MEMBERS = ['at', 'values', 'source', 'occasion', 'corrects']
/** A clock may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000
const FIRST_DAY = Date.UTC(2000, 0, 1)
const MAX_DIGITS = 15
const WITH_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Throws `validation` with everything that is wrong. */
export function requireMeasurement(
  sent: Readonly<Record<string, unknown>>,
  table: InUseTable,
  now: Date,
): CheckedMeasurement {
  const details: Detail[] = []
  for (const name of Object.keys(sent).filter(member => !MEMBERS.includes(member))) {
    const message = `${name} is not a member of a measurement; it has ${MEMBERS.join(', ')}.`
    details.push({ path: [name], code: 'unknown_field', message })
  }
  const at = readAt(sent.at, now)
  const values = readValues(sent.values, table)
  const source = readChoice('source', sent.source ?? 'bms', SOURCE_NAMES)
  const occasion = readChoice('occasion', sent.occasion ?? null, [...OCCASION_NAMES, null])
  const corrects = readFlag(sent.corrects ?? false)
  for (const one of [at, source, occasion, corrects]) if (isDetail(one)) details.push(one)
  if ('details' in values) details.push(...values.details)
  if (details.length > 0 || isDetail(at) || isDetail(source) || isDetail(occasion) || isDetail(corrects))
    throw invalid(details)
  return { at, values: 'details' in values ? [] : values, source, occasion, corrects }
}

const isDetail = (value: unknown): value is Detail =>
  typeof value === 'object' && value !== null && 'path' in value

const wrong = (name: string, code: Detail['code'], message: string): Detail => ({
  path: [name],
  code,
  message: `${name} ${message}`,
})

function readAt(sent: unknown, now: Date): Date | Detail {
  if (sent === undefined) return wrong('at', 'required', 'is missing: send when it was measured.')
  if (typeof sent !== 'string') return wrong('at', 'type', 'must be a date-time as text.')
  const time = WITH_TIME.test(sent) ? parseDateTime(sent) : undefined
  if (time === undefined)
    return wrong('at', 'format', 'must be a date-time with its offset, such as 2029-02-03T10:00:00+01:00.')
  if (time.getTime() > now.getTime() + MAX_AHEAD_MS)
    return wrong('at', 'max', `must not be over 5 minutes ahead; here it is ${now.toISOString()}.`)
  if (time.getTime() < FIRST_DAY) return wrong('at', 'min', 'must not be before 2000-01-01T00:00:00Z.')
  return new Date(Math.floor(time.getTime() / 1_000) * 1_000)
}

function readChoice<T extends string | null>(name: string, sent: unknown, allowed: readonly T[]): T | Detail {
  const found = allowed.find(one => one === sent)
  if (found !== undefined) return found
  const words = allowed.filter(one => one !== null).join(', ')
  return wrong(name, 'enum', `must be one of ${words}.`)
}

const readFlag = (sent: unknown): boolean | Detail =>
  typeof sent === 'boolean' ? sent : wrong('corrects', 'type', 'must be true or false.')

/** Checks each value against its metric. Returns the values in the order of slots, and every violation. */
function readValues(sent: unknown, table: InUseTable): SlotValues | { details: Detail[] } {
  if (sent === undefined)
    return { details: [wrong('values', 'required', 'is missing: send an object of metrics.')] }
  if (!isObject(sent)) return { details: [wrong('values', 'type', 'must be an object of metrics.')] }
  const details: Detail[] = []
  const values: (number | null)[] = []
  for (const [name, value] of Object.entries(sent)) {
    const metric = table.metricByName.get(name)
    const detail = metric === undefined ? unknownMetric(name, table) : checkValue(metric, value)
    if (detail !== undefined) details.push(detail)
    else if (metric !== undefined && typeof value === 'number') values[metric.slot] = value
  }
  if (details.length > 0) return { details }
  if (values.length === 0) return { details: [wrong('values', 'length', 'must have at least one metric.')] }
  return Array.from(values, value => value ?? null)
}

function unknownMetric(sent: string, table: InUseTable): Detail {
  const name = sent.toWellFormed().slice(0, 100)
  const nearest = findNearestName(name, [...table.metricByName.keys()])
  const hint = nearest === undefined ? 'docs/in-use.md lists them.' : `Do you mean ${nearest}?`
  const message = `values.${name} is not a metric of ${table.category}. ${hint}`
  return { path: ['values', sent], code: 'unknown_field', message }
}

function checkValue({ name, unit, min, max }: Metric, value: unknown): Detail | undefined {
  const at = (code: Detail['code'], message: string): Detail => ({
    path: ['values', name],
    code,
    message: `values.${name} ${message}`,
  })
  if (typeof value !== 'number') return at('type', 'must be a number; leave out what was not measured.')
  if (!Number.isFinite(value) || Number(value.toPrecision(MAX_DIGITS)) !== value)
    return at('format', `must have at most ${MAX_DIGITS} significant digits.`)
  if (min !== undefined && value < min) return at('min', `must be at least ${min} ${unit}.`)
  if (max !== undefined && value > max) return at('max', `must be at most ${max} ${unit}.`)
  return undefined
}
