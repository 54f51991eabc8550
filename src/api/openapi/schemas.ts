/** The shapes on the wire that do not depend on a category, as JSON Schema for the OpenAPI document. */

import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../endpoint/error-catalogue.ts'
import { CHANGE_WORDS, UNIT, UNIT_LEVEL } from '../endpoint/operation-parts.ts'

const id = { type: 'string', pattern: '^[0-7][0-9a-hjkmnp-tv-z]{25}$', description: 'Passport UID.' }
const dateTime = { type: 'string', format: 'date-time' }
const nullableText = { type: ['string', 'null'] }

const RECORD = {
  id,
  category: { type: 'string', description: 'One of GET /categories.' },
  level: { type: 'string', enum: ['model', 'batch', 'item'] },
  status: { type: 'string', enum: ['active', 'archived'] },
  gtin: { ...nullableText, description: 'As it was entered.' },
  lot: nullableText,
  serial: nullableText,
  version_no: { type: 'integer', minimum: 1, description: '1 at creation; each successful change adds one.' },
  updated_at: dateTime,
  created_at: dateTime,
  passport_url: {
    type: 'string',
    format: 'uri',
    description: 'The public page, and what the QR code holds.',
  },
  gs1_url: { type: ['string', 'null'], format: 'uri', description: 'GS1 Digital Link; null without a GTIN.' },
  qr_url: { type: 'string', format: 'uri', description: 'The QR code of this product (needs the key).' },
  parent_id: { type: ['string', 'null'], description: 'The model or batch a unit belongs to.' },
  outdated: { type: 'boolean', description: 'A correction exists that this unit has not taken over.' },
}

const object = (properties: Record<string, unknown>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter(name => !optional.includes(name)),
})

const closed = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const NEW_UNIT = { ...UNIT, data: { ...UNIT.data, type: ['object', 'null'] } }
const SUMMARY = { ...RECORD, product_name: nullableText, sku: nullableText, brand_name: nullableText }
const details = { type: 'array', items: { $ref: '#/components/schemas/Detail' } }
const SKIP = object({ id, fields: { type: 'array', items: { type: 'string' } } })
const FAILURE = object({ id, error: { type: 'string' }, errors: details })

const ROW = { type: 'integer', minimum: 0, description: 'Place of the row in `items`, from 0.' }

const DONE_ROWS = {
  type: 'array',
  items: object({ index: ROW, ...SUMMARY, warnings: { ...details, description: 'Pointing into the row.' } }, [
    'warnings',
  ]),
}

/** What a bulk call did, row by row, each list in the order of `index`. */
const bulkResult = (...verbs: readonly ('created' | 'updated' | 'unchanged')[]) =>
  object({
    ...Object.fromEntries(verbs.map(verb => [verb, DONE_ROWS])),
    errors: {
      type: 'array',
      items: object(
        {
          index: ROW,
          code: {
            type: 'string',
            description: 'A code of the errors table: `validation`, `plan_limit`, `not_found` …',
          },
          error: { type: 'string', description: 'One sentence for a person.' },
          errors: details,
        },
        ['errors'],
      ),
    },
    summary: object({
      requested: { type: 'integer' },
      ...Object.fromEntries(verbs.map(verb => [verb, { type: 'integer' }])),
      failed: { type: 'integer' },
    }),
  })

const WIRE_TYPE = { type: 'string', enum: ['string', 'number', 'boolean', 'object', 'array'] }
const FIELDS = { type: 'array', items: { $ref: '#/components/schemas/Field' } }
const VALUES = {
  enum: { type: 'array', items: { type: 'string' } },
  open: { type: 'boolean', description: 'The list of values grows with the schema version.' },
  unit: { type: 'string' },
  format: { type: 'string' },
}
const ENTRY = object({ type: WIRE_TYPE, description: { type: 'string' }, ...VALUES, fields: FIELDS }, [
  'description',
  ...Object.keys(VALUES),
  'fields',
])

export const SCHEMAS = {
  Product: object({ ...RECORD, data: { $ref: '#/components/schemas/ProductData' } }),
  ProductSummary: object(SUMMARY),
  ProductChange: closed(
    {
      data: {
        type: 'object',
        additionalProperties: true,
        description: 'The fields to set; `null` removes an optional one.',
      },
      ...CHANGE_WORDS,
    },
    ['data'],
  ),
  DryRun: object(
    {
      dry_run: { type: 'boolean', const: true },
      correction: {
        ...object({
          fields: {
            type: 'array',
            items: { type: 'string' },
            description: 'Fields whose value would change.',
          },
          units: { type: 'integer', description: 'Batches and items issued so far.' },
          own_values: {
            type: 'object',
            additionalProperties: { type: 'integer' },
            description: 'For each field, how many of those have set it themselves.',
          },
        }),
        description: 'Of a correction: what it would reach.',
      },
    },
    ['correction'],
  ),
  NewUnit: closed({ level: UNIT_LEVEL, ...NEW_UNIT }, ['level']),
  NewUnits: closed(
    {
      level: UNIT_LEVEL,
      items: { type: 'array', minItems: 1, maxItems: 500, items: closed(NEW_UNIT, []) },
    },
    ['level', 'items'],
  ),
  CreatedUnits: bulkResult('created'),
  UpdatedUnits: bulkResult('updated'),
  SyncedProducts: bulkResult('created', 'updated', 'unchanged'),
  Refreshed: object({
    refreshed: { type: 'integer', description: 'Units brought up to date by this call.' },
    pending: { type: 'integer', description: 'Units that go on behind the answer.' },
    skipped: {
      type: 'array',
      items: SKIP,
      description: 'Corrections of a value that the unit never had; at most 100.',
    },
    failed: {
      type: 'array',
      items: FAILURE,
      description: 'Units that would not be valid; they stay outdated. At most 100.',
    },
  }),
  RefreshPreview: object(
    {
      outdated: { type: 'integer' },
      job: object({
        refreshed: { type: 'integer' },
        started_at: dateTime,
        finished_at: { type: ['string', 'null'], format: 'date-time' },
        skipped: { type: 'array', items: SKIP },
        failed: { type: 'array', items: FAILURE },
      }),
    },
    ['job'],
  ),
  Snippet: object({
    language: { type: 'string', description: 'Of the words in it.' },
    passport_url: { type: 'string', format: 'uri' },
    image_url: { type: 'string', format: 'uri', description: 'The QR code as an image; needs no key.' },
    json_ld: {
      type: 'object',
      description:
        'What stands in `html` for machines: the passport as a schema.org CreativeWork, and under `about` the product, with `hasDigitalProductPassport`.',
    },
    html: { type: 'string', description: 'All of it, to be pasted.' },
  }),
  Version: object(
    {
      version_no: { type: 'integer', minimum: 1 },
      change_type: { type: ['string', 'null'], enum: ['change', 'correction', 'refresh', null] },
      changed: {
        type: 'array',
        items: { type: 'string' },
        description: 'Names of the top-level fields that changed.',
      },
      created_at: dateTime,
      created_by: { type: 'string', description: 'The API key or person that made it.' },
      note: nullableText,
      parent_version_no: {
        type: 'integer',
        minimum: 1,
        description: 'Of a unit: the version of its parent that it inherited from, or was refreshed from.',
      },
    },
    ['parent_version_no'],
  ),
  PageMeta: object(
    {
      page: { type: ['integer', 'null'], description: 'null when a cursor was given.' },
      limit: { type: 'integer' },
      total: { type: 'integer' },
      total_capped: { type: 'boolean', description: 'With q: there are more than total says.' },
      total_pages: { type: 'integer' },
      has_more: { type: 'boolean' },
      next_cursor: nullableText,
      synced_until: {
        ...dateTime,
        description:
          'With updated_since: what to send as updated_since next time, so that nothing is missed.',
      },
    },
    ['total_capped', 'synced_until'],
  ),
  Detail: object(
    {
      field: {
        type: 'string',
        description: 'As a person writes it.',
        examples: ['fiberComposition[1].percentage'],
      },
      pointer: {
        type: 'string',
        description: 'RFC 6901, from the root of the body; parameters are under `/query`.',
        examples: ['/data/fiberComposition/1/percentage'],
      },
      code: {
        type: 'string',
        description: 'What a program branches on.',
        examples: Object.keys(DETAIL_CATALOGUE),
      },
      message: { type: 'string', description: 'One sentence for a person.' },
      index: { type: 'integer', description: 'In bulk calls: which item.' },
    },
    ['index'],
  ),
  Error: object(
    {
      error: { type: 'string', description: 'One sentence for a person.' },
      code: {
        type: 'string',
        description: 'What a program branches on.',
        examples: Object.keys(ERROR_CATALOGUE),
      },
      errors: { type: 'array', items: { $ref: '#/components/schemas/Detail' } },
      truncated: { type: 'boolean', description: 'There were more than 100 violations.' },
      request_id: { type: 'string', description: 'Quote it when you report something.' },
    },
    ['errors', 'truncated'],
  ),
  Health: object({
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    version: { type: 'string' },
    time: dateTime,
  }),
  CategorySummary: object({
    id: { type: 'string' },
    title: { type: 'string' },
    schema_version: { type: 'integer' },
    schema_url: { type: 'string', format: 'uri' },
    required: { type: 'array', items: { type: 'string' } },
  }),
  Field: object(
    {
      name: { type: 'string' },
      type: WIRE_TYPE,
      required: { type: 'boolean' },
      localized: { type: 'boolean' },
      audience: {
        type: 'array',
        items: { type: 'string', enum: ['public', 'legitimate_interest', 'authority'] },
      },
      ...VALUES,
      description: { type: 'string' },
      items: { ...ENTRY, description: 'Of an array: what its entries are.' },
      fields: FIELDS,
      sums_to: {
        ...object({ field: { type: 'string' }, total: { type: 'integer', const: 100 } }),
        description: 'The member of each entry whose values add up to exactly this.',
      },
    },
    ['enum', 'open', 'unit', 'format', 'items', 'fields', 'sums_to'],
  ),
  CategoryFields: object({
    category: { type: 'string' },
    schema_version: { type: 'integer' },
    fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
  }),
}
