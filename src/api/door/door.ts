/** The API under `/api/v1`: routing, and the checks before every handler. */

import { METHODS } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { AuthenticatedKey } from '../../accounts/keys/authenticate.ts'
import { isLargeText, pauseIfLarge } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { AppError, assert, notFound } from '../../kernel/errors/errors.ts'
import { getServerHost } from '../../kernel/http/public-link.ts'
import { MIN_LARGE_BODY_BYTES, readBody } from '../../kernel/http/read-body.ts'
import { rejectMethods } from '../../kernel/http/reject-methods.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { readJsonInSteps, readJsonRows } from '../../kernel/text/json-rows.ts'
import { readJson } from '../../kernel/text/strict-json.ts'
import { freeMemory } from '../../kernel/values/free-memory.ts'
import { atPassport, getPassport } from '../../passports/read/find.ts'
import { registerDocs } from '../docs/door.ts'
import { handleAtProduct } from '../endpoint/at-product.ts'
import { authorizeKey, requireScope } from '../endpoint/authorize-key.ts'
import { MAX_ITEMS } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES, MAX_SMALL_BODY_BYTES } from '../endpoint/body-limits.ts'
import { buildDeprecationOptions } from '../endpoint/deprecation.ts'
import type { ApiResponse, ApiSetup, Endpoint } from '../endpoint/endpoint.ts'
import { keepBodyBytes } from '../endpoint/idempotency.ts'
import { limitAddress } from '../endpoint/limits.ts'
import { readPath } from '../endpoint/path-parameters.ts'
import { readQuery } from '../endpoint/query-parameters.ts'
import { requireUtf8Json } from '../endpoint/require-utf8-json.ts'
import { buildApiDocument, ENDPOINTS } from '../endpoints.ts'
import { MAX_UPLOAD_BYTES, readUpload } from '../media/read-upload.ts'
import { acquireUploadPermit } from '../media/upload-permits.ts'
import { acquireBulkPermit } from './bulk-permits.ts'
import { beginTurn, endTurn } from './turns.ts'
import { handleWrite, type RawInput } from './writes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route of the API belongs to. */
    endpoint?: Endpoint
  }
}

export const API_PREFIX = '/api/v1'

/** The limit of JSON. An endpoint without a body ignores a small one. */
const getJsonLimit = (endpoint: Endpoint | undefined) => endpoint?.body?.maxBytes ?? MAX_SMALL_BODY_BYTES
export const getBodyLimit = (endpoint: Endpoint) =>
  takesFile(endpoint) ? MAX_UPLOAD_BYTES : getJsonLimit(endpoint)

const isBulk = (endpoint: Endpoint | undefined) => endpoint?.isPublic === false && endpoint.isBulk === true
const isCostly = (endpoint: Endpoint, request: FastifyRequest) =>
  !endpoint.isPublic && endpoint.isCostly?.(getQuery(request)) === true
const isNeverRejected = (endpoint: Endpoint | undefined) =>
  endpoint?.isPublic === true && endpoint.isNeverRejected === true
const takesFile = (endpoint: Endpoint | undefined) =>
  endpoint?.isPublic === false && endpoint.takesFile === true
const isJson = ({ headers }: FastifyRequest) => /^application\/json\b/i.test(headers['content-type'] ?? '')
const isBodyOptional = (endpoint: Endpoint | undefined) =>
  endpoint !== undefined && (endpoint.body === undefined || endpoint.body.isOptional === true)

const endpointOf = (request: FastifyRequest) => request.routeOptions.config.endpoint

const NO_SUCH_ENDPOINT = 'There is no such endpoint. GET /api/v1/openapi.json lists all endpoints.'

const authenticatedKeys = new WeakMap<FastifyRequest, AuthenticatedKey>()

/** Registers the API and its reference page. Responses are serialized by the handlers. */
export function registerApi(app: FastifyInstance, setup: ApiSetup): void {
  const supported = new Set<string>(app.supportedMethods)
  for (const method of ALL_METHODS) if (!supported.has(method)) app.addHttpMethod(method)
  app.register(
    async door => {
      door.removeAllContentTypeParsers()
      door.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable) =>
        readJsonBody(setup, request, payload),
      )
      door.addContentTypeParser('*', (request, payload, done) => {
        if (!takesFile(endpointOf(request))) return rejectOtherMediaType(request, payload, done)
        readUpload(payload, request.headers).then(file => {
          keepBodyBytes(request, file.bytes)
          done(null, file)
        }, done)
      })
      door.addHook('onRequest', async (request, reply) => {
        const endpoint = endpointOf(request)
        if (endpoint?.isPublic) limitAddress(setup, request, reply, { rejects: !isNeverRejected(endpoint) })
        else await authorize(setup, request, reply)
        if (request.is404) throw new AppError('not_found', NO_SUCH_ENDPOINT)
        if (takesFile(endpoint) && !isJson(request))
          await acquireUploadPermit(setup.sql, { request, accountId: keyOf(request).accountId, reply })
      })
      door.addHook('onClose', async () => setup.media.preparer.stop())
      for (const endpoint of ENDPOINTS) addRoute(door, setup, endpoint)
      for (const [path, endpoints] of Map.groupBy(ENDPOINTS, endpoint => endpoint.path)) {
        rejectOtherMethods(door, path, endpoints)
      }
      // Without this, Fastify would not run the hook above for unknown paths.
      door.setNotFoundHandler(() => undefined)
    },
    { prefix: API_PREFIX },
  )
  registerDocs(app, () => buildApiDocument(setup))
}

/** Where the JSON of a bulk call has its rows. */
const BULK_ROWS = { member: 'items', maxRows: MAX_ITEMS, maxBytesWithoutRows: MAX_PASSPORT_BYTES }

async function readJsonBody(setup: ApiSetup, request: FastifyRequest, body: Readable): Promise<unknown> {
  const endpoint = endpointOf(request)
  const accountId = authenticatedKeys.get(request)?.accountId
  const since = performance.now()
  const bytes = await readBody({ request, body, maxBytes: getJsonLimit(endpoint), accountId })
  const isKept = keepBodyBytes(request, bytes)
  if (bytes.length === 0 && isBodyOptional(endpoint)) return undefined
  requireUtf8Json(request.headers)
  const takesTurn = isBulk(endpoint) || bytes.length >= MIN_LARGE_BODY_BYTES
  if (takesTurn && accountId !== undefined) await beginTurn(setup.sql, request, { accountId, since })
  if (isBulk(endpoint)) await acquireBulkPermit(setup.sql, { request, accountId, bytes: bytes.length })
  else if (bytes.length < MIN_LARGE_BODY_BYTES) return readJson(bytes)
  try {
    return await (isBulk(endpoint) ? readJsonRows(bytes, BULK_ROWS) : readJsonInSteps(bytes))
  } finally {
    if (!isKept) freeMemory(bytes)
  }
}

function addRoute(door: FastifyInstance, setup: ApiSetup, endpoint: Endpoint): void {
  const { method, path: url, pathParameterNames } = endpoint
  door.route({
    method,
    url,
    config: { endpoint, isLong: isBulk(endpoint), isUpload: takesFile(endpoint) },
    bodyLimit: getBodyLimit(endpoint),
    ...(method !== 'GET' &&
      pathParameterNames.includes('id') && {
        preParsing: async request => requireProductExists(setup, endpoint, request),
      }),
    ...buildDeprecationOptions(endpoint),
    handler: (request, reply) => respond(setup, endpoint, request, reply),
  })
}

/**
 * Rejects a body of another type at its first byte. Some clients name a type without sending a body (`curl -d
 * ''`, `urllib` with `data=b''`, `fetch` with `body: ''`): where the body is optional, that is no error.
 */
function rejectOtherMediaType(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const error = new AppError('unsupported_media_type', 'Send the body as application/json.')
  if (!isBodyOptional(endpointOf(request))) {
    done(error)
    return
  }
  const finish = (failure: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', finish)
    done(failure)
  }
  const onData = () => finish(error)
  const onEnd = () => finish(null)
  payload.on('data', onData).on('end', onEnd).on('error', finish)
}

/** Checks the key, then its plan, its rate limit and its scope. The first error is reported. */
async function authorize(setup: ApiSetup, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // By default only the client may cache a response, and it must revalidate. Handlers may override this.
  reply.header('cache-control', 'private, no-cache')
  const key = await authorizeKey(setup, findApiKey(setup, request), request, reply)
  requireScope(setup, key, request)
  authenticatedKeys.set(request, key)
}

/**
 * Throws `not_found` if the product or version is missing or belongs to another account. Called before the
 * body is read, because an error about the body would reveal that the product exists.
 */
async function requireProductExists(
  setup: ApiSetup,
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<void> {
  const { id, n } = readPath(endpoint.pathParameterNames, getPathParameters(request))
  if (id === undefined) return
  const { version_no: newest } = await getPassport(await atPassport(accountOf(setup, request), id), id)
  if (n !== undefined && n > newest) throw notFound('version of this product')
}

function findApiKey(setup: ApiSetup, request: FastifyRequest): string | undefined {
  const header = request.headers.authorization
  if (header !== undefined) return /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? ''
  if (!setup.allowQueryApiKey || request.method !== 'GET') return undefined
  const key = getQuery(request).api_key
  return typeof key === 'string' ? key : undefined
}

async function respond(setup: ApiSetup, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) {
  try {
    if (!isNeverRejected(endpoint)) requireValidPercentEncoding(request)
    if (isCostly(endpoint, request)) await beginTurn(setup.sql, request, keyOf(request))
    const response = await dispatch(setup, endpoint, request)
    const { body } = response
    return send(reply, response, isLargeText(body) ? await encodeInSteps(body) : body)
  } catch (error) {
    // A missing product is reported before an invalid query.
    const isRead = !endpoint.isPublic && endpoint.method === 'GET'
    if (isRead && error instanceof AppError && QUERY_ERRORS.has(error.code)) {
      await requireProductExists(setup, endpoint, request)
    }
    throw error
  } finally {
    endTurn(request)
  }
}

const QUERY_ERRORS = new Set(['validation', 'bad_request'])

/** Without this check, a list would be filtered by the broken text and would be empty. */
function requireValidPercentEncoding({ raw: { url = '' } }: FastifyRequest): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url)
  } catch {
    throw new AppError('bad_request', 'The address has a broken percent-encoding.')
  }
}

function dispatch(
  setup: ApiSetup,
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<ApiResponse> | ApiResponse {
  const { headers } = request
  const sent: RawInput = {
    params: getPathParameters(request),
    query: getQuery(request),
    body: request.body,
  }
  if (endpoint.isPublic) {
    if (!endpoint.isNeverRejected) readQuery(sent.query, endpoint.query)
    return endpoint.handle({ setup, headers })
  }
  const account = accountOf(setup, request)
  const scope = request.method === 'HEAD' ? ('read' as const) : keyOf(request).scope
  const call = { setup, headers, account, scope, isDryRun: false }
  if (endpoint.method !== 'GET') return handleWrite(endpoint, call, { request, sent })
  const path = readPath(endpoint.pathParameterNames, sent.params)
  return handleAtProduct(endpoint, {
    ...call,
    path,
    query: readQuery(sent.query, endpoint.query),
    body: undefined,
  })
}

function keyOf(request: FastifyRequest): AuthenticatedKey {
  const key = authenticatedKeys.get(request)
  assert(key, 'the API key was checked before the handler')
  return key
}

function accountOf({ sql, clock, addresses }: ApiSetup, request: FastifyRequest): AccountContext {
  const key = keyOf(request)
  const { accountId, actorId, readiness } = key
  const ownHost = getServerHost(addresses)
  return { ...toHome(sql, key), clock, accountId, actorId, readiness, ownHost }
}

/** Fastify would pass over a text twice at once: to count its bytes, and to encode it. */
async function encodeInSteps(text: string): Promise<Buffer> {
  await pauseIfLarge(text.length)
  const bytes = Buffer.from(text)
  await pauseIfLarge(text.length)
  return bytes
}

function send(reply: FastifyReply, response: ApiResponse, body: ApiResponse['body']): FastifyReply {
  reply.code(response.status ?? 200)
  reply.header('content-type', 'application/json; charset=utf-8')
  if (response.headers) reply.headers(response.headers)
  // Sending even an empty body would add a content type.
  if (response.status === 304 || response.status === 204) return reply.removeHeader('content-type').send()
  return reply.send(body)
}

/** All methods that Node parses, except CONNECT, which has no path. */
const ALL_METHODS = METHODS.filter(method => method !== 'CONNECT')

/** Answers every other method of a path with 405 and the allowed ones. */
function rejectOtherMethods(door: FastifyInstance, path: string, endpoints: readonly Endpoint[]): void {
  const allowed: string[] = endpoints.map(({ method }) => method)
  if (allowed.includes('GET')) allowed.push('HEAD')
  const others = ALL_METHODS.filter(method => !allowed.includes(method))
  const [endpoint] = endpoints
  // A public path answers 405 without a key; other paths check the key first.
  const config = endpoint?.isPublic ? { config: { endpoint } } : {}
  const route = { method: others, url: path, ...config, exposeHeadRoute: false }
  rejectMethods(door, route, allowed.join(', '))
}
