/** The schemas of measurements in the OpenAPI document, and their examples. */
import { OCCASION_NAMES, SOURCE_NAMES } from '../../passports/in-use/measurement.ts'
import { objectBody, rowsMember } from '../endpoint/body.ts'
import {
  arrayOf,
  closedSchema,
  DATE_TIME,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { ID_SCHEMA } from '../products/summary.ts'

const VALUES = {
  type: 'object',
  minProperties: 1,
  maxProperties: 64,
  additionalProperties: { type: 'number' },
  description: 'By the names of the metrics of the category, in their units; at most 15 significant digits.',
}
export const MEASURED = {
  at: {
    ...DATE_TIME,
    description:
      'When it was measured, with an offset; cut to seconds. Not before 2000, at most 5 minutes ahead.',
  },
  values: VALUES,
  source: { type: 'string', enum: SOURCE_NAMES, default: 'bms', description: 'Who measured.' },
  occasion: {
    type: ['string', 'null'],
    enum: [...OCCASION_NAMES, null],
    description: 'Why. A measurement with an occasion is kept for ever.',
  },
  corrects: {
    type: 'boolean',
    default: false,
    description: 'Replace another measurement of the same second, which is kept as an earlier revision.',
  },
}
export const REQUIRED = ['at', 'values']

const EXAMPLE_VALUES = { stateOfCertifiedEnergy: 96.5, chargeDischargeCycles: 212 }
export const EXAMPLE = { at: '2026-02-03T10:00:00+01:00', values: EXAMPLE_VALUES }
export const EXAMPLE_STORED = {
  at: '2026-02-03T09:00:00Z',
  revision: 0,
  values: EXAMPLE_VALUES,
  source: 'bms',
  occasion: null,
  stored_at: '2026-02-03T09:00:04.112Z',
}
export const EXAMPLE_ID = '01m7ywhcr7fxwrqq1xd4m28c2t'

const ROW = closedSchema(
  {
    serial: { ...TEXT, description: 'The serial of the item, or `id`.' },
    id: { ...TEXT, description: 'The id of the item, in place of `serial`.' },
    ...MEASURED,
  },
  REQUIRED,
)
export const ROWS = objectBody({ items: rowsMember('measurements', ROW) })

const MEASUREMENT = {
  at: DATE_TIME,
  revision: { ...INTEGER, minimum: 0, description: 'How often it was corrected.' },
  values: { type: 'object', additionalProperties: { type: 'number' } },
  source: { type: 'string', enum: SOURCE_NAMES },
  occasion: { ...NULLABLE_TEXT, enum: [...OCCASION_NAMES, null] },
  stored_at: DATE_TIME,
}
const ROW_INDEX = { type: 'integer', minimum: 0, description: 'Position of the row in `items`, from 0.' }
const STORED_ROWS = arrayOf(objectSchema({ index: ROW_INDEX, product_id: ID_SCHEMA, ...MEASUREMENT }))

export const MEASUREMENT_SCHEMAS = {
  NewMeasurement: closedSchema(MEASURED, REQUIRED),
  NewMeasurements: ROWS.schema,
  Measurement: objectSchema(MEASUREMENT),
  StoredMeasurement: objectSchema({ product_id: ID_SCHEMA, ...MEASUREMENT }),
  StoredMeasurements: objectSchema({
    stored: STORED_ROWS,
    unchanged: STORED_ROWS,
    errors: arrayOf(
      objectSchema(
        {
          index: ROW_INDEX,
          code: { ...TEXT, description: 'A code of the errors table: `validation`, `not_found` …' },
          error: { ...TEXT, description: 'One sentence for a person.' },
          errors: arrayOf(schemaRef('Detail')),
        },
        ['errors'],
      ),
    ),
    summary: objectSchema({ requested: INTEGER, stored: INTEGER, unchanged: INTEGER, failed: INTEGER }),
  }),
  MeasurementSum: objectSchema({
    from: { ...TEXT, format: 'date', description: 'The first day, in UTC.' },
    rows: { ...INTEGER, description: 'How many measurements it has.' },
    values: {
      type: 'object',
      additionalProperties: objectSchema(
        {
          last: { type: 'number' },
          min: { type: 'number' },
          max: { type: 'number' },
          growth: {
            type: ['number', 'null'],
            description: 'Of a counter: since the last value before; null without one, or if it fell.',
          },
        },
        ['min', 'max', 'growth'],
      ),
    },
  }),
  MeasurementPage: objectSchema({
    limit: INTEGER,
    has_more: { type: 'boolean' },
    next_cursor: NULLABLE_TEXT,
  }),
  LatestMeasurements: objectSchema({
    product_id: ID_SCHEMA,
    metrics: {
      type: 'object',
      additionalProperties: objectSchema({ value: { type: 'number' }, unit: TEXT, at: DATE_TIME }),
    },
  }),
}
