/** The OpenAPI document of `/dpp/v1`. */
import type { Addresses } from '../../passports/core/record.ts'
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import { IDEMPOTENCY_KEY, IF_MATCH } from '../endpoint/header-parameters.ts'
import { DPP_PREFIX } from './parse-target.ts'
import { MAX_PRODUCT_IDS } from './product-ids.ts'

const DESCRIPTION =
  'How other passport systems and authorities read the passports of this server, and how systems of its accounts write them. Built to open readings of EN 18222 and ' +
  'EN 18223, whose texts were not at hand; not certified. Everybody may read what is public. An access token shows what its ' +
  'audience may see, an API key everything of its own account but free-form keys. Identifiers in a path are percent-encoded once.'

const TEXT = { type: 'string' }
const URI = { type: 'string', format: 'uri' }

const REPRESENTATION = {
  name: 'representation',
  in: 'query',
  description: 'The form of the document.',
  schema: { type: 'string', enum: ['compressed', 'full'], default: 'compressed' },
}
const inPath = (name: string, description: string, example: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: TEXT,
  example,
})
const inQuery = (name: string, description: string, schema: object, required = false) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
})

const json = (schema: object) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const DOCUMENT_TYPES = {
  'application/json': { schema: ref('Document') },
  'application/ld+json': { schema: ref('Document') },
  'application/vc': {
    schema: {
      type: 'object',
      description: 'A credential of UNTP 0.7.0 with a proof; always what is public.',
    },
  },
  'application/vc+jwt': {
    schema: { ...TEXT, description: 'The same credential as a JWT.' },
  },
  'application/dc+sd-jwt': {
    schema: { ...TEXT, description: 'An SD-JWT VC with the disclosures that the reader may have.' },
  },
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'A parameter, an identifier or the body is not valid; one message for each violation.',
  401: 'The API key or access token is not valid.',
  403: 'The plan of the account does not include the API, or the credential may only read.',
  404: 'There is no such passport, version or element, or the reader may not see it.',
  406: 'Accept names none of the media types, or only credentials that this passport does not have.',
  409: 'A GTIN, lot, serial or identifier belongs to another passport, the parent is archived, or the Idempotency-Key is in use.',
  412: 'If-Match or If-None-Match does not hold.',
  413: 'The body is over 1 MiB, or over 128 KiB for a list of product identifiers.',
  415: 'The body is not JSON.',
  429: 'Too many requests; Retry-After says when to try again.',
  503: 'The database did not answer.',
}

/** Answers of HTTP itself to any request, not always as a `Result`: its address may not be known yet. */
const HTTP_ERRORS = {
  408: { description: 'The request did not arrive in time.' },
  414: { description: 'The address is over 8,192 characters.' },
  417: { description: 'An Expect header other than 100-continue.' },
  431: { description: 'The headers are over 16 KiB.' },
}

const errorResponses = (statuses: readonly number[]) => ({
  ...Object.fromEntries(
    statuses.map(status => [status, { description: ERRORS[status], content: json(ref('Result')) }]),
  ),
  ...HTTP_ERRORS,
})

const READ_ERRORS = [400, 401, 403, 404, 406, 429, 503]

/** A read of one document, or of a part of it. */
const read = (
  operationId: string,
  summary: string,
  parameters: readonly object[],
  content: object = DOCUMENT_TYPES,
) => ({
  get: {
    operationId,
    summary,
    security: [{}, { bearer: [] }],
    parameters,
    responses: {
      200: { description: 'As this reader may see it.', content },
      304: { description: 'Not changed since the ETag of If-None-Match.' },
      ...errorResponses(READ_ERRORS),
    },
  },
})

const HEADERS = [IF_MATCH, IDEMPOTENCY_KEY]

const CHANGE_QUERY = [
  inQuery('change_type', 'Whether the product has changed, or the data was wrong.', {
    type: 'string',
    enum: CHANGE_TYPES,
    default: 'change',
  }),
  inQuery('note', 'Reason for the change, stored in the history.', { ...TEXT, minLength: 1, maxLength: 500 }),
]

const WRITE_ERRORS = [400, 401, 403, 404, 412, 429, 503]

/** A write, with an API key of full scope alone. */
const write = (
  operation: { operationId: string; summary: string; description?: string },
  parameters: readonly object[],
  { body, answer }: { body?: object; answer: object },
  errors: readonly number[] = [],
) => ({
  ...operation,
  security: [{ bearer: [] }],
  parameters,
  ...(body && { requestBody: { required: true, content: body } }),
  responses: {
    200: { description: 'Done, and as this account reads it now.', content: answer },
    ...errorResponses([...WRITE_ERRORS, ...errors].toSorted()),
  },
})

const NOT_OFFERED = { 501: { description: 'The full form cannot be written; no body.' } }

const MERGE_PATCH = {
  'application/merge-patch+json': { schema: { type: 'object' } },
  'application/json': { schema: { type: 'object' } },
}
const ANY_VALUE = { description: 'Any JSON value.' }
const ELEMENT = { 'application/json': { schema: ANY_VALUE } }

const CREATE = {
  operationId: 'CreateDPP',
  summary: 'Create a passport',
  description:
    'From a document in the compressed form. The GS1 Digital Link in uniqueProductIdentifier decides the level: a GTIN (01) is a model, with a lot (10) a batch, with a serial (21) an item; units need their model, and their batch, in the account. The category comes from contentSpecificationIds or passportRecord. A digitalProductPassportId of another system is kept.',
  security: [{ bearer: [] }],
  parameters: [REPRESENTATION, IDEMPOTENCY_KEY],
  requestBody: { required: true, content: json({ type: 'object' }) },
  responses: {
    201: {
      description: 'Created. Location has its address.',
      content: json({
        type: 'object',
        required: ['digitalProductPassportId'],
        properties: { digitalProductPassportId: URI },
      }),
    },
    ...errorResponses([400, 401, 403, 409, 413, 415, 429, 503]),
    ...NOT_OFFERED,
  },
}

/** UpdateDPPById, DeleteDPPById. */
function buildChanges(dppId: object) {
  const update = write(
    {
      operationId: 'UpdateDPPById',
      summary: 'Change a passport',
      description:
        'A merge patch (RFC 7396) on the compressed form as this account reads it. dppStatus alone archives or restores. Members of the header may be sent with their present values.',
    },
    [dppId, REPRESENTATION, ...CHANGE_QUERY, ...HEADERS],
    { body: MERGE_PATCH, answer: json(ref('Document')) },
    [409, 413, 415],
  )
  return {
    patch: { ...update, responses: { ...update.responses, ...NOT_OFFERED } },
    delete: write(
      {
        operationId: 'DeleteDPPById',
        summary: 'Archive a passport',
        description:
          'A passport is never deleted: its address keeps answering. Repeating it changes nothing.',
      },
      [dppId, ...HEADERS],
      { answer: json(ref('Result')) },
    ),
  }
}

const updateElement = (parameters: readonly object[]) => ({
  patch: write(
    {
      operationId: 'UpdateDataElement',
      summary: 'Set or remove one element of a passport',
      description:
        'The bare value in the compressed form, or a data element, which has an objectType. null removes. Only the last step of the path may be new.',
    },
    [...parameters, ...CHANGE_QUERY, ...HEADERS],
    { body: ELEMENT, answer: ELEMENT },
    [409, 413, 415],
  ),
})

const LIST_IDS = {
  operationId: 'ReadDPPIdsByProductIds',
  summary: 'The identifiers of passports by those of their products',
  security: [{}, { bearer: [] }],
  parameters: [
    inQuery('limit', 'How many product identifiers a page looks up.', {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PRODUCT_IDS,
      default: MAX_PRODUCT_IDS,
    }),
    inQuery('cursor', 'nextCursor of the page before.', TEXT),
  ],
  requestBody: {
    required: true,
    content: json({ oneOf: [ref('ProductIds'), ref('ProductIdList')] }),
  },
  responses: {
    200: {
      description: 'In the order of the request; unknown ones are left out.',
      content: json(ref('DppIds')),
    },
    ...errorResponses([400, 401, 403, 413, 415, 429, 503]),
  },
}

/** EN 18222 has it, so generated clients look for it here. */
const REGISTER = {
  operationId: 'RegisterProductDPP',
  summary: 'Register a passport: not offered',
  description: 'An operation of the EU registry. This server is none, and answers 501 to everybody.',
  security: [{}, { bearer: [] }],
  responses: {
    ...errorResponses([401, 403, 413, 415, 429, 503]),
    501: { description: 'Not offered; no body.' },
  },
}

function buildPaths(addresses: Addresses) {
  const dppId = inPath(
    'dppId',
    'The digitalProductPassportId, or the 26 characters at the end of the address of its page.',
    `${addresses.publicUrl}/p/01m45m2vp0fqh9ek41pvnj0nca`,
  )
  const elementParameters = [
    dppId,
    inPath(
      'elementIdPath',
      'A singular query of RFC 9535 in the compressed document.',
      "$['repair']['instructions'][0]",
    ),
    REPRESENTATION,
  ]
  return {
    '/dpps': { post: CREATE },
    '/dpps/{dppId}': {
      ...read('ReadDPPById', 'A passport by its identifier', [
        dppId,
        REPRESENTATION,
        inQuery('version', 'An earlier version.', { type: 'integer', minimum: 1 }),
      ]),
      ...buildChanges(dppId),
    },
    '/dppsByProductId/{productId}': read(
      'ReadDPPByProductId',
      'A passport by the identifier of its product',
      [
        inPath(
          'productId',
          'A GS1 Digital Link of any host, or the address of a passport. Only exactly this model, lot or item is found.',
          `${addresses.publicUrl}/01/09506000134352/21/A0001`,
        ),
        REPRESENTATION,
      ],
    ),
    '/dppsByIdAndDate/{dppId}': read('ReadDPPVersionByIdAndDate', 'A passport as it was at a time', [
      dppId,
      inQuery('date', 'A time with an offset.', { type: 'string', format: 'date-time' }, true),
      REPRESENTATION,
    ]),
    '/dpps/{dppId}/elements/{elementIdPath}': {
      ...read('ReadDataElement', 'One element of a passport', elementParameters, {
        'application/json': { schema: ANY_VALUE },
        'application/ld+json': { schema: ANY_VALUE },
      }),
      ...updateElement(elementParameters),
    },
    '/dppsByProductIds': { post: LIST_IDS },
    '/registerDPP': { post: REGISTER },
  }
}

export const buildDppOpenapi = (addresses: Addresses, version: string) => {
  return {
    openapi: '3.1.1',
    info: { title: 'Carnet: passports for other systems', version, description: DESCRIPTION },
    servers: [{ url: `${addresses.publicUrl}${DPP_PREFIX}` }],
    paths: buildPaths(addresses),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token.' },
      },
      schemas: SCHEMAS,
    },
  }
}

const SCHEMAS = {
  Document: {
    type: 'object',
    required: [
      'digitalProductPassportId',
      'uniqueProductIdentifier',
      'granularity',
      'dppStatus',
      'lastUpdated',
    ],
    properties: {
      digitalProductPassportId: URI,
      uniqueProductIdentifier: URI,
      granularity: { enum: ['model', 'batch', 'item'] },
      dppSchemaVersion: TEXT,
      dppStatus: { enum: ['active', 'archived'] },
      lastUpdated: { type: 'string', format: 'date-time' },
      economicOperatorId: TEXT,
      facilityId: TEXT,
      contentSpecificationIds: { type: 'array', items: URI },
      elements: { type: 'array', items: { type: 'object' }, description: 'Only in the full form.' },
    },
  },
  ProductIdList: { type: 'array', items: TEXT, minItems: 1, maxItems: MAX_PRODUCT_IDS },
  ProductIds: {
    type: 'object',
    required: ['productIds'],
    properties: { productIds: ref('ProductIdList') },
  },
  DppIds: {
    type: 'object',
    required: ['dppIds'],
    properties: {
      dppIds: { type: 'array', items: URI },
      nextCursor: { ...TEXT, description: 'Only when there is more.' },
    },
  },
  Result: {
    type: 'object',
    required: ['statusCode', 'message'],
    properties: {
      statusCode: TEXT,
      message: {
        type: 'array',
        items: {
          type: 'object',
          required: ['messageType', 'text', 'code', 'correlationId', 'timestamp'],
          properties: {
            messageType: { enum: ['Error', 'Info'] },
            text: TEXT,
            code: {
              ...TEXT,
              description: 'The code of the API, and after a colon that of the violation.',
            },
            correlationId: TEXT,
            timestamp: { type: 'string', format: 'date-time' },
          },
        },
      },
    },
  },
}
