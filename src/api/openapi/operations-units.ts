/** What the OpenAPI document says of batches and items. */

import {
  bulkWritten,
  CHANGE_WORDS,
  CURSOR,
  DRY_RUN,
  envelope,
  json,
  LIMIT,
  LIST_FILTERS,
  list,
  type Operation,
  PAGE,
  queryParameter,
  STRICT,
  schema,
  UNIT,
  written,
} from '../endpoint/operation-parts.ts'
import * as example from '../products/examples.ts'

const REFRESHED = { refreshed: 2, skipped: [], failed: [], pending: 0 }

export const UNIT_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/products/:id/children',
    id: 'listChildren',
    tag: 'units',
    summary: 'The units under a product',
    description: 'Batches and items issued directly under a model or a batch, newest first.',
    parameters: [
      queryParameter('level', 'Which level.', {
        type: 'string',
        enum: ['batch', 'item', 'all'],
        default: 'all',
      }),
      ...LIST_FILTERS,
      PAGE,
      LIMIT,
      CURSOR,
    ],
    responses: {
      200: json('A page of units.', list('ProductSummary'), {
        data: [example.exampleSummary(example.BATCH)],
        meta: example.examplePageMeta(1),
      }),
    },
    errors: [],
  },
  {
    method: 'POST',
    path: '/products/:id/children',
    id: 'createChildren',
    tag: 'units',
    summary: 'Issue batches or items',
    description:
      'One unit, or up to 500 in `items`. A unit inherits what its model or batch reads as now and sends only its own fields. In bulk good rows are kept and bad ones reported under `errors`; it is a refusal only when no row could be kept.',
    parameters: [DRY_RUN, STRICT],
    body: {
      schema: { anyOf: [schema('NewUnit'), schema('NewUnits')] },
      examples: {
        batch: { summary: 'One batch', value: { level: 'batch', lot: '2026-11' } },
        item: { summary: 'One item', value: { level: 'item', serial: 'SN0001' } },
        bulk: {
          summary: 'Several items, one with a field of its own',
          value: {
            level: 'item',
            items: [{ serial: 'SN0001' }, { serial: 'SN0002', data: { countryOfManufacture: 'AT' } }],
          },
        },
      },
    },
    responses: {
      201: json(
        'The unit, or the result of each row.',
        { anyOf: [written, bulkWritten('CreatedUnits')] },
        { data: example.exampleRecord(example.BATCH) },
        ['ETag', 'Location'],
      ),
    },
    errors: ['archived', 'plan_limit'],
  },
  {
    method: 'POST',
    path: '/products/:id/children/update',
    id: 'updateChildren',
    tag: 'units',
    summary: 'Change many units',
    description:
      'Up to 500 in a call, each found by its serial or lot: a fleet’s state of health overnight. Good rows are kept and bad ones reported.',
    parameters: [DRY_RUN, STRICT],
    body: {
      schema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            minItems: 1,
            maxItems: 500,
            items: { type: 'object', properties: UNIT, required: ['data'], additionalProperties: false },
          },
          ...CHANGE_WORDS,
        },
        required: ['items'],
        additionalProperties: false,
      },
      examples: {
        warranty: {
          summary: 'A longer warranty for one item',
          value: {
            items: [{ serial: 'SN0001', data: example.LONGER_WARRANTY }],
            note: 'Longer for this customer',
          },
        },
      },
    },
    responses: {
      200: json('The result of each row.', bulkWritten('UpdatedUnits'), {
        data: {
          updated: [
            { index: 0, ...example.exampleSummary({ ...example.exampleItem('SN0001'), ...example.CHANGED }) },
          ],
          errors: [],
          summary: { requested: 1, updated: 1, failed: 0 },
        },
      }),
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/products/:id/refresh',
    id: 'previewRefresh',
    tag: 'units',
    summary: 'How many units are outdated',
    description:
      'Those under this product, and itself if it is a unit; with the progress of a refresh that is under way.',
    parameters: [],
    responses: { 200: json('The count.', envelope(schema('RefreshPreview')), { data: { outdated: 2 } }) },
    errors: [],
  },
  {
    method: 'POST',
    path: '/products/:id/refresh',
    id: 'refreshProduct',
    tag: 'units',
    summary: 'Take over corrections',
    description:
      'Brings a unit, or every outdated unit under a product, up to the corrections made since it was issued: corrected fields only, its own values win. More than 500 go on behind the answer.',
    parameters: [],
    responses: {
      200: json('All done.', envelope(schema('Refreshed')), { data: REFRESHED }),
      202: json('Under way; GET shows the progress.', envelope(schema('Refreshed')), {
        data: { ...REFRESHED, refreshed: 0, pending: 8_000 },
      }),
    },
    errors: [],
  },
]
