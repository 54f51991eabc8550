/** The responses of the OpenAPI document: the kind of an endpoint decides which errors it can answer with. */
import type { ErrorCode } from '../../kernel/errors/errors.ts'
import type { DocumentedResponse } from '../endpoint/documented-response.ts'
import { type Endpoint, isWrite } from '../endpoint/endpoint.ts'
import { ERROR_CATALOGUE, HTTP_ERRORS } from '../endpoint/error-catalogue.ts'
import { STATUS } from '../endpoint/errors.ts'
import { IF_NONE_MATCH, STRICT } from '../endpoint/header-parameters.ts'
import { RESPONSE_HEADERS } from '../endpoint/response-headers.ts'

const HEADERS_OF_ALL = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const

/** Errors of every endpoint that needs a key. */
const ERRORS_WITH_KEY: readonly ErrorCode[] = [
  'bad_request',
  'unauthorized',
  'plan_required',
  'rate_limited',
  'validation',
  'internal',
  'unavailable',
]
/** Errors of every endpoint that writes, with or without a body. */
const ERRORS_OF_WRITES: readonly ErrorCode[] = [
  'read_only',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_in_progress',
]

/** PUT creates what does not exist. */
export const canBeNotFound = ({ path, method }: Pick<Endpoint, 'path' | 'method'>) =>
  path.includes(':') && method !== 'PUT'

/** Every error code an endpoint itself can answer with, by status. */
export function listErrors(endpoint: Endpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...(endpoint.isPublic ? [] : ERRORS_WITH_KEY),
    ...(isWrite(endpoint) ? ERRORS_OF_WRITES : []),
    ...(canBeNotFound(endpoint) ? (['not_found'] as const) : []),
    ...(endpoint.errors ?? []),
  ])
  return sortByStatus(codes)
}

const sortByStatus = (codes: Iterable<ErrorCode>) =>
  [...codes].sort((a, b) => STATUS[a] - STATUS[b] || a.localeCompare(b))

/** With the errors that HTTP causes before the endpoint sees the request. */
const groupByStatus = (endpoint: Endpoint) =>
  Map.groupBy(sortByStatus(new Set([...listErrors(endpoint), ...HTTP_ERRORS])), code => STATUS[code])

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** All responses of an endpoint: its own, and a reference for each error status. */
export function buildResponses(endpoint: Endpoint): Record<string, object> {
  return {
    ...Object.fromEntries(
      Object.entries(endpoint.responses).map(([status, response]) => [
        status,
        buildResponse(endpoint, response),
      ]),
    ),
    ...(isConditional(endpoint) ? { 304: buildResponse(endpoint, NOT_MODIFIED) } : {}),
    ...Object.fromEntries(
      [...groupByStatus(endpoint)].map(([status, codes]) => [
        status,
        { $ref: `#/components/responses/${componentName(codes)}` },
      ]),
    ),
  }
}

/** Returns true if the endpoint answers `If-None-Match` with 304. */
const isConditional = ({ requestHeaders }: Endpoint) => requestHeaders?.includes(IF_NONE_MATCH) ?? false

const NOT_MODIFIED: DocumentedResponse = {
  description: 'The client already has this response (`If-None-Match`).',
}

function buildResponse(endpoint: Endpoint, response: DocumentedResponse) {
  const { description, schema, type = 'application/json', example, headers = [], others = {} } = response
  const names = [
    ...HEADERS_OF_ALL,
    ...(isConditional(endpoint) ? ['ETag'] : []),
    ...headers,
    ...(isWrite(endpoint) ? ['Idempotency-Replayed'] : []),
    ...(endpoint.requestHeaders?.includes(STRICT) ? ['Preference-Applied'] : []),
    ...(endpoint.deprecated ? ['Deprecation', 'Sunset'] : []),
  ]
  const more = Object.entries(others).map(([name, of]) => [name, { schema: of }])
  const content = schema && { [type]: { schema, example }, ...Object.fromEntries(more) }
  return { description, headers: headerRefs(names), content }
}

const componentName = (codes: readonly ErrorCode[]) => codes.join('.')

/** The error responses that endpoints refer to: one for each set of codes that share a status somewhere. */
export function buildErrorResponses(endpoints: readonly Endpoint[]): Record<string, object> {
  const sets = endpoints.flatMap(endpoint => [...groupByStatus(endpoint).values()])
  return Object.fromEntries(
    sets
      .map(codes => [componentName(codes), buildErrorResponse(codes)] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  )
}

function buildErrorResponse(codes: readonly ErrorCode[]) {
  const own = codes.flatMap(code => ERROR_CATALOGUE[code].headers ?? [])
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CATALOGUE[code].when}`).join(' '),
    headers: headerRefs([...HEADERS_OF_ALL, ...new Set(own)]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

/** A body for each code, as the server sends it. */
export const buildErrorExamples = () =>
  Object.fromEntries(
    Object.entries(ERROR_CATALOGUE).map(([code, { when, sentence, errors }]) => {
      const request_id = RESPONSE_HEADERS['X-Request-Id'].example
      return [code, { summary: when, value: { error: sentence, code, errors, request_id } }]
    }),
  )
