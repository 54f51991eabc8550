/**
 * Checks every API response in any test against the OpenAPI document: the body against its schema at once,
 * and after a complete run the seen statuses and codes against the documented ones.
 */
import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { API_PREFIX } from '../src/api/door/door.ts'
import { ERROR_CATALOGUE, HTTP_ERRORS, UNLISTED_ERRORS } from '../src/api/endpoint/error-catalogue.ts'
import { STATUS } from '../src/api/endpoint/errors.ts'
import { buildApiDocument, ENDPOINTS } from '../src/api/endpoints.ts'
import { buildResponses, listErrors } from '../src/api/openapi/responses.ts'
import type { ErrorCode } from '../src/kernel/errors/errors.ts'

/** The folder in which test files record what they saw; set by `test/run.ts`. */
export const SEEN_VARIABLE = 'CARNET_SEEN_ANSWERS'

/** Documented features that the server already has. Each is switched on here when it arrives. */
export const ARRIVED = { rateLimit: true, idempotency: true }

/** Codes that the same source line sends for all calls, so one response with the code is enough. */
const SHARED: readonly ErrorCode[] = ['rate_limited', 'idempotency_in_progress']
/** Codes that any call may return, whatever its operation does. */
const GLOBAL_ERRORS: readonly ErrorCode[] = [...HTTP_ERRORS, ...UNLISTED_ERRORS]
const FOR_ANY_CALL: readonly ErrorCode[] = [...GLOBAL_ERRORS, ...SHARED]
const NOT_YET: readonly ErrorCode[] = [
  ...(ARRIVED.rateLimit ? [] : (['rate_limited'] as const)),
  ...(ARRIVED.idempotency ? [] : (['idempotency_in_progress'] as const)),
]

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** The served document, with validators for its parts. */
export function documentChecker() {
  const addresses = { publicUrl: 'https://carnet.example', apiUrl: `https://carnet.example${API_PREFIX}` }
  const document = JSON.parse(JSON.stringify(buildApiDocument({ addresses, version: '0.0.0' })))
  closeAnswers(document.components.schemas)
  closeAnswers(document.paths)
  const ajv = new Ajv2020({
    strict: false,
    // The schemas of one test file are used a few times only: compiling them costs more than running them.
    code: { optimize: false },
    inlineRefs: false,
    validateSchema: false,
    formats: {
      'date-time': DATE_TIME,
      date: /^\d{4}-\d{2}-\d{2}$/,
      uri: /^https?:\/\//i,
      iri: /^https?:\/\//i,
      'idn-email': /@/,
    },
  })
  ajv.addSchema(document, 'document')
  const known = new Map<string, ValidateFunction>()
  return {
    document,
    /** Errors of a value under the schema at this place of the document (a list of keys). */
    faults(place: readonly string[], value: unknown): string[] {
      const pointer = place.map(part => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
      const validate = known.get(pointer) ?? ajv.compile({ $ref: `document#/${encodeURI(pointer)}` })
      known.set(pointer, validate)
      if (validate(value)) return []
      return (validate.errors ?? []).map(
        one => `${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`,
      )
    },
  }
}

/**
 * The document allows responses to gain members. Here an undescribed member is an error, so schemas are
 * closed.
 */
function closeAnswers(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  for (const inner of Object.values(node)) closeAnswers(inner)
  const schema = node as Record<string, unknown>
  if (schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema)) {
    schema.additionalProperties = false
  }
}

const checker = { made: undefined as ReturnType<typeof documentChecker> | undefined }
const documented = new Map(ENDPOINTS.map(one => [`${one.method} ${one.path}`, one]))

/** Watches a server before it starts. Returns the errors found so far. */
export function watchAnswers(app: FastifyInstance): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  app.addHook('onSend', async (request, reply, payload) => {
    const url = request.routeOptions.url
    if (!url?.startsWith(API_PREFIX) || request.method === 'HEAD') return
    const call = `${request.method} ${url.slice(API_PREFIX.length)}`
    const type = String(reply.getHeader('content-type')).split(';', 1)[0] ?? ''
    const isPlain = type === 'application/json' && reply.getHeader('content-encoding') === undefined
    const body = isPlain && payload ? JSON.parse(String(payload)) : undefined
    const place = call.replaceAll(/:(\w+)/g, '{$1}')
    note(seen, `${place} ${reply.statusCode}${body?.code ? ` ${body.code}` : ''}`)
    if (body?.code) noteSentence(seen, body.code, String(body.error))
    if (faults.length < 10) faults.push(...bodyFaults(call, reply.statusCode, type, body))
  })
  return faults
}

function note(seen: Set<string>, line: string): void {
  const folder = process.env[SEEN_VARIABLE]
  if (folder === undefined || seen.has(line)) return
  seen.add(line)
  appendFileSync(join(folder, `${process.pid}.txt`), `${line}\n`)
}

/** The start that a sentence has in common with the example which it may have been. */
const ALIKE = 20
/** Sentences like an example that are recorded for its code. */
const MAX_ALIKE = 3

/** If the example is never sent, the sentences that begin like it tell which test no longer sends it. */
function noteSentence(seen: Set<string>, code: string, sent: string): void {
  const example = ERROR_CATALOGUE[code as ErrorCode]?.sentence
  if (example === undefined) return
  const alike = [...seen].filter(line => line.startsWith(`alike ${code} `))
  if (sent === example) note(seen, `sentence ${code}`)
  else if (sent.startsWith(example.slice(0, ALIKE)) && alike.length < MAX_ALIKE)
    note(seen, `alike ${code} ${sent.replaceAll('\n', ' ')}`)
}

function bodyFaults(call: string, status: number, type: string, body: unknown): string[] {
  if (body === undefined) return []
  checker.made ??= documentChecker()
  const operation = documented.get(call)
  const isOwn = operation !== undefined && operation.responses[status] !== undefined
  const schema = isOwn
    ? [
        'paths',
        operation.path.replaceAll(/:(\w+)/g, '{$1}'),
        operation.method.toLowerCase(),
        'responses',
        String(status),
        'content',
        type,
        'schema',
      ]
    : ['components', 'schemas', 'Error']
  return checker.made.faults(schema, body).map(fault => `${call} ${status}: ${fault}`)
}

/** Every response that the document lists: `GET /products 200`, `GET /products 401 unauthorized` … */
function documentedAnswers(): string[] {
  return ENDPOINTS.flatMap(operation => {
    const call = `${operation.method} ${operation.path.replaceAll(/:(\w+)/g, '{$1}')}`
    const codes = listErrors(operation).filter(code => !SHARED.includes(code))
    return [
      ...Object.entries(buildResponses(operation)).flatMap(([status, one]) =>
        '$ref' in one ? [] : [`${call} ${status}`],
      ),
      ...codes.map(code => `${call} ${STATUS[code]} ${code}`),
    ]
  })
}

/** Documented responses that no test saw, and seen responses that are not documented. */
export function compareAnswers(folder: string): string[] {
  const files = globSync('*.txt', { cwd: folder })
  const seen = new Set(files.flatMap(name => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')))
  const promised = new Set(documentedAnswers())
  const bare = (line: string) => line.split(' ').at(-1) as ErrorCode
  const calls = new Set([...promised].map(line => line.split(' ', 2).join(' ')))
  const lines = [...seen].filter(line => calls.has(line.split(' ', 2).join(' ')))
  const told = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter(
    code => code === 'bad_request' || ![...GLOBAL_ERRORS, ...NOT_YET].includes(code),
  )
  return [
    ...[...promised].filter(line => !seen.has(line)).map(line => `documented and never seen: ${line}`),
    ...SHARED.filter(code => !NOT_YET.includes(code) && !lines.some(line => bare(line) === code)).map(
      code => `documented and never seen: ${code}`,
    ),
    ...lines
      .filter(line => !promised.has(line) && !FOR_ANY_CALL.includes(bare(line)))
      .map(line => `seen and not documented: ${line}`),
    ...told
      .filter(code => !SHARED.includes(code) && !seen.has(`sentence ${code}`))
      .map(code => describeUnsent(code, seen)),
  ].sort()
}

function describeUnsent(code: ErrorCode, seen: ReadonlySet<string>): string {
  const start = `alike ${code} `
  const alike = [...seen].filter(line => line.startsWith(start)).map(line => line.slice(start.length))
  const instead = alike.length > 0 ? `A test sent instead: ${alike.slice(0, MAX_ALIKE).join(' / ')}` : ''
  return `the example sentence of ${code} (assets/api/errors.json) was never sent by a test: ${ERROR_CATALOGUE[code].sentence} ${instead}`.trimEnd()
}
