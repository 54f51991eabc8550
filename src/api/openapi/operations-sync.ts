/** What the OpenAPI document says of create or update. */

import {
  bulkWritten,
  CHANGE_WORDS,
  DRY_RUN,
  headerParameter,
  IF_MATCH,
  json,
  type Operation,
  STRICT,
  written,
} from '../endpoint/operation-parts.ts'
import * as example from '../products/examples.ts'

const MODEL = {
  category: {
    type: 'string',
    description: 'Needed for a new product; of one that is there it cannot change.',
  },
  data: {
    type: 'object',
    description: 'Of a new product all fields; of one that is there those to set, null removes one.',
  },
}

const MATCH_BY = {
  type: 'string',
  enum: ['sku', 'gtin'],
  default: 'sku',
  description: 'The field of `data` that says which product a row means.',
}

const EXAMPLE = { data: { sku: 'OST-45', warrantyMonths: 36 } }

const IF_NONE_MATCH = headerParameter('If-None-Match', '`*`: only if the product is not there yet.')

const outcome = {
  ...written,
  properties: {
    ...written.properties,
    meta: {
      type: 'object',
      properties: {
        unchanged: { type: 'boolean', description: 'Nothing would have changed: there is no new version.' },
        dry_run: { type: 'boolean' },
      },
    },
  },
}

const put = (by: 'sku' | 'gtin', name: string, description: string): Operation => ({
  method: 'PUT',
  path: `/products/by-${by}/:${by}`,
  id: `putProductBy${name}`,
  tag: 'products',
  summary: `Create or update the product with this ${by.toUpperCase()}`,
  description,
  parameters: [DRY_RUN, IF_MATCH, IF_NONE_MATCH, STRICT],
  body: {
    schema: {
      type: 'object',
      properties: { ...MODEL, ...CHANGE_WORDS },
      required: ['data'],
      additionalProperties: false,
    },
    examples: { warranty: { summary: 'One field', value: { data: { warrantyMonths: 36 } } } },
  },
  responses: {
    200: json(
      'The product, updated; or as it was, with `meta.unchanged`.',
      outcome,
      { data: example.exampleRecord(example.CHANGED, example.LONGER_WARRANTY) },
      ['ETag'],
    ),
    201: json('Created.', outcome, { data: example.exampleRecord() }, ['ETag', 'Location']),
  },
  errors: ['gtin_taken', 'plan_limit', 'version_conflict'],
})

export const SYNC_OPERATIONS: readonly Operation[] = [
  put(
    'sku',
    'Sku',
    'A product that is there gets the fields of `data` merged over its own, as by PATCH; what would change nothing writes no version. Several products with this SKU are 422 and named. A slash in the SKU is sent as %2F.',
  ),
  put(
    'gtin',
    'Gtin',
    'The same, for the product that bears this GTIN, in any of its lengths. A GTIN that is not this product\u2019s to take is 409.',
  ),
  {
    method: 'POST',
    path: '/products/bulk',
    id: 'syncProducts',
    tag: 'products',
    summary: 'Create or update up to 500 products',
    description:
      'Row by row as the two calls by SKU or GTIN: good rows are kept, bad ones reported. Run again, it changes nothing and says so. At most 8 MiB.',
    parameters: [DRY_RUN, STRICT],
    body: {
      schema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            minItems: 1,
            maxItems: 500,
            items: {
              type: 'object',
              properties: { ...MODEL, match_by: MATCH_BY },
              required: ['data'],
              additionalProperties: false,
            },
          },
          match_by: MATCH_BY,
          ...CHANGE_WORDS,
        },
        required: ['items'],
        additionalProperties: false,
      },
      examples: { warranty: { summary: 'One product', value: { items: [EXAMPLE] } } },
    },
    responses: {
      200: json('The result of each row.', bulkWritten('SyncedProducts'), {
        data: {
          created: [],
          updated: [{ index: 0, ...example.exampleSummary(example.CHANGED) }],
          unchanged: [],
          errors: [],
          summary: { requested: 1, created: 0, updated: 1, unchanged: 0, failed: 0 },
        },
      }),
    },
    errors: ['plan_limit'],
  },
]
