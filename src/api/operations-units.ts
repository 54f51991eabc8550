/** What the OpenAPI document says of batches and items. */
import {
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
  query,
  STRICT,
  schema,
  UNIT,
  UNIT_LEVEL,
  written,
} from './operation-parts.ts'

export const UNIT_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/products/:id/children',
    id: 'listChildren',
    tag: 'units',
    summary: 'The units under a product',
    description: 'Batches and items issued directly under a model or a batch, newest first.',
    parameters: [
      query('level', 'Which level.', { type: 'string', enum: ['batch', 'item', 'all'], default: 'all' }),
      ...LIST_FILTERS,
      PAGE,
      LIMIT,
      CURSOR,
    ],
    responses: { 200: json('A page of units.', list('ProductSummary')) },
    refusals: [404],
  },
  {
    method: 'POST',
    path: '/products/:id/children',
    id: 'createChildren',
    tag: 'units',
    summary: 'Issue batches or items',
    description:
      'One unit, or up to 500 in `items`. A unit inherits what its model or batch reads as now and sends only its own fields. In bulk, good rows are kept and bad ones reported.',
    parameters: [DRY_RUN, STRICT],
    body: {
      schema: {
        anyOf: [
          {
            type: 'object',
            properties: { level: UNIT_LEVEL, ...UNIT },
            required: ['level'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: {
              level: UNIT_LEVEL,
              items: {
                type: 'array',
                minItems: 1,
                maxItems: 500,
                items: { type: 'object', properties: UNIT, additionalProperties: false },
              },
            },
            required: ['level', 'items'],
            additionalProperties: false,
          },
        ],
      },
      examples: {
        item: {
          summary: 'One item',
          value: { level: 'item', serial: 'SN0001', data: { stateOfHealth: 100 } },
        },
        bulk: {
          summary: 'Two items',
          value: { level: 'item', items: [{ serial: 'SN0002' }, { serial: 'SN0003' }] },
        },
      },
    },
    responses: {
      201: json('The unit, or the result of each row.', {
        anyOf: [written, envelope(schema('CreatedUnits'))],
      }),
    },
    refusals: [404, 409],
  },
  {
    method: 'POST',
    path: '/products/:id/children/update',
    id: 'updateChildren',
    tag: 'units',
    summary: 'Change many units',
    description:
      'Up to 500 in a call, each found by its serial or lot: a fleet\u2019s state of health overnight.',
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
        health: {
          summary: 'State of health',
          value: { items: [{ serial: 'SN0001', data: { stateOfHealth: 96.5 } }] },
        },
      },
    },
    responses: { 200: json('The result of each row.', envelope(schema('UpdatedUnits'))) },
    refusals: [404],
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
    responses: { 200: json('The count.', envelope(schema('RefreshPreview'))) },
    refusals: [404],
  },
  {
    method: 'POST',
    path: '/products/:id/refresh',
    id: 'refreshProduct',
    tag: 'units',
    summary: 'Take over corrections',
    description:
      'Brings a unit, or every outdated unit under a product, up to the corrections made since it was issued: corrected fields only, its own values win. More than 500 go on behind the answer (202).',
    parameters: [],
    responses: {
      200: json('All done.', envelope(schema('Refreshed'))),
      202: json('Under way; GET shows the progress.', envelope(schema('Refreshed'))),
    },
    refusals: [404],
  },
]
