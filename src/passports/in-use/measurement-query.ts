/** A query for the measurements of an item, and its answer as JSON or CSV. */
import type { InUseTable, Metric } from '../../categories/in-use/table.ts'
import { type Detail, invalid } from '../../kernel/errors/errors.ts'
import { formatSecond, type Measurement } from './measurement.ts'
import {
  type Bucket,
  type ItemPlace,
  type LatestValue,
  listBuckets,
  listMeasurements,
  type MeasurementPosition,
  type MeasurementRange,
  type Resolution,
  readLastBefore,
} from './read-measurements.ts'
import { nameValues } from './store-measurements.ts'

export const RESOLUTIONS = ['raw', 'day', 'month'] as const

export type MeasurementQuery = {
  metrics: readonly string[]
  from?: Date | undefined
  to?: Date | undefined
  resolution: (typeof RESOLUTIONS)[number]
  revisions: boolean
  limit: number
  /** `next` of an earlier answer. */
  cursor?: string | undefined
}

const DAY_MS = 86_400_000
const MAX_DAYS = 400
const MAX_MONTH_DAYS = 50 * 366

/** `next`: the cursor of the next page; null on the last one. */
export type MeasurementPage = { rows: object[]; next: string | null }

/** Throws `validation`. */
export async function answerMeasurements(
  place: ItemPlace,
  table: InUseTable,
  sent: MeasurementQuery & { now: Date },
): Promise<MeasurementPage> {
  const end = sent.resolution === 'raw' ? undefined : new Date(sent.now.getTime() + DAY_MS)
  const query = { ...sent, to: sent.to ?? end }
  const range = requireRange(query, table)
  if (query.resolution === 'raw') return answerRaw(place, table, { query, range })
  return answerBuckets(place, table, { range, limit: query.limit, resolution: query.resolution })
}

const fail = (name: string, code: Detail['code'], message: string) =>
  invalid([{ path: [name], in: 'query', code, message }])

/** The range, with the cursor of days and months. Throws `validation`. */
function requireRange(query: MeasurementQuery, table: InUseTable): MeasurementRange {
  const slots = query.metrics.map(name => {
    const metric = table.metricByName.get(name)
    if (metric !== undefined) return metric.slot
    const known = [...table.metricByName.keys()].join(', ')
    throw fail('metric', 'enum', `metric must be one of ${known}.`)
  })
  const { from, to, resolution, cursor } = query
  if (from !== undefined && to !== undefined && from >= to) throw fail('to', 'min', 'to must be after from.')
  if (resolution === 'raw') return { from, to, slots }
  const end = cursor === undefined ? to : requirePosition(cursor).at
  const days = resolution === 'day' ? MAX_DAYS : MAX_MONTH_DAYS
  if (from !== undefined && to !== undefined && to.getTime() - from.getTime() > (days + 1) * DAY_MS) {
    const span = resolution === 'day' ? '400 days' : '50 years'
    throw fail('from', 'max', `from must not be over ${span} before to, with resolution=${resolution}.`)
  }
  return { from, to: end, slots }
}

const CURSOR = /^([0-9a-z]{1,9})-([0-9]{1,2})$/

const formatPosition = ({ at, revision }: MeasurementPosition): string =>
  `${at.getTime().toString(36)}-${revision}`

/** Throws `validation`. */
function requirePosition(text: string): MeasurementPosition {
  const [, at = '', revision = ''] = CURSOR.exec(text) ?? []
  const time = new Date(Number.parseInt(at, 36))
  if (Number.isNaN(time.getTime())) throw fail('cursor', 'format', 'cursor must be a next_cursor.')
  return { at: time, revision: Number(revision) }
}

type RawPage = { query: MeasurementQuery; range: MeasurementRange }

async function answerRaw(
  place: ItemPlace,
  table: InUseTable,
  { query: { limit, cursor, revisions }, range }: RawPage,
): Promise<MeasurementPage> {
  const after = cursor === undefined ? undefined : requirePosition(cursor)
  const found = await listMeasurements(place, range, { limit: limit + 1, after, revisions })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return {
    rows: rows.map(row => measurementJson(row, table)),
    next: found.length > limit && last !== undefined ? formatPosition(last) : null,
  }
}

export const measurementJson = (
  { at, revision, values, source, occasion, stored_at }: Measurement,
  table: InUseTable,
) => ({
  at: formatSecond(at),
  revision,
  values: nameValues(values, table),
  source,
  occasion,
  stored_at: stored_at.toISOString(),
})

type BucketPage = { range: MeasurementRange; resolution: Resolution; limit: number }

async function answerBuckets(
  place: ItemPlace,
  table: InUseTable,
  { range, resolution, limit }: BucketPage,
): Promise<MeasurementPage> {
  // Without `from`, a day reaches as far back as a range may.
  const end = range.to?.getTime()
  const from =
    range.from ?? (resolution === 'day' && end !== undefined ? new Date(end - MAX_DAYS * DAY_MS) : undefined)
  const found = await listBuckets(place, { ...range, from }, { resolution, limit: limit + 1 })
  const buckets = found.slice(0, limit)
  const oldest = buckets.at(-1)
  const metrics = table.metrics.filter(({ slot }) => range.slots.length === 0 || range.slots.includes(slot))
  const counters = metrics.filter(({ kind }) => kind === 'counter').map(({ slot }) => slot)
  const before =
    oldest === undefined ? new Map<number, number>() : await readLastBefore(place, oldest.from, counters)
  return {
    rows: sumBuckets(buckets, metrics, before),
    next: found.length > limit && oldest ? formatPosition({ at: oldest.from, revision: 0 }) : null,
  }
}

/** `before`: the last value of each counter before the oldest bucket. */
export function sumBuckets(
  buckets: readonly Bucket[],
  metrics: readonly Metric[],
  before: ReadonlyMap<number, number>,
): object[] {
  const known = new Map(before)
  return buckets
    .toReversed()
    .map(({ from, rows, cells }) => {
      const values = metrics.flatMap(({ name, slot, kind }): [string, object][] => {
        const cell = cells.get(slot)
        if (cell === undefined) return []
        const { last, min, max } = cell
        if (kind === 'gauge') return [[name, { last, min, max }]]
        const earlier = known.get(slot)
        known.set(slot, last)
        return [[name, { last, growth: findGrowth(last, earlier) }]]
      })
      return { from: from.toISOString().slice(0, 10), rows, values: Object.fromEntries(values) }
    })
    .reverse()
}

/** As exact as the values: 0.3 − 0.1 is 0.2. Null without an earlier value, and if the counter fell. */
function findGrowth(last: number, earlier: number | undefined): number | null {
  if (earlier === undefined || earlier > last) return null
  return Number((last - earlier).toPrecision(12))
}

export const latestJson = (latest: readonly LatestValue[]) =>
  Object.fromEntries(latest.map(({ name, value, unit, at }) => [name, { value, unit, at: formatSecond(at) }]))

const CSV_PAGE = 500

/** Newest first, with a column for each metric. Throws `validation` at once. */
export const writeMeasurementsCsv = (
  place: ItemPlace,
  table: InUseTable,
  query: MeasurementQuery,
): AsyncGenerator<string> => writeCsv(place, table, { ...requireRange(query, table), ...query })

/** Each chunk is a page of rows, ended by CRLF (RFC 4180). */
async function* writeCsv(
  place: ItemPlace,
  table: InUseTable,
  range: MeasurementRange & { revisions: boolean },
): AsyncGenerator<string> {
  const metrics = table.metrics.filter(({ slot }) => range.slots.length === 0 || range.slots.includes(slot))
  const names = metrics.map(({ name, unit }) => `${name} (${unit})`)
  yield `${['at', 'revision', 'source', 'occasion', ...names].join(',')}\r\n`
  for (let after: MeasurementPosition | undefined; ; ) {
    const { revisions } = range
    const rows = await listMeasurements(place, range, { limit: CSV_PAGE, after, revisions })
    after = rows.at(-1)
    if (after === undefined) return
    yield rows.map(row => `${csvRow(row, metrics)}\r\n`).join('')
  }
}

/** Nothing in it needs quotes. */
const csvRow = ({ at, revision, source, occasion, values }: Measurement, metrics: readonly Metric[]) =>
  [formatSecond(at), revision, source, occasion ?? '', ...metrics.map(({ slot }) => values[slot] ?? '')].join(
    ',',
  )
