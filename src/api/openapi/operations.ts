/** What the OpenAPI document says of each route; tests prove that every route is here, and that it is true. */
import { allCategories } from '../../categories/catalogue.ts'
import { LANGUAGES } from '../../i18n/catalogue.ts'
import {
  CHANGE_WORDS,
  CURSOR,
  DRY_RUN,
  envelope,
  IF_MATCH,
  IF_NONE_MATCH,
  json,
  LIMIT,
  LIST_FILTERS,
  list,
  notModified,
  type Operation,
  PAGE,
  queryParameter,
  STRICT,
  schema,
  TEXT_SCHEMA,
  written,
} from '../endpoint/operation-parts.ts'
import * as example from '../products/examples.ts'
import { SCAN_OPERATIONS } from './operations-scans.ts'
import { SERVICE_OPERATIONS } from './operations-service.ts'
import { SYNC_OPERATIONS } from './operations-sync.ts'
import { UNIT_OPERATIONS } from './operations-units.ts'

/** The example of each category; the furniture that the whole document tells of comes first. */
const CREATE_EXAMPLES = Object.fromEntries(
  allCategories()
    .toReversed()
    .flatMap(({ id, example }) =>
      example === undefined
        ? []
        : [[id, { summary: example.summary, value: { category: id, data: example.data } }]],
    ),
)

const ONE = envelope(schema('Product'))

const PRODUCT_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/products',
    id: 'listProducts',
    tag: 'products',
    summary: 'List and search products',
    description:
      'Newest first, or with `updated_since` in the order of the changes. Models by default, units too when `serial`, `lot` or `outdated=true` asks for what only they have; `level` says which. To read everything follow `next_cursor` until it is null: each step costs the same.',
    parameters: [
      ...LIST_FILTERS,
      queryParameter(
        'level',
        'Which level; without it models, or all where a filter asks for what only units have.',
        {
          type: 'string',
          enum: ['model', 'batch', 'item', 'all'],
        },
      ),
      queryParameter('category', 'Exactly this category.', {
        type: 'string',
        enum: allCategories().map(({ id }) => id),
      }),
      queryParameter(
        'updated_since',
        'Changed at this time or later, in the order of the changes. Send `meta.synced_until` of the first page next time: nothing is missed.',
        { type: 'string', format: 'date-time' },
        '2026-11-01T00:00:00Z',
      ),
      queryParameter('sku', 'Exactly this SKU.', TEXT_SCHEMA),
      queryParameter('gtin', 'Exactly this GTIN, in any of its lengths.', {
        type: 'string',
        minLength: 8,
        maxLength: 14,
      }),
      PAGE,
      LIMIT,
      CURSOR,
    ],
    responses: {
      200: json('A page of products.', list('ProductSummary'), {
        data: [example.exampleSummary()],
        meta: example.examplePageMeta(1),
      }),
    },
    errors: [],
  },
  {
    method: 'POST',
    path: '/products',
    id: 'createProduct',
    tag: 'products',
    summary: 'Create a model passport',
    description:
      'Version 1. Fields the schema does not know are kept for the account alone and told in `warnings`.',
    parameters: [DRY_RUN, STRICT],
    body: {
      schema: schema('NewProduct'),
      examples: CREATE_EXAMPLES,
    },
    responses: { 201: json('Created.', written, { data: example.exampleRecord() }, ['ETag', 'Location']) },
    errors: ['gtin_taken', 'plan_limit'],
  },
  {
    method: 'GET',
    path: '/products/:id',
    id: 'getProduct',
    tag: 'products',
    summary: 'Read a product',
    description: 'As it is, or with `at` as it stood at a time.',
    parameters: [
      queryParameter(
        'at',
        'A time; the product as it stood then.',
        { type: 'string', format: 'date-time' },
        '2026-12-24T18:00:00Z',
      ),
      IF_NONE_MATCH,
    ],
    responses: {
      200: json('The product.', ONE, { data: example.exampleRecord() }, ['ETag']),
      304: notModified,
    },
    errors: [],
  },
  {
    method: 'PATCH',
    path: '/products/:id',
    id: 'updateProduct',
    tag: 'products',
    summary: 'Change a product',
    description:
      'The fields sent replace those of the same name, whole; the others stay, and `null` removes an optional one. The result is the next version.',
    parameters: [DRY_RUN, IF_MATCH, STRICT],
    body: {
      schema: schema('ProductChange'),
      examples: {
        warranty: {
          summary: 'The product is different from now on',
          value: {
            data: example.LONGER_WARRANTY,
            change_type: 'change',
            note: 'Warranty extended for 2027',
          },
        },
        correction: {
          summary: 'The data was wrong',
          value: { data: { countryOfManufacture: 'AT' }, change_type: 'correction' },
        },
      },
    },
    responses: {
      200: json(
        'The new version; with `dry_run` what it would be.',
        written,
        { data: example.exampleRecord(example.CHANGED, example.LONGER_WARRANTY) },
        ['ETag'],
      ),
    },
    errors: ['gtin_taken', 'version_conflict'],
  },
  {
    method: 'GET',
    path: '/products/:id/qr',
    id: 'getQr',
    tag: 'products',
    summary: 'The QR code of a product',
    description:
      'SVG with a quiet zone of four modules. Holds the public page, or the GS1 address with `content=gs1`; a plain QR code in both cases, as GS1 Digital Link asks for. The same symbol is public at `/p/{id}/qr.svg`.',
    parameters: [
      queryParameter('content', 'Which address it holds.', {
        type: 'string',
        enum: ['passport', 'gs1'],
        default: 'passport',
      }),
      queryParameter('ecc', 'Error correction.', { type: 'string', enum: ['M', 'Q'], default: 'M' }),
      queryParameter('level', 'Another name of `ecc`.', { type: 'string', enum: ['M', 'Q'] }),
      queryParameter('size_mm', 'Printed width in millimetres, quiet zone included.', {
        type: 'integer',
        minimum: 10,
        maximum: 1000,
      }),
      IF_NONE_MATCH,
    ],
    responses: {
      200: {
        description: 'The symbol.',
        type: 'image/svg+xml',
        schema: { type: 'string' },
        headers: ['ETag'],
      },
      304: notModified,
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/products/:id/snippet',
    id: 'getSnippet',
    tag: 'products',
    summary: 'The HTML that a shop puts on the page of a product',
    description:
      'A link to the passport, its QR code as an image, and schema.org JSON-LD with `hasDigitalProductPassport`. It adds to the Product that the shop’s page describes itself, and is no second one. Holds only what is public.',
    parameters: [
      queryParameter('lang', 'Language of its words; the primary language of the passport without it.', {
        type: 'string',
        enum: LANGUAGES.map(({ code }) => code),
      }),
      queryParameter(
        'product',
        'The `@id` of the Product on the shop’s page: a whole address, or `#` and a name.',
        {
          type: 'string',
          maxLength: 2048,
        },
      ),
      IF_NONE_MATCH,
    ],
    responses: {
      200: json('The snippet.', envelope(schema('Snippet')), { data: example.exampleSnippet() }, ['ETag']),
      304: notModified,
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/products/:id/versions',
    id: 'listVersions',
    tag: 'products',
    summary: 'The history of a product',
    description: 'Every version, newest first. A version is never changed and never deleted.',
    parameters: [PAGE, LIMIT, CURSOR],
    responses: {
      200: json('A page of versions.', list('Version'), {
        data: example.VERSIONS,
        meta: example.examplePageMeta(2),
      }),
    },
    errors: [],
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
      200: json('The product as it was.', ONE, { data: example.exampleRecord() }, ['ETag']),
      304: notModified,
    },
    errors: [],
  },
  {
    method: 'POST',
    path: '/products/:id/versions/:n/revert',
    id: 'revertProduct',
    tag: 'products',
    summary: 'Go back to an earlier version',
    description:
      'Writes its data as a new version. Of a unit that is its own fields; what it inherits stays as it is.',
    parameters: [IF_MATCH],
    body: {
      required: false,
      schema: { type: 'object', properties: CHANGE_WORDS, additionalProperties: false },
      examples: { reason: { summary: 'With a reason', value: { note: 'Entered by mistake' } } },
    },
    responses: {
      200: json(
        'The new version.',
        written,
        { data: example.exampleRecord({ version_no: 3, updated_at: example.CHANGED.updated_at ?? '' }) },
        ['ETag'],
      ),
    },
    errors: ['gtin_taken', 'version_conflict'],
  },
  {
    method: 'POST',
    path: '/products/:id/archive',
    id: 'archiveProduct',
    tag: 'products',
    summary: 'Archive a product',
    description: 'Its public address goes on answering. Makes no version; a second time changes nothing.',
    parameters: [IF_MATCH],
    responses: {
      200: json('The product.', ONE, { data: example.exampleRecord(example.ARCHIVED) }, ['ETag']),
    },
    errors: ['version_conflict'],
  },
  {
    method: 'POST',
    path: '/products/:id/restore',
    id: 'restoreProduct',
    tag: 'products',
    summary: 'Restore an archived product',
    description:
      'Makes no version; a second time changes nothing. Refused when its GTIN was released and taken by another since.',
    parameters: [IF_MATCH],
    responses: {
      200: json(
        'The product.',
        ONE,
        { data: example.exampleRecord({ updated_at: example.CHANGED.updated_at ?? '' }) },
        ['ETag'],
      ),
    },
    errors: ['gtin_taken', 'version_conflict'],
  },
]

/** In the order in which the document and the page show them; the description of another room is one line. */
export const OPERATIONS: readonly Operation[] = [
  ...PRODUCT_OPERATIONS,
  ...SYNC_OPERATIONS,
  ...UNIT_OPERATIONS,
  ...SCAN_OPERATIONS,
  ...SERVICE_OPERATIONS,
]
