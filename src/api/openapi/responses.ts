/** The answers of the OpenAPI document: which refusals a call can meet follows from what kind of call it is. */
import type { ErrorCode } from '../../kernel/errors.ts'
import { ERROR_CATALOGUE, ERRORS_BEFORE_ROUTING, type ErrorDescription } from '../endpoint/error-catalogue.ts'
import { STATUS } from '../endpoint/errors.ts'
import type { Operation, Success } from '../endpoint/operation-parts.ts'
import { HEADERS } from '../endpoint/response-headers.ts'

const ON_EVERY_ANSWER = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const

/** Every call with a key can meet these. */
const WITH_A_KEY: readonly ErrorCode[] = [
  'bad_request',
  'unauthorized',
  'plan_required',
  'rate_limited',
  'validation',
  'internal',
  'unavailable',
]
/** Every call that writes can meet these, with or without a body of its own. */
const WRITING: readonly ErrorCode[] = [
  'read_only',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_in_progress',
]

export const isWrite = (operation: Pick<Operation, 'method'>) => operation.method !== 'GET'

/** A PUT makes what is not there. */
export const canBeNotFound = ({ path, method }: Pick<Operation, 'path' | 'method'>) =>
  path.includes(':') && method !== 'PUT'

/** Every code an operation can be refused with, by status. */
export function listErrors(operation: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...(operation.open ? [] : WITH_A_KEY),
    ...(isWrite(operation) ? WRITING : []),
    ...(canBeNotFound(operation) ? (['not_found'] as const) : []),
    ...operation.errors,
  ])
  return [...codes].sort((a, b) => STATUS[a] - STATUS[b] || a.localeCompare(b))
}

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** All responses of an operation: its own, and a reference for each status it can be refused with. */
export function buildResponses(operation: Operation): Record<string, object> {
  const byStatus = Map.groupBy(listErrors(operation), code => STATUS[code])
  return {
    ...Object.fromEntries(
      Object.entries(operation.responses).map(([status, answer]) => [status, success(operation, answer)]),
    ),
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [status, { $ref: `#/components/responses/${nameOf(codes)}` }]),
    ),
  }
}

function success(operation: Operation, { description, schema, type, example, headers, others }: Success) {
  const isStrict = operation.parameters.some(one => one.name === 'Prefer')
  const names = [
    ...ON_EVERY_ANSWER,
    ...(headers ?? []),
    ...(isWrite(operation) ? ['Idempotency-Replayed'] : []),
    ...(isStrict ? ['Preference-Applied'] : []),
    ...(operation.deprecated ? ['Deprecation', 'Sunset'] : []),
  ]
  const body = { ...(schema ? { schema } : {}), ...(example === undefined ? {} : { example }) }
  const content = {
    ...(schema ? { [type ?? 'application/json']: body } : {}),
    ...Object.fromEntries(Object.entries(others ?? {}).map(([name, of]) => [name, { schema: of }])),
  }
  return {
    description,
    headers: headerRefs(names),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

const nameOf = (codes: readonly ErrorCode[]) => codes.join('.')

/** The refusals that operations refer to: one for each set of codes that share a status somewhere. */
export function buildErrorResponses(operations: readonly Operation[]): Record<string, object> {
  const sets = [
    ...operations.flatMap(operation => [
      ...Map.groupBy(listErrors(operation), code => STATUS[code]).values(),
    ]),
    ...ERRORS_BEFORE_ROUTING.map(code => [code]),
  ]
  return Object.fromEntries(
    sets.map(codes => [nameOf(codes), refusal(codes)] as const).sort(([a], [b]) => a.localeCompare(b)),
  )
}

function refusal(codes: readonly ErrorCode[]) {
  const own = codes.flatMap(code => [...((ERROR_CATALOGUE[code] as ErrorDescription).headers ?? [])])
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CATALOGUE[code].when}`).join(' '),
    headers: headerRefs([...ON_EVERY_ANSWER, ...new Set(own)]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

/** A body for each code, as it is sent. */
export const buildErrorExamples = () =>
  Object.fromEntries(
    Object.entries(ERROR_CATALOGUE).map(([code, { sentence, when, ...more }]: [string, ErrorDescription]) => [
      code,
      {
        summary: when,
        value: {
          error: sentence,
          code,
          ...(more.errors ? { errors: more.errors } : {}),
          request_id: HEADERS['X-Request-Id'].example,
        },
      },
    ]),
  )
