/** The OpenAPI document, made from the endpoints; tests compare it with the running server. */
import { DOCUMENT_TYPE, PICTURE_TYPES } from '../../media/files/media-type.ts'
import { arrayOf, INTEGER, objectSchema, schemaRef, TEXT } from '../endpoint/documented-response.ts'
import { type AccountEndpoint, type ApiSetup, type Endpoint, isWrite } from '../endpoint/endpoint.ts'
import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../endpoint/error-catalogue.ts'
import { IDEMPOTENCY_KEY } from '../endpoint/header-parameters.ts'
import { PATH_PARAMETERS } from '../endpoint/path-parameters.ts'
import { RESPONSE_HEADERS } from '../endpoint/response-headers.ts'
import { buildErrorExamples, buildErrorResponses, buildResponses } from './responses.ts'
import { buildWebhooks, EVENT_HEADERS, EVENT_SCHEMAS } from './webhooks.ts'

const DESCRIPTION =
  'Stores and serves digital product passports. Create and change them here; the public page, its JSON-LD and its QR ' +
  'code follow. Every change is a new version, and no version is ever lost. `/api/v1` only grows: new members, values, ' +
  'parameters and codes may appear, and nothing is removed or narrowed. A breaking change goes to `/api/v2`. Both then ' +
  'run for twelve months, and the headers `Deprecation` and `Sunset` announce the end of the old one.'

const TAGS = [
  { name: 'products', description: 'Product passports: models, batches and items.' },
  { name: 'units', description: 'Batches and items under a product, and the corrections that affect them.' },
  { name: 'in_use', description: 'What is measured at items in use.' },
  {
    name: 'events',
    description: 'What happens to batches and items in use: repairs, accidents, the end of life.',
  },
  {
    name: 'recalls',
    description: 'Notices that the pages of products and of everything beneath them show first.',
  },
  { name: 'drafts', description: 'Products and changes that are prepared before anybody sees them.' },
  { name: 'readiness', description: 'What the law still wants of a passport.' },
  { name: 'registry', description: 'Lines of passports for the EU registry, and what it answers.' },
  { name: 'media', description: 'Pictures and documents, to which passports refer.' },
  { name: 'offers', description: 'What readers of passports can do: repair, take-back and more.' },
  { name: 'scans', description: 'How often passports were read.' },
  { name: 'categories', description: 'Which fields a passport of a category has.' },
  { name: 'service', description: 'The service itself.' },
  { name: 'webhooks', description: 'What the service sends to you.' },
]

/** The schemas that all endpoints share. */
const SHARED_SCHEMAS = {
  Detail: objectSchema(
    {
      field: {
        ...TEXT,
        description: 'The field in a form that people can read.',
        examples: ['fiberComposition[1].percentage'],
      },
      pointer: {
        ...TEXT,
        description: 'RFC 6901, from the root of the body; parameters are under `/query`.',
        examples: ['/data/fiberComposition/1/percentage'],
      },
      code: {
        ...TEXT,
        description: 'Error code, for programs.',
        examples: Object.keys(DETAIL_CATALOGUE),
      },
      message: { ...TEXT, description: 'One sentence for a person.' },
      index: { ...INTEGER, description: 'In bulk calls: the position of the row.' },
    },
    ['index'],
  ),
  Error: objectSchema(
    {
      error: { ...TEXT, description: 'One sentence for a person.' },
      code: { ...TEXT, description: 'Error code, for programs.', examples: Object.keys(ERROR_CATALOGUE) },
      errors: arrayOf(schemaRef('Detail')),
      truncated: { type: 'boolean', description: 'There were more than 100 violations.' },
      request_id: { ...TEXT, description: 'Quote it when you report a problem.' },
    },
    ['errors', 'truncated'],
  ),
}

/** OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). Members that are undefined are not in its JSON. */
export function buildOpenapiDocument(
  setup: Pick<ApiSetup, 'addresses' | 'version'>,
  { endpoints, schemas }: { endpoints: readonly Endpoint[]; schemas: Readonly<Record<string, object>> },
) {
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Carnet',
      version: setup.version,
      summary: 'Digital product passports',
      description: DESCRIPTION,
      contact: { name: 'The operator of this Carnet', url: setup.addresses.publicUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: setup.addresses.apiUrl }],
    security: [{ apiKey: [] }],
    tags: TAGS.filter(({ name }) => name === 'webhooks' || endpoints.some(({ tag }) => tag === name)),
    paths: buildPaths(endpoints),
    webhooks: buildWebhooks(),
  }
  const components = {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, created in the console or on the command line. It starts with `dpp_live_`.',
      },
    },
    parameters: { 'Idempotency-Key': IDEMPOTENCY_KEY, ...EVENT_HEADERS },
    headers: RESPONSE_HEADERS,
    schemas: { ...schemas, ...SHARED_SCHEMAS, ...EVENT_SCHEMAS },
    responses: buildErrorResponses(endpoints),
    examples: buildErrorExamples(),
  }
  return { ...document, components: dropUnused(components, document) }
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

/** Drops what nothing refers to, such as headers of deprecated calls, then what only that referred to. */
function dropUnused(components: Components, document: object): Components {
  const text = JSON.stringify([components, document])
  const isUsed = (kind: string, name: string) =>
    kind === 'securitySchemes' || text.includes(`"#/components/${kind}/${name}"`)
  const kept = Object.fromEntries(
    Object.entries(components).map(([kind, of]) => [
      kind,
      Object.fromEntries(Object.entries(of).filter(([name]) => isUsed(kind, name))),
    ]),
  )
  return JSON.stringify([kept, document]).length === text.length ? kept : dropUnused(kept, document)
}

function buildPaths(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: buildOperation(endpoint) }
  }
  return paths
}

export function buildOperation(endpoint: Endpoint) {
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [endpoint.tag],
    deprecated: endpoint.deprecated && true,
    security: endpoint.isPublic ? [] : undefined,
    parameters: [
      ...buildPathParameters(endpoint),
      ...buildQueryParameters(endpoint),
      ...(endpoint.requestHeaders ?? []),
      ...(isWrite(endpoint) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    ],
    requestBody: endpoint.isPublic ? undefined : buildRequestBody(endpoint),
    responses: buildResponses(endpoint),
  }
}

const buildPathParameters = ({ pathParameterNames }: Endpoint) =>
  pathParameterNames.map(name => {
    const { description, schema, example } = PATH_PARAMETERS[name]
    return { name, in: 'path', required: true, description, schema, example }
  })

const buildQueryParameters = ({ query }: Endpoint) =>
  Object.entries(query).map(([name, { description, schema, example }]) => ({
    name,
    in: 'query',
    description,
    schema,
    example,
  }))

function buildRequestBody({ body, takesFile }: AccountEndpoint) {
  if (body === undefined) return undefined
  const { isOptional, schema, examples } = body
  const content = { 'application/json': { schema, examples }, ...(takesFile ? FILE_CONTENT : {}) }
  return { required: isOptional !== true, content }
}

const FILE = { type: 'string', format: 'binary' }
const FILE_CONTENT = {
  ...Object.fromEntries(
    [...Object.values(PICTURE_TYPES), DOCUMENT_TYPE].map(type => [type, { schema: FILE }]),
  ),
  'multipart/form-data': {
    schema: { type: 'object', properties: { file: FILE }, required: ['file'] },
  },
}
