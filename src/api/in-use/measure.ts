/** Stores what was measured at an item, or at many items of a model or batch. */
import type { InUseTable } from '../../categories/in-use/table.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { detailJson } from '../../kernel/errors/detail-json.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { measureItem, measureItems } from '../../passports/in-use/measure.ts'
import { measurementJson } from '../../passports/in-use/measurement-query.ts'
import type { StoredMeasurement } from '../../passports/in-use/store-measurements.ts'
import { MAX_MEASUREMENTS_BYTES, MAX_SETTINGS_BYTES } from '../endpoint/body-limits.ts'
import { envelopeSchema, jsonResponse, objectSchema, schemaRef } from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { bulkError } from '../products/bulk-response.ts'
import { TRUNCATED_SCHEMA, WARNINGS_SCHEMA } from '../products/record-response.ts'
import { EXAMPLE, EXAMPLE_ID, EXAMPLE_STORED, ROWS } from './measurement-schemas.ts'

const WRITE_META = objectSchema({ dry_run: { type: 'boolean' }, unchanged: { type: 'boolean' } }, [
  'dry_run',
  'unchanged',
])
const WRITE_MEMBERS = { meta: WRITE_META, warnings: WARNINGS_SCHEMA, truncated: TRUNCATED_SCHEMA }

const MANY_SCHEMA = envelopeSchema(schemaRef('StoredMeasurements'), {
  warnings: WARNINGS_SCHEMA,
  truncated: TRUNCATED_SCHEMA,
  meta: schemaRef('DryRun'),
})

export const measureProduct = defineEndpoint({
  method: 'POST',
  path: '/products/:id/measurements',
  id: 'createMeasurement',
  tag: 'in_use',
  summary: 'Store a measurement of an item',
  description:
    'What was measured at one item in one second. Nothing of the passport changes: no version, no event, no ETag. The same measurement again answers 200 with `unchanged`; another one of the same second is refused unless it `corrects`. An item has at most 96 measurements of one UTC day.',
  takesDryRun: true,
  body: {
    maxBytes: MAX_SETTINGS_BYTES,
    schema: schemaRef('NewMeasurement'),
    examples: { weekly: { summary: 'From a battery management system', value: EXAMPLE } },
    // The operation checks the members.
    read: (sent: unknown) => (isObject(sent) ? sent : {}),
  },
  responses: {
    201: {
      ...jsonResponse('The measurement.', envelopeSchema(schemaRef('StoredMeasurement'), WRITE_MEMBERS), {
        product_id: EXAMPLE_ID,
        ...EXAMPLE_STORED,
      }),
      isIllustration: true,
    },
    200: jsonResponse('It was stored before.', envelopeSchema(schemaRef('StoredMeasurement'), WRITE_MEMBERS)),
  },
  errors: ['ended'],
  async handle(call) {
    const input = { uuid: call.path.id, sent: call.body, dryRun: call.isDryRun }
    const { stored, isNew, table } = await measureItem(call.account, input)
    const meta = { dry_run: call.isDryRun || undefined, unchanged: isNew ? undefined : true }
    const extra = isNew && !call.isDryRun ? {} : { meta }
    return {
      status: isNew ? 201 : 200,
      body: successJson(JSON.stringify(storedJson(stored, table)), { warnings: stored.warnings, ...extra }),
    }
  },
})

const storedJson = ({ id, measurement }: StoredMeasurement, table: InUseTable) => ({
  product_id: idFromUuid(id),
  ...measurementJson(measurement, table),
})

export const measureChildren = defineEndpoint({
  method: 'POST',
  path: '/products/:id/children/measurements',
  id: 'createChildrenMeasurements',
  tag: 'in_use',
  summary: 'Store measurements of many items',
  description:
    'Up to 500 in a call, of items under a model or a batch, each named by its serial or id; one item may be there often. Valid rows are stored, and rejected rows are reported. The call fails only if every row was rejected.',
  takesDryRun: true,
  isBulk: true,
  body: {
    maxBytes: MAX_MEASUREMENTS_BYTES,
    ...ROWS,
    schema: schemaRef('NewMeasurements'),
    examples: {
      fleet: {
        summary: 'One measurement of one item',
        value: { items: [{ serial: 'SN0001', ...EXAMPLE }] },
      },
    },
  },
  responses: {
    200: {
      ...jsonResponse('The result of each row.', MANY_SCHEMA, {
        stored: [{ index: 0, product_id: EXAMPLE_ID, ...EXAMPLE_STORED }],
        unchanged: [],
        errors: [],
        summary: { requested: 1, stored: 1, unchanged: 0, failed: 0 },
      }),
      isIllustration: true,
    },
  },
  async handle(call) {
    const input = { parentUuid: call.path.id, items: call.body.items, dryRun: call.isDryRun }
    const { stored, unchanged, errors, table } = await measureItems(call.account, input)
    if (stored.length + unchanged.length === 0) throw bulkError(errors, 'No measurement could be stored')
    const row = (one: StoredMeasurement) => ({ index: one.index, ...storedJson(one, table) })
    const data = {
      stored: stored.map(row),
      unchanged: unchanged.map(row),
      errors: errors.map(({ index, error }) => ({
        index,
        code: error.code,
        error: error.message,
        errors: error.details?.map(detail => detailJson({ ...detail, index })),
      })),
      summary: {
        requested: call.body.items.length,
        stored: stored.length,
        unchanged: unchanged.length,
        failed: errors.length,
      },
    }
    const warnings = stored.flatMap(({ index, warnings }) => warnings.map(one => ({ ...one, index })))
    const meta = call.isDryRun ? { meta: { dry_run: true } } : {}
    return { body: successJson(JSON.stringify(data), { warnings, ...meta }) }
  },
})
