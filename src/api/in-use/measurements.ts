/** The measurements of an item: a list of them or of their sums, as JSON or CSV, and the latest values. */
import { Readable } from 'node:stream'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { InUseTable } from '../../categories/in-use/table.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { requireMetrics } from '../../passports/in-use/measure.ts'
import {
  answerMeasurements,
  latestJson,
  type MeasurementQuery,
  RESOLUTIONS,
  writeMeasurementsCsv,
} from '../../passports/in-use/measurement-query.ts'
import { type ItemPlace, readLatest } from '../../passports/in-use/read-measurements.ts'
import { atPassport, getPassport } from '../../passports/read/find.ts'
import {
  arrayOf,
  dataResponse,
  jsonResponse,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { type ApiResponse, defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import {
  booleanParameter,
  choiceParameter,
  dateTimeParameter,
  integerParameter,
  invalidQuery,
  MAX_TEXT_LENGTH,
  namesParameter,
  textParameter,
  withDefault,
} from '../endpoint/query-parameters.ts'
import { EXAMPLE_ID, EXAMPLE_STORED } from './measurement-schemas.ts'

const NO_STORE = { 'cache-control': 'private, no-store' }

export const listMeasurementsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/products/:id/measurements',
  id: 'listMeasurements',
  tag: 'in_use',
  summary: 'List the measurements of an item',
  description:
    'Newest first: single measurements, or their sums by UTC day or month. A sum of a gauge has its last, lowest and highest value, that of a counter its last value and how much it grew. As CSV, all single measurements in the range are sent as a stream.',
  isCostly: query => query.format === 'csv' || (query.resolution ?? 'raw') !== 'raw',
  query: {
    metric: namesParameter('Only this metric; may be given several times.'),
    from: dateTimeParameter('Measured at this time or later.', '2026-01-01T00:00:00Z'),
    to: dateTimeParameter('Measured before this time.', '2027-01-01T00:00:00Z'),
    resolution: withDefault(
      choiceParameter('`day` covers at most 400 days, `month` 50 years.', RESOLUTIONS),
      'raw',
    ),
    revisions: withDefault(
      booleanParameter('Also measurements that were corrected; only with `resolution=raw`.'),
      false,
    ),
    limit: withDefault(integerParameter('Rows per page.', { min: 1, max: 500 }), 100),
    cursor: textParameter('`next_cursor` of an earlier response.', MAX_TEXT_LENGTH),
    format: withDefault(choiceParameter('`csv` only with `resolution=raw`.', ['json', 'csv']), 'json'),
  },
  responses: {
    200: {
      ...jsonResponse(
        'A page of measurements, or of their sums.',
        objectSchema({
          data: arrayOf({ anyOf: [schemaRef('Measurement'), schemaRef('MeasurementSum')] }),
          meta: schemaRef('MeasurementPage'),
        }),
      ),
      example: { data: [EXAMPLE_STORED], meta: { limit: 100, has_more: false, next_cursor: null } },
      others: { 'text/csv': TEXT },
      isIllustration: true,
    },
  },
  async handle(call) {
    const { account, place, table } = await findMeasured(call.account, call.path.id)
    const { metric: metrics = [], format, ...asked } = call.query
    const query: MeasurementQuery = { ...asked, metrics }
    if (format === 'csv') return respondWithCsv(place, table, query)
    const { rows, next } = await answerMeasurements(place, table, { ...query, now: account.clock.now() })
    const meta = { limit: query.limit, has_more: next !== null, next_cursor: next }
    return { body: successJson(JSON.stringify(rows), { meta }), headers: NO_STORE }
  },
})

async function findMeasured(ctx: AccountContext, uuid: string) {
  const account = await atPassport(ctx, uuid)
  const table = requireMetrics(await getPassport(account, uuid))
  return { account, table, place: { sql: account.sql, accountId: account.accountId, uuid } }
}

/** Accounts that read a stream: each holds memory and connections for as long as its reader takes. */
const streaming = new Set<number>()

function respondWithCsv(place: ItemPlace, table: InUseTable, query: MeasurementQuery): ApiResponse {
  if (query.resolution !== 'raw')
    throw invalidQuery('format', 'enum', 'format must be json with resolution=day or month.')
  const { accountId } = place
  if (streaming.has(accountId)) {
    const message = 'Measurements of this account are being sent as CSV already. Wait for the end of that.'
    throw new AppError('rate_limited', message, undefined, 1_000)
  }
  const chunks = writeMeasurementsCsv(place, table, query)
  streaming.add(accountId)
  const body = Readable.from(chunks, { highWaterMark: 1 }).on('close', () => streaming.delete(accountId))
  return { body, headers: { 'content-type': 'text/csv; charset=utf-8', ...NO_STORE } }
}

export const readLatestMeasurements = defineEndpoint({
  method: 'GET',
  path: '/products/:id/measurements/latest',
  id: 'getLatestMeasurements',
  tag: 'in_use',
  summary: 'Read the latest values of an item',
  description: 'The newest value of each metric that was measured, with its unit and its time.',
  responses: {
    200: {
      ...dataResponse('The latest values.', 'LatestMeasurements', {
        product_id: EXAMPLE_ID,
        metrics: { stateOfCertifiedEnergy: { value: 96.5, unit: '%', at: '2026-02-03T09:00:00Z' } },
      }),
      isIllustration: true,
    },
  },
  async handle({ account, path }) {
    const { place, table } = await findMeasured(account, path.id)
    const latest = await readLatest(place, table)
    const data = { product_id: idFromUuid(path.id), metrics: latestJson(latest) }
    return { body: successJson(JSON.stringify(data)), headers: NO_STORE }
  },
})
