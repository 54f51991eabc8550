/** The description of this API, made from the same tables as the code; tests hold it against the running server. */
import { allCategories } from '../../categories/catalogue.ts'
import { buildRequestSchema } from '../../categories/schema/json-schema.ts'
import type { ApiResponse, ApiSetup, OpenCall } from '../endpoint/endpoint.ts'
import { IDEMPOTENCY_KEY, type Operation, PATH_PARAMETERS } from '../endpoint/operation-parts.ts'
import { readQuery } from '../endpoint/query.ts'
import { documentResponse, type PreparedDocument, prepareDocument } from '../endpoint/ready-document.ts'
import { HEADERS } from '../endpoint/response-headers.ts'
import { OPERATIONS } from './operations.ts'
import { SCAN_SCHEMAS } from './operations-scans.ts'
import { buildErrorExamples, buildErrorResponses, buildResponses, isWrite } from './responses.ts'
import { SCHEMAS } from './schemas.ts'
import { EVENT_HEADERS, EVENT_SCHEMAS, webhooks } from './webhooks.ts'

const documents = new WeakMap<ApiSetup, PreparedDocument>()

export function openapi(call: OpenCall): ApiResponse {
  readQuery(call.query, {})
  let document = documents.get(call.setup)
  if (document === undefined) {
    document = prepareDocument(JSON.stringify(buildOpenapiDocument(call.setup)), {
      'cache-control': 'public, no-cache',
      // It holds no account's data, and tools that read it are pages of their own.
      'access-control-allow-origin': '*',
    })
    documents.set(call.setup, document)
  }
  return documentResponse(call, document)
}

const DESCRIPTION =
  'Stores digital product passports for an account and serves them: create and change them here; the public page, its ' +
  'JSON-LD and its QR code follow. Every change is a new version, and none is ever lost. `/api/v1` only grows: new ' +
  'members, values, parameters and codes may appear, nothing is removed or narrowed. What must break goes to `/api/v2`, ' +
  'after twelve months of both, announced by the headers `Deprecation` and `Sunset`.'

const TAGS = [
  { name: 'products', description: 'Product passports: models, batches and items.' },
  { name: 'units', description: 'Batches and items under a product, and the corrections that reach them.' },
  { name: 'scans', description: 'How often passports were read.' },
  { name: 'categories', description: 'Which fields a passport of a category has.' },
  { name: 'service', description: 'The service itself.' },
  { name: 'webhooks', description: 'What the service sends to you.' },
]

export type OpenapiDocument = ReturnType<typeof buildOpenapiDocument>

/** OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). */
export function buildOpenapiDocument(setup: Pick<ApiSetup, 'addresses' | 'version'>) {
  return {
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
    tags: TAGS.filter(({ name }) => name === 'webhooks' || OPERATIONS.some(one => one.tag === name)),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, made in the console or on the command line; it begins with `dpp_live_`.',
        },
      },
      parameters: { 'Idempotency-Key': IDEMPOTENCY_KEY, ...EVENT_HEADERS },
      headers: HEADERS,
      schemas: {
        ...SCHEMAS,
        ...newProducts(),
        ...categorySchemas(),
        ...productData(),
        ...SCAN_SCHEMAS,
        ...EVENT_SCHEMAS,
      },
      responses: buildErrorResponses(OPERATIONS),
      examples: buildErrorExamples(),
    },
  }
}

const capital = (category: string) => `${category[0]?.toUpperCase()}${category.slice(1)}`
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function categorySchemas() {
  return Object.fromEntries(
    allCategories().map(category => {
      // Inside a document the dialect is the document's.
      const { $schema: _, ...own } = buildRequestSchema(category)
      return [`${capital(category.id)}Data`, own]
    }),
  )
}

const productData = () => ({
  ProductData: {
    description: 'The fields of the category; free-form keys besides are kept for the account alone.',
    anyOf: allCategories().map(category => ref(`${capital(category.id)}Data`)),
  },
})

/** The body of a creation: which fields `data` has follows from `category`. */
function newProducts() {
  const names = allCategories().map(({ id }) => [id, `New${capital(id)}`] as const)
  const one = (id: string) => ({
    type: 'object',
    properties: { category: { type: 'string', const: id }, data: ref(`${capital(id)}Data`) },
    required: ['category', 'data'],
    additionalProperties: false,
  })
  return {
    NewProduct: {
      oneOf: names.map(([, name]) => ref(name)),
      discriminator: {
        propertyName: 'category',
        mapping: Object.fromEntries(names.map(([id, name]) => [id, ref(name).$ref])),
      },
    },
    ...Object.fromEntries(names.map(([id, name]) => [name, one(id)])),
  }
}

function paths() {
  const byPath: Record<string, Record<string, object>> = {}
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    byPath[path] = { ...byPath[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return byPath
}

/** An operation as the document has it. */
export function describe(operation: Operation) {
  const inPath = Array.from(operation.path.matchAll(/:(\w+)/g), ([, name]) => {
    const parameter = PATH_PARAMETERS[name ?? '']
    if (parameter === undefined)
      throw new Error(`the parameter ${name} of ${operation.path} is not described`)
    return { ...parameter, in: 'path', required: true }
  })
  const everyWrite = isWrite(operation) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(operation.open ? { security: [] } : {}),
    parameters: [...inPath, ...operation.parameters, ...everyWrite],
    ...(operation.body ? { requestBody: requestBody(operation.body) } : {}),
    responses: buildResponses(operation),
  }
}

const requestBody = ({ required = true, ...content }: NonNullable<Operation['body']>) => ({
  required,
  content: { 'application/json': content },
})
