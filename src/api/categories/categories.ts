/** The categories and their fields, for programs that read schemas. */
import { allCategories, type CompleteCategory } from '../../categories/catalogue.ts'
import { AUDIENCES } from '../../categories/field.ts'
import { describeCategory, summariseCategory } from '../../categories/schema/describe.ts'
import { buildRequestSchema } from '../../categories/schema/json-schema.ts'
import { cacheable } from '../endpoint/conditions.ts'
import {
  arrayOf,
  BOOLEAN,
  dataResponse,
  envelopeSchema,
  INTEGER,
  jsonResponse,
  objectSchema,
  schemaRef,
  TEXT,
  TEXTS,
} from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { choiceParameter, withDefault } from '../endpoint/query-parameters.ts'

export const listCategories = defineEndpoint({
  method: 'GET',
  path: '/categories',
  id: 'listCategories',
  tag: 'categories',
  summary: 'List the categories',
  description: 'Each category with its required fields and the address of its schema.',
  requestHeaders: [IF_NONE_MATCH],
  responses: {
    200: jsonResponse('All categories.', envelopeSchema(arrayOf(schemaRef('CategorySummary')))),
  },
  handle(call) {
    const summary = (category: CompleteCategory) =>
      summariseCategory(category, `${call.setup.addresses.apiUrl}/schema/${category.id}`)
    return cacheable(call, successJson(JSON.stringify(allCategories().map(summary))))
  },
})

export const readSchema = defineEndpoint({
  method: 'GET',
  path: '/schema/:category',
  id: 'getSchema',
  tag: 'categories',
  summary: 'Get the fields of a category',
  description:
    'As a field list, or with `format=json-schema` as JSON Schema 2020-12 for a validator or a form generator. Schemas grow, so read them instead of copying them.',
  query: {
    format: withDefault(
      choiceParameter('How the fields are described.', ['fields', 'json-schema']),
      'fields',
    ),
  },
  requestHeaders: [IF_NONE_MATCH],
  responses: {
    200: {
      ...dataResponse('The fields.', 'CategoryFields'),
      others: { 'application/schema+json': { type: 'object', additionalProperties: true } },
    },
  },
  handle(call) {
    const { category } = call.path
    if (call.query.format === 'fields') {
      return cacheable(call, successJson(JSON.stringify(describeCategory(category))))
    }
    const address = `${call.setup.addresses.apiUrl}/schema/${category.id}?format=json-schema`
    return cacheable(
      call,
      JSON.stringify(buildRequestSchema(category, address)),
      'application/schema+json; charset=utf-8',
    )
  },
})

const NUMBER = { type: 'number' }
const WIRE_TYPE = { type: 'string', enum: ['string', 'number', 'boolean', 'object', 'array'] }
const FIELDS = arrayOf(schemaRef('Field'))
const VALUES = {
  enum: TEXTS,
  open: { type: 'boolean', description: 'The list of values grows with the schema version.' },
  unit: TEXT,
  format: TEXT,
  minimum: NUMBER,
  maximum: NUMBER,
  min_length: { ...INTEGER, description: 'In code points; of each text, if localized.' },
  max_length: INTEGER,
  min_items: { ...INTEGER, description: 'Entries of a list, or languages of a localized field.' },
  max_items: INTEGER,
}
const ENTRY = objectSchema({ type: WIRE_TYPE, description: TEXT, ...VALUES, fields: FIELDS }, [
  'description',
  ...Object.keys(VALUES),
  'fields',
])

export const CATEGORY_SCHEMAS = {
  CategorySummary: objectSchema({
    id: TEXT,
    title: TEXT,
    schema_version: INTEGER,
    schema_url: { ...TEXT, format: 'uri' },
    required: TEXTS,
  }),
  Field: objectSchema(
    {
      name: TEXT,
      type: WIRE_TYPE,
      required: BOOLEAN,
      localized: BOOLEAN,
      audience: arrayOf({ type: 'string', enum: AUDIENCES }),
      ...VALUES,
      description: TEXT,
      items: { ...ENTRY, description: 'Only for an array: its entries.' },
      fields: FIELDS,
      sums_to: {
        ...objectSchema({ field: TEXT, total: { type: 'integer', const: 100 } }),
        description: 'The member of the entries whose values add up to exactly this total.',
      },
    },
    [...Object.keys(VALUES), 'items', 'fields', 'sums_to'],
  ),
  CategoryFields: objectSchema({
    category: TEXT,
    schema_version: INTEGER,
    fields: FIELDS,
  }),
}
