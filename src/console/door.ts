/** The console door: its table of contents, and what holds for every page before its handler runs. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { findSessionToken } from '../accounts/session-cookie.ts'
import { findSession } from '../accounts/sessions.ts'
import { answerError, refuse } from './error-page.ts'
import { readForm } from './form.ts'
import { showHome, submitAccount } from './home.ts'
import { showKeys, showRevoke, submitKey, submitRevoke } from './keys.ts'
import { HOME, SIGN_IN, signInFor } from './own-path.ts'
import type { ConsoleRoute, ConsoleSetup, Outcome, Visit } from './route.ts'
import { isSameOrigin } from './same-origin.ts'
import { sessionCookie } from './session-cookie.ts'
import { showSetPassword, submitSetPassword } from './set-password.ts'
import { showSetUp, submitSetUp } from './set-up.ts'
import { pageHeaders, shell } from './shell.ts'
import { showSignIn, submitSignIn, submitSignOut } from './sign-in.ts'
import { STYLE_PATH, sendStyle } from './stylesheet.ts'
import { chooseWords } from './texts.ts'

export type { ConsoleSetup } from './route.ts'

export const MAX_FORM_BYTES = 16 * 1024

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: HOME, access: 'signed_in', handle: showHome },
  { method: 'GET', path: SIGN_IN, access: 'anyone', handle: showSignIn },
  { method: 'POST', path: SIGN_IN, access: 'anyone', handle: submitSignIn },
  { method: 'POST', path: '/console/sign-out', access: 'anyone', handle: submitSignOut },
  { method: 'GET', path: '/console/set-up', access: 'anyone', handle: showSetUp },
  { method: 'POST', path: '/console/set-up', access: 'anyone', handle: submitSetUp },
  { method: 'GET', path: '/console/set-password', access: 'anyone', handle: showSetPassword },
  { method: 'POST', path: '/console/set-password', access: 'anyone', handle: submitSetPassword },
  { method: 'POST', path: '/console/account', access: 'signed_in', handle: submitAccount },
  { method: 'GET', path: '/console/keys', access: 'signed_in', handle: showKeys },
  { method: 'POST', path: '/console/keys', access: 'owner', handle: submitKey },
  { method: 'GET', path: '/console/keys/:id/revoke', access: 'owner', handle: showRevoke },
  { method: 'POST', path: '/console/keys/:id/revoke', access: 'owner', handle: submitRevoke },
]

/** Registers the pages under `/console`. Pages are ready text; forms are the only bodies that are read. */
export function registerConsole(app: FastifyInstance, setup: ConsoleSetup): void {
  const { publicUrl } = setup.addresses
  app.register(async door => {
    door.removeAllContentTypeParsers()
    door.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, body),
    )
    door.addHook('onRequest', async (request, reply) => {
      const isSafe = request.method === 'GET' || request.method === 'HEAD'
      if (!isSafe && !isSameOrigin(request.headers, publicUrl)) {
        const words = chooseWords(request.headers['accept-language'])
        return refuse(setup, { request, reply, status: 403, sentence: words.texts.crossSite })
      }
    })
    door.setErrorHandler((error: Error, request, reply) => answerError(setup, { request, reply, error }))
    for (const route of CONSOLE_ROUTES) {
      door.route({
        method: route.method,
        url: route.path,
        handler: (request, reply) => run(setup, route, request, reply),
      })
    }
    door.get(STYLE_PATH, sendStyle)
    door.get(`${HOME}/`, (_request, reply) => reply.redirect(HOME, 308))
    for (const path of [STYLE_PATH, ...new Set(CONSOLE_ROUTES.map(route => route.path))]) {
      refuseOtherMethods(setup, door, path)
    }
    door.all(`${HOME}/*`, (request, reply) => refuse(setup, { request, reply, status: 404 }))
  })
}

async function run(setup: ConsoleSetup, route: ConsoleRoute, request: FastifyRequest, reply: FastifyReply) {
  const visit = await visitOf(setup, request)
  const { session, token } = visit
  if (session?.isMoved && token !== undefined) setCookie(setup, reply, token)
  if (route.access === 'anyone') return send(setup, { request, reply, visit }, await route.handle(visit))
  if (session === undefined || token === undefined) {
    const way = signInFor(request.method === 'POST' ? HOME : request.url)
    return send(setup, { request, reply, visit }, { to: way })
  }
  if (route.access === 'owner' && session.role !== 'owner') {
    return refuse(setup, { request, reply, session, status: 403, sentence: visit.words.texts.ownersOnly })
  }
  return send(setup, { request, reply, visit }, await route.handle({ ...visit, session, token }))
}

async function visitOf(setup: ConsoleSetup, request: FastifyRequest): Promise<Visit> {
  const token = findSessionToken(setup.addresses.publicUrl, request.headers.cookie)
  return {
    setup,
    words: chooseWords(request.headers['accept-language']),
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.url.split('?', 2)[1] ?? ''),
    form: readForm(typeof request.body === 'string' ? request.body : ''),
    network: request.ip,
    token,
    session: token === undefined ? undefined : await findSession(setup, token),
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; visit: Visit }

function send(setup: ConsoleSetup, { request, reply, visit }: Exchange, outcome: Outcome): FastifyReply {
  reply.headers(pageHeaders(setup.addresses.publicUrl))
  if ('to' in outcome) {
    if (outcome.session !== undefined) setCookie(setup, reply, outcome.session)
    return reply.code(303).header('location', outcome.to).removeHeader('content-type').send()
  }
  const { words, session } = visit
  const path = request.routeOptions.url ?? ''
  return reply
    .code(outcome.status ?? 200)
    .headers({ 'content-language': words.language, ...outcome.headers })
    .send(shell({ words, session, path, page: outcome }))
}

/** Replaces what was set before: a session that was moved and then ended must not come back. */
function setCookie(setup: ConsoleSetup, reply: FastifyReply, token: string | null): void {
  reply.removeHeader('set-cookie').header('set-cookie', sessionCookie(setup.addresses.publicUrl, token))
}

/** Every path answers every method: with what it can do, if not with what was asked. */
function refuseOtherMethods(setup: ConsoleSetup, door: FastifyInstance, path: string): void {
  const own = CONSOLE_ROUTES.filter(route => route.path === path).map(route => route.method)
  const taken: string[] = own.includes('GET') || own.length === 0 ? ['GET', 'HEAD'] : []
  if (own.includes('POST')) taken.push('POST')
  const all: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
  door.route({
    method: all.filter(method => !taken.includes(method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request, reply) =>
      refuse(setup, { request, reply, status: 405, headers: { allow: taken.join(', ') } }),
    handler: () => undefined,
  })
}
