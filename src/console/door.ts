/** The console door: its table of contents, and what holds for every page before its handler runs. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Role } from '../accounts/people/people.ts'
import { findSessionToken } from '../accounts/people/session-cookie.ts'
import { findSession, isRecentlyProven } from '../accounts/people/sessions.ts'
import { networkOf } from '../kernel/http/network.ts'
import type { SecurityEvent } from '../kernel/monitoring/security-events.ts'
import { ASSET_PATHS, registerAssets } from './assets.ts'
import { BRAND_ROUTES } from './brand/routes.ts'
import { CONFIRM_OPTIONS, confirm, submitConfirmOptions } from './confirm.ts'
import { refuseForCost } from './costs.ts'
import { DEVELOPER_ROUTES } from './developer/routes.ts'
import { deviceCookie } from './device-cookie.ts'
import { answerError, refuse } from './error-page.ts'
import { showForgotten, submitForgotten } from './forgotten.ts'
import { readForm } from './form.ts'
import { showHome, submitAccount } from './home.ts'
import { showKey, showKeys, showRevoke, showRotate, submitKey, submitRevoke, submitRotate } from './keys.ts'
import { FORGOTTEN, HOME, SIGN_IN, signInFor } from './own-path.ts'
import { submitPasskey, submitPasskeyOptions } from './passkey-sign-in.ts'
import { showProduct, submitOneStatus } from './products/detail.ts'
import { showEdit, submitEdit } from './products/edit.ts'
import { showProducts, submitStatus } from './products/list.ts'
import { showNew, submitNew } from './products/new.ts'
import { showVersion, submitRevert } from './products/versions.ts'
import type { ConsoleRoute, ConsoleSetup, Data, Download, Outcome, Visit } from './route.ts'
import { isSameOrigin } from './same-origin.ts'
import { SCAN_ROUTES } from './scans/routes.ts'
import { sessionCookie } from './session-cookie.ts'
import { sessionEndedPage } from './session-ended.ts'
import { showSetPassword, submitSetPassword } from './set-password.ts'
import { showSetUp, submitSetUp } from './set-up.ts'
import { SETTINGS_ROUTES } from './settings/routes.ts'
import { pageHeaders, shell } from './shell.ts'
import { SHOWN_KEY } from './shown-key-cookie.ts'
import { showSignIn, submitSignIn, submitSignOut } from './sign-in.ts'
import { submitChoice } from './spreadsheets/choose-sheet.ts'
import { submitColumns } from './spreadsheets/columns.ts'
import { sendExport, sendTemplate, showExport } from './spreadsheets/downloads.ts'
import { sendErrors, showSheet, submitDiscard, submitRun, submitStop } from './spreadsheets/progress.ts'
import { showImport, submitSheet } from './spreadsheets/start.ts'
import { chooseWords } from './texts.ts'
import { showIssue, submitIssue } from './units/issue.ts'
import { sendCode, sendLabels, showLabels } from './units/labels.ts'
import { submitRefresh } from './units/refresh.ts'
import { readUploads } from './upload.ts'

export type { ConsoleSetup } from './route.ts'

export const MAX_FORM_BYTES = 16 * 1024
/** A form with a whole passport in it. */
export const MAX_DATA_BYTES = 1024 * 1024

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: HOME, access: 'signed_in', handle: showHome },
  { method: 'GET', path: SIGN_IN, access: 'anyone', handle: showSignIn },
  { method: 'POST', path: SIGN_IN, access: 'anyone', handle: submitSignIn },
  { method: 'POST', path: '/console/sign-in/passkey', access: 'anyone', handle: submitPasskey },
  {
    method: 'POST',
    path: '/console/sign-in/passkey/options',
    access: 'anyone',
    handle: submitPasskeyOptions,
  },
  { method: 'GET', path: FORGOTTEN, access: 'anyone', handle: showForgotten },
  { method: 'POST', path: FORGOTTEN, access: 'anyone', handle: submitForgotten },
  { method: 'POST', path: CONFIRM_OPTIONS, access: 'signed_in', handle: submitConfirmOptions },
  { method: 'POST', path: '/console/sign-out', access: 'anyone', handle: submitSignOut },
  { method: 'GET', path: '/console/set-up', access: 'anyone', handle: showSetUp },
  { method: 'POST', path: '/console/set-up', access: 'anyone', handle: submitSetUp },
  { method: 'GET', path: '/console/set-password', access: 'anyone', handle: showSetPassword },
  { method: 'POST', path: '/console/set-password', access: 'anyone', handle: submitSetPassword },
  { method: 'POST', path: '/console/account', access: 'signed_in', handle: submitAccount },
  { method: 'GET', path: '/console/products', access: 'signed_in', handle: showProducts },
  {
    method: 'POST',
    path: '/console/products',
    access: 'editor',
    handle: submitNew,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'POST', path: '/console/products/status', access: 'editor', handle: submitStatus },
  { method: 'GET', path: '/console/products/new', access: 'editor', handle: showNew },
  { method: 'GET', path: '/console/products/:id', access: 'signed_in', handle: showProduct },
  {
    method: 'POST',
    path: '/console/products/:id',
    access: 'editor',
    handle: submitEdit,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'GET', path: '/console/products/:id/edit', access: 'editor', handle: showEdit },
  { method: 'POST', path: '/console/products/:id/status', access: 'editor', handle: submitOneStatus },
  { method: 'POST', path: '/console/products/:id/refresh', access: 'editor', handle: submitRefresh },
  { method: 'POST', path: '/console/products/:id/units', access: 'editor', handle: submitIssue },
  { method: 'GET', path: '/console/products/:id/units/new', access: 'editor', handle: showIssue },
  { method: 'GET', path: '/console/products/:id/code.png', access: 'signed_in', handle: sendCode },
  { method: 'GET', path: '/console/products/:id/labels', access: 'signed_in', handle: showLabels },
  {
    method: 'GET',
    path: '/console/products/:id/labels/file',
    access: 'signed_in',
    cost: 'download',
    handle: sendLabels,
  },
  { method: 'GET', path: '/console/products/:id/versions/:n', access: 'signed_in', handle: showVersion },
  {
    method: 'POST',
    path: '/console/products/:id/versions/:n/revert',
    access: 'editor',
    handle: submitRevert,
  },
  { method: 'GET', path: '/console/import', access: 'signed_in', handle: showImport },
  { method: 'POST', path: '/console/import', access: 'editor', handle: submitSheet, takesFile: true },
  { method: 'GET', path: '/console/import/template', access: 'signed_in', handle: sendTemplate },
  { method: 'GET', path: '/console/import/:id', access: 'editor', handle: showSheet },
  {
    method: 'POST',
    path: '/console/import/:id/columns',
    access: 'editor',
    handle: submitColumns,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'POST', path: '/console/import/:id/sheet', access: 'editor', handle: submitChoice },
  { method: 'POST', path: '/console/import/:id/run', access: 'editor', handle: submitRun },
  { method: 'POST', path: '/console/import/:id/stop', access: 'editor', handle: submitStop },
  { method: 'POST', path: '/console/import/:id/discard', access: 'editor', handle: submitDiscard },
  {
    method: 'GET',
    path: '/console/import/:id/errors',
    access: 'editor',
    cost: 'download',
    handle: sendErrors,
  },
  { method: 'GET', path: '/console/export', access: 'signed_in', handle: showExport },
  { method: 'GET', path: '/console/export/file', access: 'signed_in', cost: 'download', handle: sendExport },
  { method: 'GET', path: '/console/keys', access: 'signed_in', handle: showKeys },
  { method: 'POST', path: '/console/keys', access: 'owner', needsProof: true, handle: submitKey },
  { method: 'GET', path: SHOWN_KEY, access: 'owner', handle: showKey },
  { method: 'GET', path: '/console/keys/:id/rotate', access: 'owner', handle: showRotate },
  {
    method: 'POST',
    path: '/console/keys/:id/rotate',
    access: 'owner',
    needsProof: true,
    handle: submitRotate,
  },
  { method: 'GET', path: '/console/keys/:id/revoke', access: 'owner', handle: showRevoke },
  { method: 'POST', path: '/console/keys/:id/revoke', access: 'owner', handle: submitRevoke },
  ...SCAN_ROUTES,
  ...SETTINGS_ROUTES,
  ...DEVELOPER_ROUTES,
  ...BRAND_ROUTES,
]

/** Registers the pages under `/console`. Pages are ready text; forms are the only bodies that are read. */
export function registerConsole(app: FastifyInstance, setup: ConsoleSetup): void {
  const { publicUrl } = setup.addresses
  app.register(async door => {
    door.removeAllContentTypeParsers()
    door.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_DATA_BYTES },
      (_request, body, done) => done(null, body),
    )
    acceptUploads(door)
    door.addHook('onRequest', async (request, reply) => {
      const isSafe = request.method === 'GET' || request.method === 'HEAD'
      if (!isSafe && !isSameOrigin(request.headers, publicUrl)) {
        noteFor(setup, request)('cross_site_refused')
        const words = chooseWords(request.headers['accept-language'])
        return refuse({ request, reply, status: 403, sentence: words.texts.crossSite })
      }
    })
    door.setErrorHandler((error: Error, request, reply) => answerError({ request, reply, error }))
    for (const route of CONSOLE_ROUTES) {
      door.route({
        method: route.method,
        url: route.path,
        bodyLimit: route.bodyLimit ?? MAX_FORM_BYTES,
        handler: (request, reply) => run(setup, route, request, reply),
      })
    }
    registerAssets(door)
    door.get(`${HOME}/`, (_request, reply) => reply.redirect(HOME, 308))
    for (const path of [...ASSET_PATHS, ...new Set(CONSOLE_ROUTES.map(route => route.path))]) {
      refuseOtherMethods(door, path)
    }
    door.all(`${HOME}/*`, (request, reply) => refuse({ request, reply, status: 404 }))
  })
}

/** A form with a file is not read here: its route reads it, once it is known who sent it. */
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
  if (route.access === 'anyone') return send(setup, { request, reply, visit }, await route.handle(visit))
  if (session === undefined || token === undefined) {
    const { method, url, headers, body } = request
    const withFiles = body !== undefined && typeof body !== 'string'
    const sent = { url, referer: headers.referer, withFiles }
    const answer = method === 'POST' ? sessionEndedPage(visit, sent) : { to: signInFor(url) }
    return send(setup, { request, reply, visit }, answer)
  }
  if (!mayEnter(session.role, route.access)) {
    const { ownersOnly, editorsOnly, accountClosed } = visit.words.texts
    const rights = route.access === 'owner' ? ownersOnly : editorsOnly
    const sentence = session.account.closedAt === null ? rights : accountClosed
    visit.note('right_refused')
    return refuse({ request, reply, session, status: 403, sentence })
  }
  const refused = refuseForCost({ sql: setup.sql, route, session, request, reply })
  if (refused !== undefined) return refused
  const signedIn = { ...visit, session, token }
  if (route.needsProof && !isRecentlyProven(session, setup.clock.now())) {
    const proof = await confirm(signedIn)
    if (!('token' in proof)) return send(setup, { request, reply, visit }, proof)
    setCookie(setup, reply, proof.token)
    signedIn.token = proof.token
  }
  const sent = await sentWith(route, request)
  return send(setup, { request, reply, visit }, await route.handle({ ...signedIn, ...sent }))
}

/** What tells of a refused request, with its id and a hash of its network. */
const noteFor =
  ({ security }: ConsoleSetup, request: FastifyRequest) =>
  (event: SecurityEvent) =>
    security.note(event, { requestId: String(request.id), network: networkOf(request.readerAddress) })

/** What a form with files brought; read only once it is clear that its sender may send it. */
async function sentWith(
  route: ConsoleRoute,
  { headers, body }: FastifyRequest,
): Promise<Pick<Visit, 'form' | 'uploads'> | undefined> {
  if (route.uploads === undefined || body === undefined || typeof body === 'string') return undefined
  const { fields, uploads } = await readUploads(body as Readable, headers, route.uploads)
  return { form: readForm(fields), uploads }
}

const RANK = { viewer: 0, editor: 1, owner: 2 } as const satisfies Record<Role, number>

const mayEnter = (role: Role, access: 'signed_in' | 'editor' | 'owner') =>
  RANK[role] >= RANK[access === 'signed_in' ? 'viewer' : access]

async function visitOf(setup: ConsoleSetup, request: FastifyRequest): Promise<Visit> {
  const token = findSessionToken(setup.addresses.publicUrl, request.headers.cookie)
  return {
    setup,
    words: chooseWords(request.headers['accept-language']),
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.url.split('?', 2)[1] ?? ''),
    form: readForm(typeof request.body === 'string' ? request.body : ''),
    uploads: new Map(),
    upload: uploadOf(request),
    network: request.readerAddress,
    token,
    cookies: request.headers.cookie,
    referer: request.headers.referer,
    url: request.url,
    wantsHtml: /\btext\/html\b/i.test(request.headers.accept ?? ''),
    note: noteFor(setup, request),
    session: token === undefined ? undefined : await findSession(setup, token),
  }
}

function uploadOf({ body, headers }: FastifyRequest): Visit['upload'] {
  if (typeof body !== 'object' || body === null) return undefined
  const length = headers['content-length']
  return {
    stream: body as Readable,
    type: headers['content-type'] ?? '',
    length: length === undefined ? undefined : Number(length),
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; visit: Visit }

function send(setup: ConsoleSetup, { request, reply, visit }: Exchange, outcome: Outcome): FastifyReply {
  const scripts = 'scripts' in outcome && (outcome.scripts?.length ?? 0) > 0
  reply.headers(pageHeaders({ scripts }))
  if ('session' in outcome && outcome.session !== undefined) setCookie(setup, reply, outcome.session)
  if ('file' in outcome) return sendFile(reply, outcome.file)
  if ('data' in outcome) return sendData(reply, outcome)
  if ('to' in outcome) {
    if (outcome.knows !== undefined) {
      reply.header('set-cookie', deviceCookie(setup, visit.cookies, outcome.knows))
    }
    if (outcome.cookie !== undefined) reply.header('set-cookie', outcome.cookie)
    return reply.code(303).header('location', outcome.to).removeHeader('content-type').send()
  }
  const { words, session } = visit
  const path = request.routeOptions.url ?? ''
  return reply
    .code(outcome.status ?? 200)
    .headers({ 'content-language': words.language, ...outcome.headers })
    .send(shell({ words, session, path, page: outcome }))
}

function sendData(reply: FastifyReply, { data, status = 200 }: Data): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(data))
}

/**
 * A download: never shown in the page's own origin, whatever is in it. A proxy before us is asked not to gather one that
 * is made while it is sent: it would take a gigabyte at once and then nothing for minutes.
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

/** Replaces what was set before: a session that was moved and then ended must not come back. */
function setCookie(setup: ConsoleSetup, reply: FastifyReply, token: string | null): void {
  reply.removeHeader('set-cookie').header('set-cookie', sessionCookie(setup.addresses.publicUrl, token))
}

/** Every path answers every method: with what it can do, if not with what was asked. */
function refuseOtherMethods(door: FastifyInstance, path: string): void {
  const own = CONSOLE_ROUTES.filter(route => route.path === path).map(route => route.method)
  const taken: string[] = own.includes('GET') || own.length === 0 ? ['GET', 'HEAD'] : []
  if (own.includes('POST')) taken.push('POST')
  const all: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
  door.route({
    method: all.filter(method => !taken.includes(method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request, reply) =>
      refuse({ request, reply, status: 405, headers: { allow: taken.join(', ') } }),
    handler: () => undefined,
  })
}
