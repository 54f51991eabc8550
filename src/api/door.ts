/** The REST door: its table of contents, and what holds for every call before a handler sees it. */

import { METHODS } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { AccountContext } from '../accounts/context.ts'
import { authenticate, type KeyHolder } from '../accounts/keys/authenticate.ts'
import { recordKeyUse } from '../accounts/keys/key-use.ts'
import { findCategory } from '../categories/catalogue.ts'
import { AppError, assert, notFound } from '../kernel/errors.ts'
import { HttpError } from '../kernel/http/http-error.ts'
import { readJsonRows } from '../kernel/text/json-rows.ts'
import { readJson } from '../kernel/text/strict-json.ts'
import { getPassport, requireProductUuid, requireVersionNo } from '../passports/read/find.ts'
import { acquireBulkPermit, MIN_QUEUED_BYTES } from './bulk-permits.ts'
import { listCategories, readSchema } from './categories/categories.ts'
import { announceDeprecation } from './endpoint/deprecation.ts'
import type { ApiResponse, ApiSetup, OpenCall, RawQuery, Route } from './endpoint/endpoint.ts'
import { noteBody } from './idempotency.ts'
import { limitAddress, limitKey } from './limits.ts'
import { openapi } from './openapi/document.ts'
import { MAX_ITEMS } from './products/bulk-response.ts'
import { listChildren, listProducts } from './products/list-products.ts'
import { changeProduct, createProduct, readProduct, revertProduct } from './products/products.ts'
import { readQr } from './products/qr.ts'
import { readSnippet } from './products/snippet.ts'
import { putByGtin, putBySku, syncProducts } from './products/sync.ts'
import {
  archiveProduct,
  listProductVersions,
  readProductVersion,
  restoreProduct,
} from './products/versions.ts'
import { accountScans, productScans } from './scans/scans.ts'
import { health } from './service/health.ts'
import { changeUnits, createUnits, refreshUnits, showRefresh } from './units/units.ts'
import { answerWrite } from './writes.ts'

export const API_PREFIX = '/api/v1'
const MAX_BODY_BYTES = 1024 * 1024
const MAX_BULK_BYTES = 8 * 1024 * 1024
export const bodyLimitOf = ({ bulk }: Route) => (bulk ? MAX_BULK_BYTES : MAX_BODY_BYTES)

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/health', open: true, handle: health },
  { method: 'GET', path: '/openapi.json', open: true, handle: openapi },
  { method: 'GET', path: '/categories', handle: listCategories },
  { method: 'GET', path: '/schema/:category', handle: readSchema },
  { method: 'GET', path: '/products', handle: listProducts },
  { method: 'POST', path: '/products', handle: createProduct, dryRun: true, keepsReceipt: true },
  { method: 'POST', path: '/products/bulk', handle: syncProducts, dryRun: true, bulk: true },
  { method: 'PUT', path: '/products/by-sku/:sku', handle: putBySku, dryRun: true },
  { method: 'PUT', path: '/products/by-gtin/:gtin', handle: putByGtin, dryRun: true },
  { method: 'GET', path: '/products/:id', handle: readProduct },
  { method: 'PATCH', path: '/products/:id', handle: changeProduct, dryRun: true },
  { method: 'GET', path: '/products/:id/qr', handle: readQr },
  { method: 'GET', path: '/products/:id/snippet', handle: readSnippet },
  { method: 'GET', path: '/products/:id/versions', handle: listProductVersions },
  { method: 'GET', path: '/products/:id/versions/:n', handle: readProductVersion },
  { method: 'POST', path: '/products/:id/versions/:n/revert', handle: revertProduct, isBodyOptional: true },
  { method: 'GET', path: '/products/:id/children', handle: listChildren },
  { method: 'POST', path: '/products/:id/children', handle: createUnits, dryRun: true, bulk: true },
  { method: 'POST', path: '/products/:id/children/update', handle: changeUnits, dryRun: true, bulk: true },
  { method: 'GET', path: '/products/:id/refresh', handle: showRefresh },
  { method: 'POST', path: '/products/:id/refresh', handle: refreshUnits, isBodyOptional: true },
  { method: 'GET', path: '/products/:id/scans', handle: productScans },
  { method: 'GET', path: '/scans', handle: accountScans },
  { method: 'POST', path: '/products/:id/archive', handle: archiveProduct, isBodyOptional: true },
  { method: 'POST', path: '/products/:id/restore', handle: restoreProduct, isBodyOptional: true },
]

const NO_SUCH_ADDRESS = 'There is no such address. GET /api/v1/openapi.json lists all there are.'

const holders = new WeakMap<FastifyRequest, KeyHolder>()

/** Registers the door under `/api/v1`. Answers are sent as ready text: no serializer walks them again. */
export function registerApi(app: FastifyInstance, setup: ApiSetup): void {
  const known = new Set<string>(app.supportedMethods)
  for (const method of EVERY_METHOD) if (!known.has(method)) app.addHttpMethod(method)
  app.register(
    async door => {
      door.removeAllContentTypeParsers()
      door.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
        try {
          noteBody(request, bytes)
          if (bytes.length === 0 && canLackBody(request)) return done(null, undefined)
          requireUtf8Json(request)
          if (!isBulk(request)) return done(null, readJson(bytes))
          if (bytes.length < MIN_QUEUED_BYTES) return done(null, readJson(bytes, ROWS))
          readJsonRows(bytes, ROWS).then(body => done(null, body), done)
        } catch (error) {
          done(error as Error)
        }
      })
      door.addContentTypeParser('*', readOtherType)
      door.addHook('onRequest', async (request, reply) => {
        if (isOpen(request)) limitAddress(setup, request, reply, { refuses: !isHealth(request) })
        else await admit(setup, request, reply)
        if (request.is404) throw new AppError('not_found', NO_SUCH_ADDRESS)
        if (isBulk(request)) {
          const { accountId } = accountOf(setup, request)
          await acquireBulkPermit(setup.sql, { accountId, request, reply, maxBytes: MAX_BULK_BYTES })
        }
      })
      for (const route of ROUTES) {
        door.route({
          method: route.method,
          url: route.path,
          bodyLimit: bodyLimitOf(route),
          ...(route.method !== 'GET' && route.path.includes(':id') ? { preParsing: findFirst(setup) } : {}),
          ...announceDeprecation(route),
          handler: (request, reply) => run(setup, route, request, reply),
        })
      }
      for (const path of new Set(ROUTES.map(route => route.path))) refuseOtherMethods(door, path)
      // It gives the addresses that are none their place among the refusals: after the key, before the body.
      door.setNotFoundHandler(() => undefined)
    },
    { prefix: API_PREFIX },
  )
}

const OPEN = new Set(ROUTES.filter(route => route.open).map(route => API_PREFIX + route.path))
const isOpen = ({ routeOptions: { url } }: FastifyRequest) => url !== undefined && OPEN.has(url)
const BULK = new Set(ROUTES.filter(route => route.bulk).map(route => API_PREFIX + route.path))
const ROWS = { member: 'items', maxRows: MAX_ITEMS, maxBytesWithout: MAX_BODY_BYTES }
const isBulk = ({ routeOptions: { url } }: FastifyRequest) => url !== undefined && BULK.has(url)
const BODY_OPTIONAL = new Set(ROUTES.filter(one => one.isBodyOptional).map(one => API_PREFIX + one.path))
const canLackBody = ({ routeOptions: { url } }: FastifyRequest) => url !== undefined && BODY_OPTIONAL.has(url)
const isHealth = (request: FastifyRequest) => request.routeOptions.url === `${API_PREFIX}/health`

function requireUtf8Json(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new AppError(
      'unsupported_media_type',
      `The body is declared as ${charset.slice(0, 40)}. Send JSON encoded as UTF-8.`,
    )
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new AppError('unsupported_media_type', 'Compressed bodies are not read. Send the JSON as it is.')
  }
}

/**
 * A body of another type is refused, at its first byte. Clients name a type also where they send nothing (`curl -d ''`,
 * `urllib` with `data=b''`, `fetch` with `body: ''`): that is no body where none is needed.
 */
function readOtherType(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const refusal = new AppError('unsupported_media_type', 'Send the body as application/json.')
  if (!canLackBody(request)) {
    done(refusal)
    return
  }
  const finish = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', finish)
    done(error)
  }
  const onData = () => finish(refusal)
  const onEnd = () => finish(null)
  payload.on('data', onData).on('end', onEnd).on('error', finish)
}

/** Refusals in the order of the contract: 401, plan_required, 429, read_only; the rest comes later. */
async function admit(setup: ApiSetup, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const now = setup.clock.now()
  // What a key opens is for whoever has it, and may be another thing a second later; answers may say otherwise.
  reply.header('cache-control', 'private, no-cache')
  const key = findKey(setup, request)
  const holder = key === undefined ? undefined : await authenticate(setup.sql, key, now)
  // Who tries keys is held up by their address; whoever has a right one there is not.
  if (!holder?.planHasApi) limitAddress(setup, request, reply, { refuses: holder === undefined })
  if (holder === undefined) throw unauthorized(key)
  if (!holder.planHasApi) {
    throw new AppError(
      'plan_required',
      'The plan of this account does not include the API. It starts with Pro.',
    )
  }
  await limitKey(setup, holder, reply)
  if (holder.scope === 'read' && request.method !== 'GET' && request.method !== 'HEAD') {
    throw new AppError('read_only', 'This key may only read. Use a key with full scope to change something.')
  }
  recordKeyUse(setup.sql, holder, now)
  holders.set(request, holder)
}

/**
 * A product that is not there, or not this account's, is 404 before its body is read, and so is a version or a category
 * that there is not: a stranger learns nothing from a 4xx.
 */
const findFirst = (setup: ApiSetup) => async (request: FastifyRequest) => {
  const { id, n, category } = request.params as { id?: string; n?: string; category?: string }
  if (category !== undefined && findCategory(category) === undefined) throw notFound('category')
  if (id === undefined) return
  const { version_no: newest } = await getPassport(accountOf(setup, request), requireProductUuid(id))
  if (n !== undefined && requireVersionNo(n) > newest) throw notFound('version of this product')
}

function findKey(setup: ApiSetup, request: FastifyRequest): string | undefined {
  const header = request.headers.authorization
  if (header !== undefined) return /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? ''
  if (!setup.allowQueryApiKey || request.method !== 'GET') return undefined
  const key = (request.query as RawQuery).api_key
  return typeof key === 'string' ? key : undefined
}

function unauthorized(key: string | undefined): AppError {
  const message =
    key === undefined
      ? 'An API key is needed: send the header "Authorization: Bearer <key>".'
      : 'This API key is not valid. Check it for missing characters; it may also be revoked or expired.'
  return new HttpError('unauthorized', message, { 'www-authenticate': 'Bearer' })
}

async function run(setup: ApiSetup, route: Route, request: FastifyRequest, reply: FastifyReply) {
  const call: OpenCall = {
    setup,
    params: request.params as Record<string, string>,
    query: request.query as RawQuery,
    headers: request.headers,
    body: request.body,
  }
  try {
    if (!isHealth(request)) requireReadableQuery(request)
    return send(reply, await handle(route, call, request))
  } catch (error) {
    // What is not there comes before what is wrong with the question.
    const isRead = route.method === 'GET' && !route.open
    if (isRead && error instanceof AppError && ABOUT_THE_QUESTION.has(error.code))
      await findFirst(setup)(request)
    throw error
  }
}

const ABOUT_THE_QUESTION = new Set(['validation', 'bad_request'])

/** As in a path: what the parser leaves as it stands would be looked for, and not be found. */
function requireReadableQuery({ raw: { url = '' } }: FastifyRequest): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url)
  } catch {
    throw new AppError('bad_request', 'The address has a broken percent-encoding.')
  }
}

function handle(route: Route, call: OpenCall, request: FastifyRequest): Promise<ApiResponse> | ApiResponse {
  if (route.open) return route.handle(call)
  const accountCall = { ...call, account: accountOf(call.setup, request), dryRun: false }
  return route.method === 'GET' ? route.handle(accountCall) : answerWrite(request, accountCall, route)
}

function accountOf({ sql, clock }: ApiSetup, request: FastifyRequest): AccountContext {
  const holder = holders.get(request)
  assert(holder, 'a call that is not open has been admitted')
  return { sql, clock, accountId: holder.accountId, actorId: holder.actorId }
}

function send(reply: FastifyReply, answer: ApiResponse): FastifyReply {
  reply.code(answer.status ?? 200)
  reply.header('content-type', 'application/json; charset=utf-8')
  if (answer.headers) reply.headers(answer.headers)
  // A body, if only an empty one, would get a type.
  if (answer.status === 304) return reply.removeHeader('content-type').send()
  return reply.send(answer.body)
}

/** All that Node reads; a CONNECT is no request for a path. */
const EVERY_METHOD = METHODS.filter(method => method !== 'CONNECT')

/** Every path answers every method: with what it can do, if not with what was asked. */
function refuseOtherMethods(door: FastifyInstance, path: string): void {
  const taken: string[] = ROUTES.filter(route => route.path === path).map(route => route.method)
  if (taken.includes('GET')) taken.push('HEAD')
  const others = EVERY_METHOD.filter(method => !taken.includes(method)) as HTTPMethods[]
  const allow = taken.join(', ')
  door.route({
    method: others,
    url: path,
    exposeHeadRoute: false,
    onRequest: async request => {
      const message = `${request.method} is not possible here. Possible: ${allow}.`
      throw new HttpError('method_not_allowed', message, { allow })
    },
    handler: () => undefined,
  })
}
