/** What the OpenAPI document says of the service itself and of the categories. */

import {
  envelope,
  IF_NONE_MATCH,
  json,
  notModified,
  type Operation,
  queryParameter,
  schema,
} from '../endpoint/operation-parts.ts'
import { HEALTH } from '../products/examples.ts'

export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/health',
    id: 'getHealth',
    tag: 'service',
    summary: 'Whether the service can do its work',
    description: 'Needs no key and is never refused; whatever follows its address is passed over.',
    open: true,
    parameters: [],
    responses: {
      200: json('It can.', envelope(schema('Health')), { data: HEALTH }),
      503: json(
        'The database does not answer.',
        envelope(schema('Health')),
        { data: { ...HEALTH, status: 'unavailable' } },
        ['Retry-After'],
      ),
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenapi',
    tag: 'service',
    summary: 'This document',
    description:
      'OpenAPI 3.1. Needs no key, and pages of any origin may read it. As a page it is at `/docs`.',
    open: true,
    parameters: [IF_NONE_MATCH],
    responses: {
      200: json('The document.', { type: 'object', additionalProperties: true }, undefined, ['ETag']),
      304: notModified,
    },
    errors: ['bad_request', 'rate_limited', 'validation'],
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
      200: json('All categories.', envelope({ type: 'array', items: schema('CategorySummary') }), undefined, [
        'ETag',
      ]),
      304: notModified,
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/schema/:category',
    id: 'getSchema',
    tag: 'categories',
    summary: 'The fields of a category',
    description:
      'As a field list, or with `format=json-schema` as JSON Schema 2020-12 for a validator or a form generator. Schemas grow: read them, do not copy them.',
    parameters: [
      queryParameter('format', 'How to describe them.', {
        type: 'string',
        enum: ['fields', 'json-schema'],
        default: 'fields',
      }),
      IF_NONE_MATCH,
    ],
    responses: {
      200: {
        ...json('The fields.', envelope(schema('CategoryFields')), undefined, ['ETag']),
        others: { 'application/schema+json': { type: 'object', additionalProperties: true } },
      },
      304: notModified,
    },
    errors: [],
  },
]
