/** The JSON Schemas of products in requests and responses. */
import { allCategories } from '../../categories/catalogue.ts'
import { buildRequestSchema } from '../../categories/schema/json-schema.ts'
import {
  BOOLEAN,
  closedSchema,
  DATE_TIME,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
  TEXTS,
} from '../endpoint/documented-response.ts'
import { bulkResultSchema } from './bulk-response.ts'
import { PRODUCT_CHANGE } from './change-product.ts'
import { RECORD_PROPERTIES, SUMMARY_PROPERTIES } from './summary.ts'

const DRY_RUN = objectSchema(
  {
    dry_run: { type: 'boolean', const: true },
    correction: {
      ...objectSchema({
        fields: {
          ...TEXTS,
          description: 'Fields whose value would change.',
        },
        units: { ...INTEGER, description: 'Batches and items issued so far.' },
        own_values: {
          type: 'object',
          additionalProperties: INTEGER,
          description: 'For each field, how many of these units have set it themselves.',
        },
      }),
      description: 'Only for a correction: what it would affect.',
    },
  },
  ['correction'],
)

const SNIPPET = objectSchema({
  language: { ...TEXT, description: 'Language of its texts.' },
  passport_url: { ...TEXT, format: 'uri' },
  image_url: { ...TEXT, format: 'uri', description: 'The QR code as an image; needs no key.' },
  badge_url: {
    ...TEXT,
    format: 'uri',
    description: 'The badge as an image, 48 pixels high; needs no key.',
  },
  json_ld: {
    type: 'object',
    description:
      'The JSON-LD in `html`: the passport as a schema.org CreativeWork, and under `about` the product, with `hasDigitalProductPassport`.',
  },
  html: { ...TEXT, description: 'The complete HTML to paste.' },
})

const VERSION = objectSchema(
  {
    version_no: { type: 'integer', minimum: 1 },
    change_type: { ...NULLABLE_TEXT, enum: ['change', 'correction', 'refresh', null] },
    changed: {
      ...TEXTS,
      description: 'Names of the top-level fields that changed.',
    },
    created_at: DATE_TIME,
    created_by: { ...TEXT, description: 'The API key or person that wrote it.' },
    note: NULLABLE_TEXT,
    parent_version_no: {
      type: 'integer',
      minimum: 1,
      description: 'Only for a unit: the version of its parent that it inherited from or was refreshed from.',
    },
  },
  ['parent_version_no'],
)

const PAGE_META = objectSchema(
  {
    page: { type: ['integer', 'null'], description: 'null when a cursor was given.' },
    limit: INTEGER,
    total: INTEGER,
    total_capped: { type: 'boolean', description: 'With q: there are more hits than total says.' },
    total_pages: INTEGER,
    has_more: BOOLEAN,
    next_cursor: NULLABLE_TEXT,
    synced_until: {
      ...DATE_TIME,
      description: 'With updated_since: send this as updated_since next time, and no change is missed.',
    },
  },
  ['total_capped', 'synced_until'],
)

const IN_USE = {
  ...objectSchema({
    life: {
      ...TEXT,
      description: 'The state of the unit: `new`, or that of its newest event that has one.',
    },
    events: { ...INTEGER, minimum: 1, description: 'The length of its log.' },
    last_event_at: { ...DATE_TIME, description: 'When the last event was stored.' },
    responsible: { type: ['object', 'null'], description: 'Who is responsible, if not the account.' },
    successors: {
      type: 'array',
      items: { type: 'object' },
      description: 'The passports of its second life.',
    },
    ended: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the product ceased to exist.',
    },
  }),
  description: 'Only if one unit is read, and it has events.',
}

const CATEGORIES = allCategories().map(category => {
  const name = `${category.id[0]?.toUpperCase()}${category.id.slice(1)}`
  return { category, created: `New${name}`, data: `${name}Data` }
})

export const PRODUCT_SCHEMAS = {
  Product: objectSchema({ ...RECORD_PROPERTIES, in_use: IN_USE, data: schemaRef('ProductData') }, ['in_use']),
  ProductSummary: objectSchema(SUMMARY_PROPERTIES),
  ProductChange: PRODUCT_CHANGE.schema,
  DryRun: DRY_RUN,
  SyncedProducts: bulkResultSchema('created', 'updated', 'unchanged'),
  Snippet: SNIPPET,
  Version: VERSION,
  PageMeta: PAGE_META,
  // The category decides which fields `data` has.
  NewProduct: {
    oneOf: CATEGORIES.map(({ created }) => schemaRef(created)),
    discriminator: {
      propertyName: 'category',
      mapping: Object.fromEntries(
        CATEGORIES.map(({ category, created }) => [category.id, schemaRef(created).$ref]),
      ),
    },
  },
  ...Object.fromEntries(
    CATEGORIES.map(({ category, created, data }) => [
      created,
      closedSchema({ category: { type: 'string', const: category.id }, data: schemaRef(data) }, [
        'category',
        'data',
      ]),
    ]),
  ),
  ...Object.fromEntries(
    CATEGORIES.map(({ category, data }) => {
      // The OpenAPI document declares its own dialect.
      const { $schema: _, ...own } = buildRequestSchema(category)
      return [data, own]
    }),
  ),
  ProductData: {
    description: 'The fields of the category. Other keys are stored, and only the account sees them.',
    anyOf: CATEGORIES.map(({ data }) => schemaRef(data)),
  },
}
