/** `/p/{id}/events`: the events of a unit that the reader may see, as JSON. */
import type { FastifyReply } from 'fastify'
import type { Audience } from '../../categories/field.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { invalid, notFound } from '../../kernel/errors/errors.ts'
import { HttpError } from '../../kernel/http/http-error.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { type Access, findAccess } from '../../passports/access/access-links.ts'
import { countAccessUse } from '../../passports/access/count-uses.ts'
import { getLifeState, parseLife } from '../../passports/core/unit-life.ts'
import { type ReaderEvent, type ReaderEvents, readEventsFor } from '../../passports/life/reader-events.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { prepareResponse, sendPrepared, sendUncached } from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import {
  type AccessContext,
  authorizePreview,
  createAccessContext,
  describeToken,
  findPreviewRequest,
  findToken,
  moveTokenToCookie,
  PASSPORT_VARY,
  PRIVATE_HEADERS,
  type Preview,
  type RequestToken,
} from './access.ts'
import { HTML } from './formats.ts'
import { getFirst, type Query } from './languages.ts'
import type { PassportRequest } from './passport-request.ts'
import { PUBLIC_CACHING } from './responses.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25

type EventsContext = AccessContext & { setup: SiteContext }
type EventsCall = EventsContext & { reply: FastifyReply; request: PassportRequest; page: Page }
type Page = { limit: number; after: string | undefined }

/** The handler of `GET /p/:id/events`. */
export function createEventsHandler(setup: SiteContext): (_: unknown, reply: FastifyReply) => unknown {
  const context: EventsContext = { ...createAccessContext(setup), setup }
  return (_, reply) => {
    const { id = '' } = getPathParameters(reply.request)
    if (parseId(id) === undefined) throw notFound('passport')
    const query = getQuery(reply.request)
    const now = setup.clock.now()
    const request = { id, below: '/events', query, now, format: HTML, isLinkInvalid: false }
    return answer({ ...context, reply, request, page: readPageQuery(query) })
  }
}

/** Throws `validation`. */
function readPageQuery(query: Query): Page {
  const wrong = (name: string, message: string) =>
    invalid([{ path: [name], in: 'query', code: 'format', message }])
  const limit = getFirst(query.limit) ?? String(DEFAULT_LIMIT)
  const after = getFirst(query.cursor)
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_LIMIT)
    throw wrong('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  if (after !== undefined && !/^[0-9a-f]{64}$/.test(after))
    throw wrong('cursor', 'cursor is not from this list; send next_cursor as it was.')
  return { limit: Number(limit), after }
}

function answer(call: EventsCall): Promise<unknown> {
  const { setup, reply, request } = call
  const { headers } = reply.request.raw
  const token = findToken(call, headers, request)
  const isWrong = token === undefined && headers.authorization !== undefined
  if (token === 'malformed' || isWrong) return setup.uncachedLimit.run(reply, async () => rejectToken())
  const countsAs = token?.from === 'cookie' ? 'link' : 'page'
  const credential = token === undefined ? {} : describeToken(token)
  return setup.uncachedLimit.run(reply, () => send(call, token), { ...credential, countsAs })
}

function rejectToken(): never {
  throw new HttpError(
    'unauthorized',
    'This access token is not valid. Check it for missing characters; it may also be revoked or expired.',
    { 'www-authenticate': 'Bearer' },
  )
}

async function send(call: EventsCall, token: RequestToken | undefined): Promise<unknown> {
  const { setup, reply, request } = call
  const row = await readPublicPassport(setup.sql, request.id, request.now)
  if (row === undefined) throw notFound('passport')
  const access = await findReader(call, token, row)
  if (access === undefined) {
    // A cookie may be older than the end of its link: then the reader is one of the public.
    if (token !== undefined && token.from !== 'cookie') rejectToken()
    return sendPublicEvents(call, row)
  }
  if (token?.from === 'query') return moveTokenToCookie(call, reply, request, token.text)
  if ('linkId' in access) countUse(call, access)
  return sendUncached(reply, {
    headers: { ...buildHeaders(call), ...PRIVATE_HEADERS },
    body: await buildBody(call, row, access.audience),
  })
}

/** A reader with an access link, or a member of the account; undefined for the public. */
async function findReader(
  call: EventsCall,
  token: RequestToken | undefined,
  row: PublicPassportRow,
): Promise<Access | Preview | undefined> {
  const { setup, reply, request } = call
  const preview = findPreviewRequest(call, reply.request.raw.headers, request)
  if (preview !== undefined) return authorizePreview(call, preview, row)
  return token && findAccess(setup.sql, token.text, row, request.now)
}

function countUse({ setup, reply, request }: EventsCall, access: Access): void {
  const { id, method, log } = reply.request
  if (method !== 'GET') return
  countAccessUse(setup.sql, access, request.now, reason =>
    log.warn({ request_id: id, reason: String(reason) }, 'a use of an access link was not counted'),
  )
}

async function sendPublicEvents(call: EventsCall, row: PublicPassportRow): Promise<unknown> {
  const response = prepareResponse({
    body: await buildBody(call, row, 'public'),
    etagPrefix: `${call.request.id}.events`,
    headers: {
      ...buildHeaders(call),
      ...ALLOW_ANY_ORIGIN,
      'cache-control': PUBLIC_CACHING,
      vary: PASSPORT_VARY,
      'x-robots-tag': 'noindex',
    },
  })
  return sendPrepared(call.reply, response)
}

const buildHeaders = ({ setup }: EventsCall) => ({
  ...buildSecurityHeaders(setup.addresses.publicUrl),
  'content-type': 'application/json; charset=utf-8',
})

async function buildBody(
  { setup, page }: EventsCall,
  row: PublicPassportRow,
  audience: Audience,
): Promise<string> {
  const life = parseLife(row.life)
  const { limit } = page
  const hasNone = life === null || (audience === 'public' && life.public_events === 0)
  const none: ReaderEvents = { events: [], next: undefined }
  const { events, next } = hasNone ? none : await readEventsFor(setup.sql, row, { audience, ...page })
  return JSON.stringify({
    data: events.map(toJson),
    meta: {
      life: life === null ? 'new' : getLifeState(life, audience),
      limit,
      has_more: next !== undefined,
      next_cursor: next ?? null,
    },
  })
}

const toJson = ({
  kind,
  at,
  storedAt,
  negative,
  note,
  parts,
  by,
  corrected,
  isReplacement,
}: ReaderEvent) => ({
  kind,
  at,
  stored_at: storedAt.toISOString(),
  negative,
  note: note ?? null,
  parts: parts ?? [],
  by: by ?? null,
  corrected: corrected && { at: corrected.at.toISOString(), note: corrected.note ?? null },
  replaces_next: isReplacement,
})
