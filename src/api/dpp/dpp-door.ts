/** The door of EN 18222 under `/dpp/v1`: how other passport systems read passports. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Asker, waitForTurn } from '../../accounts/limits/turns.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import { HttpError } from '../../kernel/http/http-error.ts'
import { MIN_LARGE_BODY_BYTES, readBody } from '../../kernel/http/read-body.ts'
import { createTrustedProxies, type TrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import { readJsonInSteps } from '../../kernel/text/json-rows.ts'
import { parseMicroseconds } from '../../kernel/text/parse-date-time.ts'
import { readJson } from '../../kernel/text/strict-json.ts'
import { findValidLink, isAccessToken } from '../../passports/access/access-links.ts'
import { getDocumentId } from '../../passports/core/record.ts'
import { createEnText, createUnsignedEnDocument, type EnForm } from '../../passports/documents/en-document.ts'
import { DOCUMENT_FORMATS } from '../../passports/documents/formats.ts'
import type { DocumentSetup, PlacedRow } from '../../passports/documents/setup.ts'
import { findWholePassport } from '../../passports/read/find.ts'
import { findPassportAt, findPassportVersion } from '../../passports/read/public-passport-at.ts'
import { readElement, readFullElement } from '../../standards/en18223/element-path.ts'
import { authorizeKey, requireScope, unauthorized } from '../endpoint/authorize-key.ts'
import { MAX_IDENTIFIERS_BYTES, MAX_PASSPORT_BYTES, MAX_SMALL_BODY_BYTES } from '../endpoint/body-limits.ts'
import type { ApiSetup } from '../endpoint/endpoint.ts'
import { limitAddress } from '../endpoint/limits.ts'
import { documentResponse, prepareDocument } from '../endpoint/prepared-document.ts'
import { invalidQuery } from '../endpoint/query-parameters.ts'
import {
  type DocumentType,
  isJsonType,
  type JsonType,
  listDocumentTypes,
  selectDocumentType,
} from './accept.ts'
import { prepareDppWrite, runDppWrite, type Write } from './dpp-writes.ts'
import { buildEtag, buildPrivateEtagOfJson } from './etag.ts'
import {
  findByDppId,
  findByProductId,
  findListedProduct,
  parseProductId,
  requireDppUuid,
} from './find-passport.ts'
import { registerIssuerDocuments } from './issuer-documents.ts'
import { buildDppOpenapi } from './openapi.ts'
import { DPP_PREFIX, parseTarget, readQueryText, splitTarget, type Target } from './parse-target.ts'
import { type Cursors, createCursors, readLimit, readProductIds } from './product-ids.ts'
import { getAudience, type Reader } from './reader.ts'
import { readRepresentation } from './representation.ts'

export type DppSetup = ApiSetup &
  DocumentSetup & {
    secretKey: string
    /** CIDR ranges and addresses of the reverse proxies. */
    trustedProxies: readonly string[]
  }

type DppContext = DppSetup & Pick<TrustedProxies, 'findOwnAddress'> & { cursors: Cursors }
type Call = {
  context: DppContext
  request: FastifyRequest
  reply: FastifyReply
  reader: Reader
  query: string
}

type PreparedCall = { call: Call; target: Target; write: Write | undefined; maxBodyBytes: number }

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The call of a request to `/dpp/v1`. Not in a WeakMap: the call refers to its request, which V8 would
     * then keep until the next full garbage collection.
     */
    dppCall: PreparedCall | null
  }
}

const READ = 'GET, HEAD, OPTIONS'

/** The methods of each kind of address, and the limit of its bodies. */
export const DPP_ADDRESSES: Record<Target['kind'], { methods: string; maxBodyBytes: number }> = {
  dpps: { methods: 'POST, OPTIONS', maxBodyBytes: MAX_PASSPORT_BYTES },
  dpp: { methods: `${READ}, PATCH, DELETE`, maxBodyBytes: MAX_PASSPORT_BYTES },
  dppByDate: { methods: READ, maxBodyBytes: MAX_SMALL_BODY_BYTES },
  element: { methods: `${READ}, PATCH`, maxBodyBytes: MAX_PASSPORT_BYTES },
  dppByProductId: { methods: READ, maxBodyBytes: MAX_SMALL_BODY_BYTES },
  dppIds: { methods: 'POST, OPTIONS', maxBodyBytes: MAX_IDENTIFIERS_BYTES },
  registration: { methods: 'POST, OPTIONS', maxBodyBytes: MAX_PASSPORT_BYTES },
}

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, Authorization',
  'access-control-expose-headers': 'ETag, Link, Last-Modified, X-Request-Id',
  'access-control-max-age': '86400',
}

export function registerDpp(app: FastifyInstance, setup: DppSetup): void {
  const { findOwnAddress } = createTrustedProxies(setup.trustedProxies)
  const context: DppContext = { ...setup, findOwnAddress, cursors: createCursors(setup.secretKey) }
  app.register(async door => {
    door.decorateRequest('dppCall', null)
    door.removeAllContentTypeParsers()
    door.addContentTypeParser(
      ['application/json', 'application/merge-patch+json'],
      (request: FastifyRequest, body: Readable) => readDppBytes(request, body),
    )
    const openapi = prepareDocument(JSON.stringify(buildDppOpenapi(setup.addresses, setup.version)), {
      ...CORS_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    })
    door.get(`${DPP_PREFIX}/openapi.json`, (request, reply) => {
      const { status = 200, headers = {}, body } = documentResponse(request, openapi)
      return reply.code(status).headers(headers).send(body)
    })
    registerIssuerDocuments(door, context, CORS_HEADERS)
    door.route({
      method: door.supportedMethods.filter(method => method !== 'CONNECT'),
      url: `${DPP_PREFIX}/*`,
      exposeHeadRoute: false,
      bodyLimit: Math.max(...Object.values(DPP_ADDRESSES).map(({ maxBodyBytes }) => maxBodyBytes)),
      // Before the body is read, so that a wrong address or key is not answered with an error of the body.
      onRequest: async (request, reply) => {
        reply.headers(CORS_HEADERS).header('vary', 'Accept, Authorization')
        const { path, query } = splitTarget(request.raw.url ?? '')
        const target = parseTarget(path)
        const { methods, maxBodyBytes } = DPP_ADDRESSES[target.kind]
        requireMethod(request, methods)
        const reader = request.method === 'OPTIONS' ? PUBLIC : await authorize(context, request, reply)
        const write = await prepareDppWrite({ setup: context, request, reader, target, query })
        const call = { context, request, reply, reader, query }
        request.dppCall = { call, target, write, maxBodyBytes }
      },
      handler: request => handle(request),
    })
  })
}

function readDppBytes(request: FastifyRequest, body: Readable): Promise<Buffer> {
  const { call, maxBodyBytes = MAX_SMALL_BODY_BYTES } = request.dppCall ?? {}
  const accountId = call?.reader.kind === 'key' ? call.reader.key.accountId : undefined
  return readBody({ request, body, maxBytes: maxBodyBytes, accountId })
}

const PUBLIC: Reader = { kind: 'public' }

function requireMethod({ method }: FastifyRequest, allow: string): void {
  if (allow.split(', ').includes(method)) return
  const message = `${method} is not allowed here. Allowed: ${allow}.`
  throw new HttpError('method_not_allowed', message, { ...CORS_HEADERS, allow })
}

/** Throws `unauthorized` for a key or token that is not valid, also where the public may read. */
async function authorize(context: DppContext, request: FastifyRequest, reply: FastifyReply): Promise<Reader> {
  const { authorization } = request.headers
  if (authorization === undefined) {
    limitAddress(context, request, reply, { rejects: true })
    return PUBLIC
  }
  reply.header('cache-control', 'private, no-store')
  const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  if (!isAccessToken(sent)) {
    const key = await authorizeKey(context, sent, request, reply)
    if (request.method === 'GET' || request.method === 'HEAD') requireScope(context, key, request)
    return { kind: 'key', key }
  }
  limitAddress(context, request, reply, { rejects: true })
  const link = await findValidLink(context.sql, sent, context.clock.now())
  if (link === undefined) throw unauthorized(sent)
  return { kind: 'link', link, token: sent }
}

async function handle(request: FastifyRequest): Promise<unknown> {
  const found = request.dppCall
  if (found === null) throw new Error('broken assumption: the hook has parsed the request')
  const { call, target, write } = found
  const { reply } = call
  if (request.method === 'OPTIONS')
    return reply.code(204).header('allow', DPP_ADDRESSES[target.kind].methods).send()
  const pool = write === undefined ? 'readers' : 'writes'
  const endTurn = await waitForTurn(call.context, { pool, asker: describeAsker(call), response: reply.raw })
  if (endTurn === undefined) return reply.hijack()
  try {
    if (write === undefined) return await read(call, target)
    const { status = 200, headers = {}, body } = await runDppWrite(write)
    return reply.code(status).headers(headers).send(body)
  } finally {
    endTurn()
  }
}

function describeAsker({ context, request, reader }: Call): Asker {
  const address = context.findOwnAddress(request)
  if (reader.kind === 'key') return { address, accountId: reader.key.accountId }
  return { address, ...(reader.kind === 'link' && { verifiedToken: reader.token }) }
}

function read(call: Call, target: Target): Promise<unknown> | unknown {
  switch (target.kind) {
    case 'dppIds':
      return listDppIds(call)
    case 'dppByProductId':
      return readByProductId(call, target.productId)
    case 'dppByDate':
      return readByDate(call, target.dppId)
    case 'dpp':
      return readById(call, target.dppId)
    case 'element':
      return readByPath(call, target)
    default:
      return sendNotOffered(call.reply)
  }
}

/** An operation of EN 18222 that this server does not offer: 501 without a body. */
const sendNotOffered = (reply: FastifyReply) => reply.code(501).send()

async function readById(call: Call, dppId: string): Promise<unknown> {
  const { representation, version } = readQueryText(call.query, ['representation', 'version'])
  const form = readRepresentation(representation)
  if (version === undefined) return sendDocument(call, await findCurrent(call, dppId), form)
  if (!/^[1-9]\d{0,8}$/.test(version)) {
    throw invalidQuery('version', 'format', 'version must be a whole number of at least 1.')
  }
  const past = await findPast(call, dppId, findPassportVersion, Number(version))
  if (past === undefined) throw new AppError('not_found', 'The passport has no such version.')
  return sendDocument(call, past, form, PAST)
}

/** Also with all data for others than the public, whose row would lack what is large. */
const findCurrent = ({ context, reader }: Call, dppId: string): Promise<PlacedRow> =>
  findByDppId(context, dppId, { withAllData: reader.kind !== 'public' })

/** Undefined if the passport did not exist then. Throws `not_found` if there is no such passport. */
async function findPast(
  { context, reader }: Call,
  dppId: string,
  find: typeof findPassportAt,
  when: number,
): Promise<PlacedRow | undefined> {
  const uuid = await requireDppUuid(context, dppId)
  const past = await find(context.sql, uuid, when, { withAllData: reader.kind !== 'public' })
  if (past === undefined) await findByDppId(context, dppId)
  return past
}

async function readByProductId(call: Call, text: string): Promise<unknown> {
  const { representation } = readQueryText(call.query, ['representation'])
  const form = readRepresentation(representation)
  const row = await findByProductId(call.context, parseProductId(call.context, text))
  if (row === undefined) {
    throw new AppError('not_found', 'There is no passport of exactly this model, lot or item here.')
  }
  return sendDocument(call, await readCurrent(call, row), form)
}

async function readByDate(call: Call, dppId: string): Promise<unknown> {
  const { date, representation } = readQueryText(call.query, ['date', 'representation'])
  const form = readRepresentation(representation)
  const at = readDate(date)
  const past = await findPast(call, dppId, findPassportAt, at)
  if (past === undefined) throw new AppError('not_found', 'The passport did not exist at that time.')
  return sendDocument(call, past, form, PAST)
}

/** A time with its offset, in microseconds since 1970. A "+" of the offset may have become a space. */
function readDate(text: string | undefined): number {
  if (text === undefined) throw invalidQuery('date', 'required', 'date is required.')
  const sent = text.replace(/ (?=\d{2}:\d{2}$)/, '+')
  const at = /T.*(?:[Zz]|[+-]\d{2}:\d{2})$/.test(sent) ? parseMicroseconds(sent) : undefined
  if (at === undefined) {
    throw invalidQuery('date', 'format', 'date must be a time with an offset, such as 2026-11-22T10:00:00Z.')
  }
  return at
}

async function readByPath(call: Call, { dppId, path }: { dppId: string; path: string }): Promise<unknown> {
  const { representation } = readQueryText(call.query, ['representation'])
  const form = readRepresentation(representation)
  const current = await findCurrent(call, dppId)
  const { context, reader } = call
  const document = await createUnsignedEnDocument(context, current, getAudience(reader, current), form)
  const element = form === 'full' ? readFullElement(document, path) : readElement(document, path)
  if (element.kind === 'found') return send(call, JSON.stringify(element.value), current)
  // An element that the reader may not see is not in the document, so it is missing too.
  throw new AppError(element.kind === 'missing' ? 'not_found' : 'bad_request', element.message)
}

async function listDppIds(call: Call): Promise<unknown> {
  const { context, request, query } = call
  const { limit, cursor } = readQueryText(query, ['limit', 'cursor'])
  const size = readLimit(limit)
  if (!Buffer.isBuffer(request.body)) throw new AppError('bad_request', 'Send a JSON body.')
  const isLarge = request.body.length >= MIN_LARGE_BODY_BYTES
  const ids = readProductIds(await (isLarge ? readJsonInSteps(request.body) : readJson(request.body)))
  const start = context.cursors.read(cursor, ids)
  const page = ids.slice(start, start + size)
  const rows = await Promise.all(page.map(id => findListedProduct(context, id)))
  const dppIds = rows.flatMap(row => (row ? getDocumentId(context.addresses, row) : []))
  const end = start + page.length
  return call.reply
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({ dppIds, ...(end < ids.length && { nextCursor: context.cursors.build(end, ids) }) }),
    )
}

/** The public's row is enough for the public; others need all data. */
async function readCurrent({ context, reader }: Call, row: PlacedRow): Promise<PlacedRow> {
  if (getAudience(reader, row) === 'public') return row
  return (await findWholePassport(context.sql, row.id)) ?? row
}

/** Rules about audiences may change, so that not even the past may be cached for ever. */
const PAST = 'public, max-age=3600'

async function sendDocument(call: Call, row: PlacedRow, form: EnForm, caching?: string): Promise<unknown> {
  const types = listDocumentTypes(call.request.headers.accept)
  return sendBody(call, await buildBestBody(call, row, form, types), row, caching)
}

/** Not each passport has credentials: then the next type that the reader accepts. */
async function buildBestBody(
  call: Call,
  row: PlacedRow,
  form: EnForm,
  [type, ...others]: readonly [DocumentType, ...DocumentType[]],
): Promise<TypedBody> {
  try {
    return await buildBody(call, row, form, type)
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'not_acceptable'
    const [next, ...rest] = others
    if (!isMissing || next === undefined) throw error
    return buildBestBody(call, row, form, [next, ...rest])
  }
}

async function buildBody(call: Call, row: PlacedRow, form: EnForm, type: DocumentType): Promise<TypedBody> {
  const audience = getAudience(call.reader, row)
  // The context that documents name is that of the compressed form: a processor would drop all elements.
  if (form === 'full' && type === 'application/ld+json') {
    const message = 'The full form is not JSON-LD. Accept application/json, or ask for the compressed form.'
    throw new AppError('not_acceptable', message)
  }
  if (isJsonType(type)) return describeJson(call, type, await createEnText(call.context, row, audience, form))
  const format = DOCUMENT_FORMATS.find(({ mediaTypes }) => mediaTypes.includes(type))
  if (format === undefined) throw new Error(`broken assumption: ${type} is a type of a format`)
  const body = (await format.build(call.context, row, audience)).toString()
  return { type, body, etag: buildEtag(body) }
}

type TypedBody = { type: string; body: string; etag: string }

const describeJson = ({ reader }: Call, type: JsonType, body: string): TypedBody => ({
  type: `${type}; charset=utf-8`,
  body,
  etag: reader.kind === 'public' ? buildEtag(body) : buildPrivateEtagOfJson(body),
})

const send = (call: Call, body: string, row: PlacedRow): unknown =>
  sendBody(call, describeJson(call, selectDocumentType(call.request.headers.accept), body), row)

function sendBody(
  { request, reply, reader }: Call,
  { type, body, etag }: TypedBody,
  { updated_at }: Pick<PlacedRow, 'updated_at'>,
  caching = 'public, no-cache',
): unknown {
  reply.header('etag', etag).header('last-modified', updated_at.toUTCString())
  reply.header('cache-control', reader.kind === 'public' ? caching : 'private, no-store')
  if (matchesAny(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(type).send(Buffer.from(body))
}
