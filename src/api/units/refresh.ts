/** Refresh: gives units the corrections made since they were issued. */
import { previewRefresh, refreshPassport } from '../../passports/units/refresh-job.ts'
import {
  arrayOf,
  DATE_TIME,
  dataResponse,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
  TEXTS,
} from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { ID_SCHEMA } from '../products/summary.ts'

export const showRefresh = defineEndpoint({
  method: 'GET',
  path: '/products/:id/refresh',
  id: 'previewRefresh',
  tag: 'units',
  summary: 'Count outdated units',
  description:
    'How many units under this product are outdated; a unit counts itself as well. Shows the progress of a refresh that is running.',
  responses: { 200: dataResponse('The count.', 'RefreshPreview', { outdated: 2 }) },
  async handle({ account, path }) {
    const { outdated, job } = await previewRefresh(account, path.id)
    return { body: successJson(JSON.stringify({ outdated, job })) }
  },
})

const EXAMPLE = { refreshed: 2, skipped: [], failed: [], pending: 0 }

export const refreshUnits = defineEndpoint({
  method: 'POST',
  path: '/products/:id/refresh',
  id: 'refreshProduct',
  tag: 'units',
  summary: 'Take over corrections',
  description:
    'Brings a unit, or every outdated unit under a product, up to the corrections made since it was issued. Only corrected fields change, and the values that a unit set itself win. More than 500 units continue in the background.',
  responses: {
    200: dataResponse('All done.', 'Refreshed', EXAMPLE),
    202: dataResponse('Running; GET shows the progress.', 'Refreshed', {
      ...EXAMPLE,
      refreshed: 0,
      pending: 8_000,
    }),
  },
  async handle({ account, path }) {
    const result = await refreshPassport(account, path.id)
    return { status: result.pending > 0 ? 202 : 200, body: successJson(JSON.stringify(result)) }
  },
})

const SKIPPED = arrayOf(objectSchema({ id: ID_SCHEMA, fields: TEXTS }))
const FAILED = arrayOf(
  objectSchema({
    id: ID_SCHEMA,
    error: TEXT,
    errors: arrayOf(schemaRef('Detail')),
  }),
)

export const REFRESH_SCHEMAS = {
  Refreshed: objectSchema({
    refreshed: { ...INTEGER, description: 'Units brought up to date by this call.' },
    pending: { ...INTEGER, description: 'Units that continue in the background.' },
    skipped: { ...SKIPPED, description: 'Corrections of a value that the unit never had; at most 100.' },
    failed: {
      ...FAILED,
      description: 'Units that would become invalid; they stay outdated. At most 100.',
    },
  }),
  RefreshPreview: objectSchema(
    {
      outdated: INTEGER,
      job: objectSchema({
        refreshed: INTEGER,
        started_at: DATE_TIME,
        finished_at: { ...NULLABLE_TEXT, format: 'date-time' },
        skipped: SKIPPED,
        failed: FAILED,
      }),
    },
    ['job'],
  ),
}
