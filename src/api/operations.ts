/** What the OpenAPI document says of each route; a test proves that every route is here and nothing else. */

export type Operation = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  id: string
  tag: 'products' | 'categories' | 'service'
  summary: string
  description: string
  open?: true
  parameters: readonly object[]
  body?: object
  responses: Record<string, object>
  /** Statuses beyond those every call has. */
  refusals: readonly number[]
}

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const envelope = (data: object, more: Record<string, object> = {}) => ({
  type: 'object',
  properties: { data, ...more },
  required: ['data'],
})
const list = (of: string) => envelope({ type: 'array', items: schema(of) }, { meta: schema('PageMeta') })
const written = envelope(schema('Product'), { warnings: { type: 'array', items: schema('Detail') } })

const json = (description: string, body: object, headers: readonly string[] = []) => ({
  description,
  headers: Object.fromEntries(
    ['X-Request-Id', ...headers].map(name => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/json': { schema: body } },
})
const notModified = { description: 'The client has it already (If-None-Match).' }

const query = (name: string, description: string, of: object) => ({
  name,
  in: 'query',
  description,
  schema: of,
})
const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

const IF_NONE_MATCH = header('If-None-Match', 'ETag of the answer the client has.')
const STRICT = header('Prefer', '`handling=strict` refuses unknown fields instead of warning about them.')
const LIMIT = query('limit', 'Rows in a page.', { type: 'integer', minimum: 1, maximum: 100, default: 25 })
const PAGE = query('page', 'Number of the page; excludes cursor.', {
  type: 'integer',
  minimum: 1,
  default: 1,
})
const text = { type: 'string', minLength: 1, maxLength: 500 }

const EXAMPLE = {
  category: 'furniture',
  data: {
    productName: 'Oak side table',
    sku: 'OST-45',
    brandName: 'Nordlicht',
    languages: ['en'],
    economicOperator: {
      role: 'manufacturer',
      legalName: 'Nordlicht Möbel GmbH',
      address: 'Werkstraße 1, 26122 Oldenburg',
      country: 'DE',
      contactEmail: 'passport@nordlicht.example',
    },
    materialComposition: [{ material: 'wood', percentage: 100 }],
    countryOfManufacture: 'DE',
    careInstructions: { en: 'Wipe with a dry cloth; oil once a year.' },
    repair: { repairable: true, sparePartsAvailable: true },
    endOfLife: {
      recyclingInstructions: { en: 'Untreated wood: take it to a wood collection point.' },
      disposalInstructions: { en: 'Bulky waste collection.' },
    },
  },
}

export const OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/health',
    id: 'getHealth',
    tag: 'service',
    summary: 'Whether the service can do its work',
    description: 'Needs no key and is never refused.',
    open: true,
    parameters: [],
    responses: { 200: json('It can.', envelope(schema('Health'))) },
    refusals: [],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenapi',
    tag: 'service',
    summary: 'This document',
    description: 'OpenAPI 3.1. Needs no key.',
    open: true,
    parameters: [IF_NONE_MATCH],
    responses: { 200: json('The document.', { type: 'object' }, ['ETag']), 304: notModified },
    refusals: [],
  },
  {
    method: 'GET',
    path: '/categories',
    id: 'listCategories',
    tag: 'categories',
    summary: 'The categories there are',
    description: 'Each with the fields it requires and where its schema is.',
    parameters: [IF_NONE_MATCH],
    responses: {
      200: json('All categories.', envelope({ type: 'array', items: schema('CategorySummary') }), ['ETag']),
      304: notModified,
    },
    refusals: [],
  },
  {
    method: 'GET',
    path: '/schema/:category',
    id: 'getSchema',
    tag: 'categories',
    summary: 'The fields of a category',
    description: 'As a field list, or as JSON Schema 2020-12 with `format=json-schema`.',
    parameters: [
      query('format', 'How to describe them.', {
        type: 'string',
        enum: ['fields', 'json-schema'],
        default: 'fields',
      }),
      IF_NONE_MATCH,
    ],
    responses: {
      200: {
        ...json('The fields.', envelope(schema('CategoryFields')), ['ETag']),
        content: {
          'application/json': { schema: envelope(schema('CategoryFields')) },
          'application/schema+json': { schema: { type: 'object' } },
        },
      },
      304: notModified,
    },
    refusals: [404],
  },
  {
    method: 'GET',
    path: '/products',
    id: 'listProducts',
    tag: 'products',
    summary: 'List and search products',
    description:
      'Newest first. Models by default; `level` widens it. `cursor` goes on from `next_cursor` at constant cost.',
    parameters: [
      query('q', 'Part of a name, SKU or GTIN, in any case.', text),
      query('status', 'Active ones, archived ones, or all.', {
        type: 'string',
        enum: ['all', 'active', 'archived'],
        default: 'all',
      }),
      query('level', 'Which level.', {
        type: 'string',
        enum: ['model', 'batch', 'item', 'all'],
        default: 'model',
      }),
      query('category', 'Exactly this category.', text),
      query('updated_since', 'Changed at this time or later.', { type: 'string', format: 'date-time' }),
      query('outdated', 'Only units that are, or are not, outdated.', { type: 'boolean' }),
      query('sku', 'Exactly this SKU.', text),
      query('gtin', 'Exactly this GTIN, in any length.', { type: 'string' }),
      PAGE,
      LIMIT,
      query('cursor', '`next_cursor` of an earlier answer; excludes page.', { type: 'string' }),
    ],
    responses: { 200: json('A page of products.', list('ProductSummary')) },
    refusals: [],
  },
  {
    method: 'POST',
    path: '/products',
    id: 'createProduct',
    tag: 'products',
    summary: 'Create a model passport',
    description: 'Version 1. Unknown fields are kept for the account and told in `warnings`.',
    parameters: [STRICT],
    body: {
      schema: {
        type: 'object',
        properties: { category: { type: 'string' }, data: schema('ProductData') },
        required: ['category', 'data'],
        additionalProperties: false,
      },
      examples: { furniture: { summary: 'The required core of a table', value: EXAMPLE } },
    },
    responses: { 201: json('Created.', written, ['ETag']) },
    refusals: [409],
  },
  {
    method: 'GET',
    path: '/products/:id',
    id: 'getProduct',
    tag: 'products',
    summary: 'Read a product',
    description: 'As it is, or with `at` as it stood at a time.',
    parameters: [
      query('at', 'A time; the product as it stood then.', { type: 'string', format: 'date-time' }),
      IF_NONE_MATCH,
    ],
    responses: { 200: json('The product.', envelope(schema('Product')), ['ETag']), 304: notModified },
    refusals: [404],
  },
  {
    method: 'PATCH',
    path: '/products/:id',
    id: 'updateProduct',
    tag: 'products',
    summary: 'Change a product',
    description:
      'Merges the fields of `data` over the current ones (null removes one) and keeps the result as a new version.',
    parameters: [header('If-Match', 'ETag (or `"v3"`) that the product must still bear.'), STRICT],
    body: {
      schema: {
        type: 'object',
        properties: {
          data: { type: 'object', description: 'The fields to set; null removes an optional one.' },
          change_type: {
            type: 'string',
            enum: ['change', 'correction'],
            default: 'change',
            description:
              '`correction`: the data was wrong, units already issued become outdated. `change`: the product changed from now on.',
          },
          note: { type: 'string', maxLength: 500, description: 'Why; kept in the history.' },
        },
        required: ['data'],
        additionalProperties: false,
      },
      examples: {
        weight: {
          summary: 'A corrected weight',
          value: { data: { weightGrams: 185 }, change_type: 'correction' },
        },
      },
    },
    responses: { 200: json('The new version.', written, ['ETag']) },
    refusals: [404, 409, 412],
  },
  {
    method: 'GET',
    path: '/products/:id/qr',
    id: 'getQr',
    tag: 'products',
    summary: 'The QR code of a product',
    description:
      'SVG with a quiet zone of four modules. Holds the public page, or the GS1 address with `content=gs1`.',
    parameters: [
      query('content', 'Which address it holds.', {
        type: 'string',
        enum: ['passport', 'gs1'],
        default: 'passport',
      }),
      query('level', 'Error correction.', { type: 'string', enum: ['M', 'Q'], default: 'M' }),
      query('size_mm', 'Printed width in millimetres.', { type: 'integer', minimum: 10, maximum: 1000 }),
      IF_NONE_MATCH,
    ],
    responses: {
      200: {
        description: 'The symbol.',
        headers: { ETag: { $ref: '#/components/headers/ETag' } },
        content: { 'image/svg+xml': { schema: { type: 'string' } } },
      },
      304: notModified,
    },
    refusals: [404],
  },
  {
    method: 'GET',
    path: '/products/:id/versions',
    id: 'listVersions',
    tag: 'products',
    summary: 'The history of a product',
    description: 'Every version, newest first.',
    parameters: [PAGE, LIMIT],
    responses: { 200: json('A page of versions.', list('Version')) },
    refusals: [404],
  },
  {
    method: 'GET',
    path: '/products/:id/versions/:n',
    id: 'getVersion',
    tag: 'products',
    summary: 'A version of a product',
    description: 'The full record as it was.',
    parameters: [IF_NONE_MATCH],
    responses: {
      200: json('The product as it was.', envelope(schema('Product')), ['ETag']),
      304: notModified,
    },
    refusals: [404],
  },
  {
    method: 'POST',
    path: '/products/:id/archive',
    id: 'archiveProduct',
    tag: 'products',
    summary: 'Archive a product',
    description: 'Its address goes on answering. A second time changes nothing.',
    parameters: [],
    responses: { 200: json('The product.', envelope(schema('Product')), ['ETag']) },
    refusals: [404],
  },
  {
    method: 'POST',
    path: '/products/:id/restore',
    id: 'restoreProduct',
    tag: 'products',
    summary: 'Restore an archived product',
    description:
      'A second time changes nothing. Refused when its GTIN was released and taken by another since.',
    parameters: [],
    responses: { 200: json('The product.', envelope(schema('Product')), ['ETag']) },
    refusals: [404, 409],
  },
]
