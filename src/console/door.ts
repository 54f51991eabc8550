/** The console door: the checks before every page's handler. */

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Role } from '../accounts/people/people.ts'
import { findSessionToken } from '../accounts/people/session-cookie.ts'
import { findSession, isRecentlyProven, type Session, toAccountContext } from '../accounts/people/sessions.ts'
import { parseId } from '../kernel/crypto/ids.ts'
import { AppError } from '../kernel/errors/errors.ts'
import { getNetwork } from '../kernel/http/network.ts'
import { getServerHost } from '../kernel/http/public-link.ts'
import { readBody } from '../kernel/http/read-body.ts'
import { getPathParameters } from '../kernel/http/request-input.ts'
import type { SecurityEvent } from '../kernel/monitoring/security-events.ts'
import { atPassport } from '../passports/read/find.ts'
import { ASSET_PATHS, registerAssets } from './page/assets.ts'
import { sendErrorPage, sendThrownError } from './page/error-page.ts'
import { hasTooManyFields, readForm } from './page/form.ts'
import { findKeptAnswer, forgetAnswer, keepAnswer } from './page/kept-answer.ts'
import { ANSWER, withoutAnswer } from './page/page-before.ts'
import {
  type AnyVisit,
  type ConsoleRoute,
  type ConsoleSetup,
  type Download,
  HOME,
  type ModuleAnswer,
  type Outcome,
  type ShownPicture,
  signInFor,
  type Visit,
} from './page/route.ts'
import { consoleHeaders, shell } from './page/shell.ts'
import { keepTypedInput, savedCookie } from './page/typed-input.ts'
import { readUploads } from './page/upload.ts'
import { chooseWords } from './page/words.ts'
import { refuseForCost, renderInTurn } from './request-limits.ts'
import { CONSOLE_ROUTES } from './routes.ts'
import { isSameOrigin } from './same-origin.ts'
import { confirm } from './sign-in/confirm.ts'
import { deviceCookie, sessionCookie } from './sign-in/cookies.ts'
import { sessionEndedPage } from './sign-in/session-ended.ts'

/** The limit of a form whose route declares no other. */
const MAX_FORM_BYTES = 16 * 1024

/** Registers the pages under `/console`. Responses are finished text; only forms are parsed as bodies. */
export function registerConsole(app: FastifyInstance, setup: ConsoleSetup): void {
  const { publicUrl } = setup.addresses
  app.register(async door => {
    door.removeAllContentTypeParsers()
    door.addContentTypeParser('application/x-www-form-urlencoded', readFormBody)
    acceptUploads(door)
    door.addHook('onRequest', async (request, reply) => {
      const isSafe = request.method === 'GET' || request.method === 'HEAD'
      if (!isSafe && !isSameOrigin(request.headers, publicUrl)) {
        noteFor(setup, request)('cross_site_refused')
        const words = chooseWords(request.headers['accept-language'])
        return sendErrorPage({ request, reply, status: 403, sentence: words.texts.requests.crossSite })
      }
    })
    door.setErrorHandler((error: Error, request, reply) => sendThrownError({ request, reply, error }))
    for (const route of CONSOLE_ROUTES) {
      door.route({
        method: route.method,
        url: route.path,
        bodyLimit: route.bodyLimit ?? MAX_FORM_BYTES,
        config: { isLong: isLong(route), isUpload: route.takesFile === true },
        handler: (request, reply) => run(setup, route, request, reply),
      })
    }
    registerAssets(door)
    door.get(`${HOME}/`, (_request, reply) => reply.redirect(HOME, 308))
    for (const path of [...ASSET_PATHS, ...new Set(CONSOLE_ROUTES.map(route => route.path))]) {
      rejectOtherMethods(door, path)
    }
    door.all(`${HOME}/*`, (request, reply) => sendErrorPage({ request, reply, status: 404 }))
  })
}

async function readFormBody(request: FastifyRequest, body: Readable): Promise<string> {
  const maxBytes = request.routeOptions.bodyLimit ?? MAX_FORM_BYTES
  const bytes = await readBody({ request, body, maxBytes })
  const form = bytes.toString()
  if (hasTooManyFields(form)) throw new AppError('payload_too_large', 'The form has too many fields.')
  return form
}

const isLong = ({ cost, takesFile }: ConsoleRoute) => cost === 'download' || takesFile === true

/** Forms with a file are not parsed here: the route reads them after it has identified the sender. */
function acceptUploads(door: FastifyInstance): void {
  const taking = new Set(
    CONSOLE_ROUTES.filter(route => route.takesFile || route.uploads).map(route => route.path),
  )
  door.addContentTypeParser('multipart/form-data', (request, payload, done) => {
    if (taking.has(request.routeOptions.url ?? '')) done(null, payload)
    else done(Object.assign(new Error('no file is taken here'), { statusCode: 415 }))
  })
}

async function run(setup: ConsoleSetup, route: ConsoleRoute, request: FastifyRequest, reply: FastifyReply) {
  const visit = await visitOf(setup, request)
  const { session, token } = visit
  if (session?.isMoved && token !== undefined) setCookie(setup, reply, token)
  const answer = async (outcome: Outcome) =>
    send(setup, { request, reply, visit }, await placeAnswer(route, visit, outcome))
  if (route.access === 'anyone') return answer(await route.handle(visit))
  if (session === undefined || token === undefined) {
    const { method, url, body } = request
    const withFiles = body !== undefined && typeof body !== 'string'
    return answer(method === 'POST' ? sessionEndedPage(visit, withFiles) : { to: signInFor(url) })
  }
  if (!mayEnter(session, route.access)) return sendForbidden({ request, reply, visit }, session, route.access)
  const entry = { sql: setup.sql, route, session, request, reply }
  const refused = await refuseForCost(entry)
  if (refused !== undefined) return refused
  const home = { ...toAccountContext(setup, session), ownHost: getServerHost(setup.addresses) }
  const uuid = home.spread && parseId(visit.id)
  const ctx = uuid === undefined ? home : await atPassport(home, uuid)
  const signedIn = { ...visit, session, token, ctx }
  if (route.needsProof && !isRecentlyProven(session, setup.clock.now())) {
    const proof = await confirm(signedIn)
    if (!('token' in proof)) return answer(proof)
    setCookie(setup, reply, proof.token)
    signedIn.token = proof.token
  }
  const sent = await sentWith(route, request)
  return renderInTurn(entry, async () => {
    const shown = await findShownAnswer(request, signedIn)
    if (shown !== undefined) return send(setup, { request, reply, visit }, shown)
    return answer(await route.handle({ ...signedIn, ...sent }))
  })
}

/** Returns the page for a GET with `?answer=`; undefined for all other requests. */
async function findShownAnswer({ method }: FastifyRequest, visit: Visit): Promise<Outcome | undefined> {
  const token = method === 'POST' ? null : visit.query.get(ANSWER)
  if (token === null) return undefined
  return (await findKeptAnswer(visit, token)) ?? { to: withoutAnswer(visit.url) }
}

/** A page that answers a form gets an address; all other outcomes stay as they are. */
async function placeAnswer(
  { method, access }: ConsoleRoute,
  visit: AnyVisit,
  outcome: Outcome,
): Promise<Outcome> {
  const { session, words } = visit
  const isAnswer = method === 'POST'
  const page = 'body' in outcome ? keepTypedInput(outcome, { session, words, isAnswer }) : undefined
  if (!isAnswer || session === undefined || access === 'anyone') return page ?? outcome
  if (page !== undefined) return (await keepAnswer({ ...visit, session }, page, hasPage)) ?? page
  if (!('to' in outcome)) return outcome
  await forgetAnswer({ ...visit, session })
  return visit.wantsHtml ? { ...outcome, isSaved: true } : outcome
}

const PAGES = CONSOLE_ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'anyone').map(
  ({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
)

const hasPage = (path: string): boolean => PAGES.some(page => page.test(path.split('?')[0] ?? ''))

function sendForbidden(
  { request, reply, visit }: Exchange,
  session: Session,
  access: SignedInAccess,
): FastifyReply {
  visit.note('right_refused')
  if (access === 'operator') return sendErrorPage({ request, reply, session, status: 404 })
  const { requests, page } = visit.words.texts
  const rights = access === 'owner' ? requests.ownersOnly : requests.editorsOnly
  const sentence = session.account.closedAt === null ? rights : page.accountClosed
  return sendErrorPage({ request, reply, session, status: 403, sentence })
}

/** Logs a refused request with its id and a hash of its network. */
const noteFor =
  ({ security }: ConsoleSetup, request: FastifyRequest) =>
  (event: SecurityEvent) =>
    security.note(event, { requestId: String(request.id), network: getNetwork(request.clientAddress) })

/** The fields and files of a form. Files are read only after the sender is authorised. */
async function sentWith(
  route: ConsoleRoute,
  { headers, body }: FastifyRequest,
): Promise<Pick<AnyVisit, 'form' | 'uploads'> | undefined> {
  if (route.uploads === undefined || !(body instanceof Readable)) return undefined
  const { fields, uploads } = await readUploads(body, headers, route.uploads)
  return { form: readForm(fields), uploads }
}

type SignedInAccess = Exclude<ConsoleRoute['access'], 'anyone'>

const RANK = { viewer: 0, editor: 1, owner: 2 } as const satisfies Record<Role, number>

function mayEnter({ role, account }: Session, access: SignedInAccess): boolean {
  if (access === 'operator') return role === 'owner' && account.isOperator
  return RANK[role] >= RANK[access === 'signed_in' ? 'viewer' : access]
}

async function visitOf(setup: ConsoleSetup, request: FastifyRequest): Promise<AnyVisit> {
  const token = findSessionToken(setup.addresses.publicUrl, request.headers.cookie)
  const { id = '', n = '' } = getPathParameters(request)
  return {
    setup,
    words: chooseWords(request.headers['accept-language']),
    id,
    n,
    query: new URLSearchParams(request.url.split('?', 2)[1] ?? ''),
    form: readForm(typeof request.body === 'string' ? request.body : ''),
    uploads: new Map(),
    upload: uploadOf(request),
    network: request.clientAddress,
    token,
    cookies: request.headers.cookie,
    referer: request.headers.referer,
    url: request.url,
    wantsHtml: /\btext\/html\b/i.test(request.headers.accept ?? ''),
    note: noteFor(setup, request),
    session: token === undefined ? undefined : await findSession(setup, token),
  }
}

function uploadOf({ body, headers }: FastifyRequest): AnyVisit['upload'] {
  if (!(body instanceof Readable)) return undefined
  const length = headers['content-length']
  const type = headers['content-type'] ?? ''
  return { stream: body, type, length: length === undefined ? undefined : Number(length) }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; visit: AnyVisit }

function send(setup: ConsoleSetup, { request, reply, visit }: Exchange, outcome: Outcome): FastifyReply {
  const { words, session } = visit
  reply.headers(consoleHeaders({ scripts: 'scripts' in outcome && (outcome.scripts?.length ?? 0) > 0 }))
  if ('session' in outcome && outcome.session !== undefined) setCookie(setup, reply, outcome.session)
  if ('file' in outcome) return sendFile(reply, outcome.file)
  if ('picture' in outcome) return sendPicture(reply, outcome.picture)
  if ('data' in outcome) return sendData(reply, outcome)
  if ('to' in outcome) {
    if (outcome.knows !== undefined) {
      reply.header('set-cookie', deviceCookie(setup, visit.cookies, outcome.knows))
    }
    if (outcome.cookie !== undefined) reply.header('set-cookie', outcome.cookie)
    if (outcome.isSaved === true) {
      reply.header('set-cookie', savedCookie(setup.addresses.publicUrl, visit.cookies, visit.url))
    }
    return reply.code(303).header('location', outcome.to).removeHeader('content-type').send()
  }
  const path = request.routeOptions.url ?? ''
  return reply
    .code(outcome.status ?? 200)
    .headers({
      'content-language': words.language,
      ...(outcome.status === 503 && { 'retry-after': '2' }),
      ...outcome.headers,
    })
    .send(shell({ words, session, path, page: outcome }))
}

function sendData(reply: FastifyReply, { data, status = 200 }: ModuleAnswer): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(data))
}

/**
 * A download is never shown in the page's own origin, whatever it contains. Proxies are asked not to buffer a
 * streamed one: they would collect a gigabyte at once and then send nothing for minutes.
 */
function sendFile(reply: FastifyReply, { name, type, content }: Download): FastifyReply {
  const ascii = name.replace(/[^\w.-]/g, '_')
  return reply
    .headers({
      ...(content instanceof Readable ? { 'x-accel-buffering': 'no' } : {}),
      'content-type': type,
      'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    })
    .send(content)
}

/** Kept by this browser for an hour, so that the pages of a list do not ask for it again. */
const sendPicture = (reply: FastifyReply, { type, content }: ShownPicture): FastifyReply =>
  reply
    .headers({ 'content-type': type, 'cache-control': 'private, max-age=3600, immutable', vary: 'Cookie' })
    .send(content)

/** Replaces an earlier cookie: a session that was extended and then ended must not return. */
function setCookie(setup: ConsoleSetup, reply: FastifyReply, token: string | null): void {
  reply.removeHeader('set-cookie').header('set-cookie', sessionCookie(setup.addresses.publicUrl, token))
}

/** Answers every other method of a path with the allowed ones. */
function rejectOtherMethods(door: FastifyInstance, path: string): void {
  const own = CONSOLE_ROUTES.filter(route => route.path === path).map(route => route.method)
  const taken: string[] = own.includes('GET') || own.length === 0 ? ['GET', 'HEAD'] : []
  if (own.includes('POST')) taken.push('POST')
  const all: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
  door.route({
    method: all.filter(method => !taken.includes(method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request, reply) =>
      sendErrorPage({ request, reply, status: 405, headers: { allow: taken.join(', ') } }),
    handler: () => undefined,
  })
}
