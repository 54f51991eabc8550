/** The shapes on the wire that do not depend on a category, as JSON Schema for the OpenAPI document. */

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

const details = { type: 'array', items: { $ref: '#/components/schemas/Detail' } }
const SKIP = object({ id, fields: { type: 'array', items: { type: 'string' } } })
const FAILURE = object({ id, error: { type: 'string' }, errors: details })

const DONE_ROWS = {
  type: 'array',
  items: {
    allOf: [
      { $ref: '#/components/schemas/ProductSummary' },
      object({ index: { type: 'integer' }, warnings: details }, ['warnings']),
    ],
  },
}

/** What a bulk call did, row by row, each list in the order of `index`. */
const bulkResult = (...verbs: readonly ('created' | 'updated' | 'unchanged')[]) =>
  object({
    ...Object.fromEntries(verbs.map(verb => [verb, DONE_ROWS])),
    errors: {
      type: 'array',
      items: object(
        { index: { type: 'integer' }, code: { type: 'string' }, error: { type: 'string' }, errors: details },
        ['errors'],
      ),
    },
    summary: object({
      requested: { type: 'integer' },
      ...Object.fromEntries(verbs.map(verb => [verb, { type: 'integer' }])),
      failed: { type: 'integer' },
    }),
  })

export const SCHEMAS = {
  Product: object({ ...RECORD, data: { $ref: '#/components/schemas/ProductData' } }),
  ProductSummary: object({
    ...RECORD,
    product_name: nullableText,
    sku: nullableText,
    brand_name: nullableText,
  }),
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
      field: { type: 'string', examples: ['fiberComposition[1].percentage'] },
      pointer: { type: 'string', examples: ['/data/fiberComposition/1/percentage'] },
      code: { type: 'string' },
      message: { type: 'string' },
      index: { type: 'integer', description: 'In bulk calls: which item.' },
    },
    ['index'],
  ),
  Error: object(
    {
      error: { type: 'string', description: 'One sentence for a person.' },
      code: { type: 'string', description: 'What a program branches on.' },
      errors: { type: 'array', items: { $ref: '#/components/schemas/Detail' } },
      truncated: { type: 'boolean', description: 'There were more than 100 violations.' },
      request_id: { type: 'string' },
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
      type: { type: 'string', enum: ['string', 'number', 'boolean', 'object', 'array'] },
      required: { type: 'boolean' },
      localized: { type: 'boolean' },
      audience: {
        type: 'array',
        items: { type: 'string', enum: ['public', 'legitimate_interest', 'authority'] },
      },
      enum: { type: 'array', items: { type: 'string' } },
      open: { type: 'boolean' },
      unit: { type: 'string' },
      format: { type: 'string' },
      description: { type: 'string' },
      items: {},
      fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
      sums_to: {},
    },
    ['enum', 'open', 'unit', 'format', 'items', 'fields', 'sums_to'],
  ),
  CategoryFields: object({
    category: { type: 'string' },
    schema_version: { type: 'integer' },
    fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
  }),
}
