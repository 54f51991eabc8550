/** Composes the doors into one server. Tests drive this; nothing but main.ts and the commands starts it for real. */
import {
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { registerDocs } from './api/docs/door.ts'
import { API_PREFIX, registerApi } from './api/door.ts'
import type { ApiSetup } from './api/endpoint/endpoint.ts'
import { errorJson, STATUS } from './api/endpoint/errors.ts'
import { addressHeaders } from './api/limits.ts'
import { answerUnreadable, findMalformed, LINGER_MS, type ParserError } from './api/malformed.ts'
import { type OperatorSetup, registerOperator } from './api/service/operator.ts'
import { type ConsoleSetup, registerConsole } from './console/door.ts'
import { HOME } from './console/page/addresses.ts'
import { answerError as answerByPage } from './console/page/error-page.ts'
import { databaseUnavailable, explainDatabaseError } from './kernel/db/database.ts'
import { AppError, type ErrorCode } from './kernel/errors.ts'
import {
  type ConnectionLimits,
  computeConnectionLimits,
  guardConnections,
} from './kernel/http/connection-guard.ts'
import { defaultHeaders } from './kernel/http/default-headers.ts'
import { getNetwork } from './kernel/http/network.ts'
import { createRequestId, createTrustedProxies, type TrustedProxies } from './kernel/http/trusted-proxies.ts'
import type { Log } from './kernel/log.ts'
import type { SecurityLog } from './kernel/monitoring/security-events.ts'
import { refusalFace, registerSite, type SiteSetup } from './site/door.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom it comes from, behind whatever proxies are trusted. */
    readonly readerAddress: string
  }
}

export type AppSetup = ApiSetup &
  SiteSetup &
  ConsoleSetup &
  OperatorSetup & {
    log: Log
    trustedProxies: readonly string[]
    /** Those of the process's open files unless they are given. */
    connectionLimits?: ConnectionLimits | undefined
  }

const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
/** Of a body that is refused for its size: so much is still read and thrown away. */
const MAX_DISCARDED_BYTES = 64 * 1_048_576

export function createApp(setup: AppSetup): FastifyInstance {
  const { publicUrl } = setup.addresses
  const app = createOperatorApp(setup, (request, status) => refusalFace(publicUrl, request, status))
  registerApi(app, setup)
  registerDocs(app, setup)
  const { answerReady } = registerSite(app, setup)
  registerConsole(app, setup)
  answerReadyPagesFirst(app, setup, answerReady)
  return app
}

/**
 * Most requests are for pages that are ready. The framework's share of such an answer is a fifth of its time, so they
 * are answered before it is asked; whatever is unusual about a request is left to it.
 */
function answerReadyPagesFirst(
  app: FastifyInstance,
  { metrics, log, trustedProxies: proxies }: AppSetup,
  answerReady: ReturnType<typeof registerSite>['answerReady'],
): void {
  if (log.isLevelEnabled('debug')) return
  const ask = findListener(app.server)
  const requestId = createRequestId(proxies)
  // Here nobody else catches: a fault would end the process. What was not answered, the framework answers.
  const isAnswered = (exchange: Parameters<typeof answerReady>[0]) => {
    try {
      return answerReady(exchange)
    } catch (error) {
      log.error({ request_id: exchange.id, err: error }, 'a ready page could not be answered')
      return exchange.response.headersSent
    }
  }
  app.server.off('request', ask)
  app.server.on('request', (request, response) => {
    const began = metrics && performance.now()
    const isUsual =
      request.method === 'GET' && response.socket !== null && findMalformed(request) === undefined
    if (!isUsual || !isAnswered({ request, response, id: requestId(request) })) {
      ask(request, response)
    } else if (began !== undefined) {
      const seconds = (performance.now() - began) / 1000
      metrics?.requestEnded({ method: 'GET', route: '/p/:id', status: response.statusCode, seconds })
    }
  })
}

export type ServerSetup = OperatorSetup &
  Pick<AppSetup, 'sql' | 'clock' | 'log' | 'trustedProxies' | 'connectionLimits'> & {
    addresses: { publicUrl: string }
    /** Undefined while the database is waited for: nobody is let in, so nobody is refused. */
    security?: SecurityLog
  }

/** How a refusal looks at a public address; `page` stands in for the JSON. */
type BuildPublicError = (request: FastifyRequest, status: number) => ReturnType<typeof refusalFace>

/** What every process that listens answers, for whoever runs it; a worker answers nothing else. */
export function createOperatorApp(setup: ServerSetup, faceOf?: BuildPublicError): FastifyInstance {
  const requestId = createRequestId(setup.trustedProxies)
  const { getReaderAddress, isTrusted } = createTrustedProxies(setup.trustedProxies)
  const answering = { ...setup, getReaderAddress }
  const ofAll = defaultHeaders(setup.addresses.publicUrl)
  const app = Fastify({
    loggerInstance: setup.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // A child for each request costs as much as routing it; lines that need the id name it.
    childLoggerFactory: logger => logger,
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: false, caseSensitive: true },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 72_000,
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize,
    },
    // Before any hook: what the address leads to cannot be told but by how it begins.
    frameworkErrors: (routerError, request, reply) => {
      const error = findMalformed(request.raw) ?? routerError
      reply.headers(ofAll).header('x-request-id', request.id)
      if (pathOf(request).startsWith(HOME)) return answerByPage({ request, reply, error })
      return answerError(answering, { error, request, reply, faceOf })
    },
    clientErrorHandler: (error, socket) =>
      answerUnreadable(setup, error as Error as ParserError, socket as Socket, requestId()),
    return503OnClosing: false,
  }) as unknown as FastifyInstance
  app.decorateRequest('readerAddress', {
    getter() {
      return getReaderAddress(this.raw)
    },
  })
  // Only doors read bodies. What is sent to an address that is none is passed over, broken or not.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(ofAll).header('x-request-id', request.id)
    done(findMalformed(request.raw))
  })
  // Failures are logged where they are met; a line for each answer is for who asks for it.
  if (setup.log.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, done) => {
      logAnswer(request, reply)
      done()
    })
  }
  app.setErrorHandler((error: FastifyError, request, reply) =>
    answerError(answering, { error, request, reply, faceOf }),
  )
  app.setNotFoundHandler(() => {
    throw new AppError('not_found', 'There is no such address.')
  })
  answerInTurn(app.server, setup, isTrusted)
  app.server.on('checkExpectation', (request, response) => {
    const id = requestId(request)
    const body = errorJson(
      new AppError('expectation_failed', 'Only "Expect: 100-continue" is understood.'),
      id,
    )
    const length = Buffer.byteLength(body)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': length,
      ...ofAll,
      'x-request-id': id,
      ...addressHeaders(setup, request.socket.remoteAddress),
    }
    hangUpWhenRead(request)
    response.writeHead(417, { ...headers, connection: 'close' }).end(body)
  })
  app.server.on('checkContinue', continueWhenWanted)
  registerOperator(app, setup)
  return app
}

/** Each request is answered when the guard gives it its turn. */
function answerInTurn(server: Server, setup: ServerSetup, isTrusted: TrustedProxies['isTrusted']): void {
  const limits = setup.connectionLimits ?? computeConnectionLimits()
  const { answerInTurn, numbers } = guardConnections(server, { limits, log: setup.log, isTrusted })
  setup.metrics?.watchConnections(numbers)
  const answer = findListener(server)
  server.off('request', answer)
  server.on('request', (request, response) => answerInTurn(request, response, answer))
}

function findListener(server: Server): RequestListener {
  const [answer] = server.listeners('request') as RequestListener[]
  if (answer === undefined) throw new Error('broken assumption: the framework listens to its server')
  return answer
}

/** What answers while the database is waited for: that the process lives, and to everybody else to come again. */
export function createWaitingApp(setup: ServerSetup): FastifyInstance {
  const app = createOperatorApp(setup)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? databaseUnavailable() : undefined))
  return app
}

/** To hang up on who is still sending would overtake the answer on its way: what comes is read, for a while. */
function hangUpWhenRead(request: IncomingMessage): void {
  const { socket } = request
  let waiting: NodeJS.Timeout | undefined
  const linger = () => {
    socket.end()
    waiting = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(waiting))
  }
  socket.destroySoon = linger
  request.once('close', () => {
    // Its own again, for what follows on the connection; unless that has asked for the same.
    if (socket.destroySoon === linger) Reflect.deleteProperty(socket, 'destroySoon')
    if (waiting !== undefined) socket.destroySoon()
  })
}

/**
 * Who asks before sending a body is told to go on when it is read, and no sooner: what is refused without it, for its
 * length or for lack of a key, is refused first. What was not asked for may come or not, so nothing can follow it.
 */
function continueWhenWanted(this: Server, request: IncomingMessage, response: ServerResponse): void {
  const isKept = response.shouldKeepAlive
  response.shouldKeepAlive = false
  hangUpWhenRead(request)
  request.once('resume', () => {
    if (response.headersSent) return
    response.shouldKeepAlive = isKept
    response.writeContinue()
  })
  this.emit('request', request, response)
}

/** No address of a reader, no query: what a passport's reader does is nobody's business. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const line = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
  request.log.debug(line, 'answered')
}

/** Fastify's own refusals, in our words. */
const FRAMEWORK: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload_too_large',
    'The body is too large: at most 1 MiB, 8 MiB for bulk calls.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['bad_request', 'The body is empty. Send a JSON object.'],
  FST_ERR_BAD_URL: ['bad_request', 'The address has a broken percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such address.'],
  // Of the method QUERY alone, where nothing answers it.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['not_found', 'There is no such address.'],
}

/** The refusal an error stands for; anything that is not one is a bug, logged once, here, with the request's id. */
function asRefusal(setup: ServerSetup, error: Error, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  // Nobody is there to read it; the database's lost connections look alike and mean something else.
  if (request.raw.socket.destroyed)
    return new AppError('bad_request', 'The connection ended before the body did.')
  const known = 'code' in error && typeof error.code === 'string' ? FRAMEWORK[error.code] : undefined
  if (known) return new AppError(known[0], known[1])
  const meaning = explainDatabaseError(error)
  if (meaning?.code === 'unavailable') {
    setup.log.warn({ request_id: request.id, reason: error.message }, 'the database did not answer')
  } else {
    setup.log.error({ request_id: request.id, err: error }, 'a request failed')
  }
  return (
    meaning ??
    new AppError('internal', 'Something went wrong on our side. It is logged under the request_id.')
  )
}

/** A request target may be a whole address (RFC 9112 §3.2.2). */
const pathOf = ({ raw: { url = '' } }: FastifyRequest) => url.replace(/^https?:\/\/[^/]*/i, '')

const isOfApi = (request: FastifyRequest) => pathOf(request).startsWith(API_PREFIX)

/** All that no other door stands at. */
const isPublic = (request: FastifyRequest) =>
  !/^\/(?:api|console|docs|metrics)(?![^/?#])/.test(pathOf(request))

/** A key that was sent and opens nothing, or not this. No key at all is only a question. */
function noteRefusal(
  { security, getReaderAddress }: ServerSetup & Pick<TrustedProxies, 'getReaderAddress'>,
  code: ErrorCode,
  request: FastifyRequest,
): void {
  const from = () => ({ requestId: String(request.id), network: getNetwork(getReaderAddress(request.raw)) })
  if (code === 'unauthorized' && request.headers.authorization !== undefined) {
    security?.note('key_refused', from())
  }
  if (code === 'read_only') security?.note('right_refused', from())
}

type Failing = {
  error: Error
  request: FastifyRequest
  reply: FastifyReply
  faceOf: BuildPublicError | undefined
}

/** A request that the framework itself refuses has none of our decorations. */
function answerError(
  setup: ServerSetup & Pick<TrustedProxies, 'getReaderAddress'>,
  { error, request, reply, faceOf }: Failing,
): FastifyReply {
  const refusal = asRefusal(setup, error, request)
  setup.metrics?.refused(refusal.code)
  noteRefusal(setup, refusal.code, request)
  // The framework would hang up on who is still sending, and the system's reset overtakes the answer on its way.
  if (
    refusal.code === 'payload_too_large' &&
    request.headers.expect === undefined &&
    Number(request.headers['content-length']) <= MAX_DISCARDED_BYTES
  ) {
    reply.removeHeader('connection')
  }
  const status = STATUS[refusal.code]
  const face = isPublic(request) ? faceOf?.(request, status) : undefined
  const isUncounted = !reply.hasHeader('x-ratelimit-limit') && isOfApi(request)
  return reply
    .code(status)
    .headers({
      'content-type': 'application/json; charset=utf-8',
      ...face?.headers,
      ...(isUncounted ? addressHeaders(setup, setup.getReaderAddress(request.raw)) : {}),
      ...refusal.headers,
      'x-request-id': request.id,
    })
    .send(face?.page ?? errorJson(refusal, request.id))
}
