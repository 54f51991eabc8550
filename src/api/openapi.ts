/** The description of this API, made from the same field table and record as the code; a test holds it against the routes. */
import { allCategories } from '../categories/catalogue.ts'
import { categorySchema } from '../categories/json-schema.ts'
import { cacheable } from './categories.ts'
import type { Operation } from './operation-parts.ts'
import { OPERATIONS } from './operations.ts'
import type { Answer, ApiSetup, OpenCall } from './route.ts'
import { SCHEMAS } from './schemas.ts'

const documents = new WeakMap<ApiSetup, string>()

export function openapi(call: OpenCall): Answer {
  let text = documents.get(call.setup)
  if (text === undefined) {
    text = JSON.stringify(openapiDocument(call.setup))
    documents.set(call.setup, text)
  }
  return cacheable(call, text)
}

/** OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). */
export function openapiDocument(setup: Pick<ApiSetup, 'addresses' | 'version'>) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carnet',
      version: setup.version,
      summary: 'Digital product passports',
      description:
        'Stores digital product passports for an account and serves them: create and change them here, the public page, ' +
        'its JSON-LD and its QR code follow. Every change is a new version; none is ever lost.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: setup.addresses.apiUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'products', description: 'Product passports: models, batches and items.' },
      {
        name: 'units',
        description: 'Batches and items under a product, and the corrections that reach them.',
      },
      { name: 'categories', description: 'Which fields a passport of a category has.' },
      { name: 'service', description: 'The service itself.' },
    ],
    paths: paths(),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, made in the account settings.' },
      },
      schemas: { ...SCHEMAS, ...categorySchemas(), ProductData: productData() },
      responses: RESPONSES,
      headers: HEADERS,
    },
  }
}

const schemaName = (category: string) => `${category[0]?.toUpperCase()}${category.slice(1)}Data`

const categorySchemas = () =>
  Object.fromEntries(allCategories().map(category => [schemaName(category.id), categorySchema(category)]))

const productData = () => ({
  description: 'The fields of the category; free-form keys besides are kept for the account alone.',
  anyOf: allCategories().map(category => ({ $ref: `#/components/schemas/${schemaName(category.id)}` })),
})

const HEADERS = {
  'X-Request-Id': { description: 'Names this request in our logs.', schema: { type: 'string' } },
  ETag: {
    description: 'Validator of this answer, for If-None-Match and If-Match.',
    schema: { type: 'string' },
  },
}

const refusal = (description: string) => ({
  description,
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const RESPONSES = {
  400: refusal('The request cannot be read: `bad_request`.'),
  401: refusal('Missing or invalid API key: `unauthorized`.'),
  403: refusal('Not allowed to this key or account: `read_only`, `plan_required`, `plan_limit`.'),
  404: refusal('Nothing of this account is there: `not_found`.'),
  405: refusal('Another method: `method_not_allowed`, with `Allow`.'),
  409: refusal('In the way of something: `gtin_taken`, or `archived` for a new unit of an archived product.'),
  412: refusal('The product is at another version: `version_conflict`.'),
  413: refusal('The body is over 1 MiB: `payload_too_large`.'),
  415: refusal('The body is not JSON in UTF-8: `unsupported_media_type`.'),
  422: refusal('Something sent is not valid: `validation`, every violation in `errors`.'),
  500: refusal('A fault of ours: `internal`.'),
  503: refusal('The store does not answer: `unavailable`, with `Retry-After`.'),
}

function paths() {
  const byPath: Record<string, Record<string, unknown>> = {}
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    byPath[path] = { ...byPath[path], [operation.method.toLowerCase()]: describe(operation, path) }
  }
  return byPath
}

const WRITE_REFUSALS = ['400', '413', '415']

export function describe(operation: Operation, path: string) {
  const pathParameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const refusals = [
    ...(operation.open ? [] : ['401', '403', '405', '422']),
    ...(operation.body ? WRITE_REFUSALS : []),
    ...operation.refusals.map(String),
    '500',
    '503',
  ]
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...(operation.open ? { security: [] } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: [...pathParameters, ...operation.parameters],
    ...(operation.body ? { requestBody: requestBody(operation.body) } : {}),
    responses: {
      ...operation.responses,
      ...Object.fromEntries(
        [...new Set(refusals)].sort().map(status => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  }
}

const requestBody = ({ required = true, ...content }: { required?: boolean }) => ({
  required,
  content: { 'application/json': content },
})
