/** Composes the doors into one server. Tests call it directly; only the commands make it listen. */
import { maxHeaderSize, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { registerApi } from '../../api/door/door.ts'
import { findMalformed, type ParserError, sendParserError } from '../../api/door/malformed.ts'
import { type BuildPublicError, getRequestPath, sendError } from '../../api/door/send-error.ts'
import { registerDpp } from '../../api/dpp/dpp-door.ts'
import type { ApiSetup } from '../../api/endpoint/endpoint.ts'
import { errorJson } from '../../api/endpoint/errors.ts'
import { countByAddress } from '../../api/endpoint/limits.ts'
import { type OperatorSetup, registerOperator } from '../../api/service/operator.ts'
import { registerSecurityTxt, type SecurityContactSetup } from '../../api/service/security-txt.ts'
import { registerConsole } from '../../console/door.ts'
import { sendThrownError as sendConsoleError } from '../../console/page/error-page.ts'
import { type ConsoleSetup, HOME } from '../../console/page/route.ts'
import { noteClient } from '../../kernel/concurrency/active-clients.ts'
import { countShortRequest } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { databaseUnavailable } from '../../kernel/db/database.ts'
import { AppError, assert } from '../../kernel/errors/errors.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { allowUpload, BODY_DEADLINES, limitBodyTimes } from '../../kernel/http/body-deadlines.ts'
import {
  type ConnectionLimits,
  computeConnectionLimits,
  guardConnections,
} from '../../kernel/http/connection-guard.ts'
import { defaultHeaders } from '../../kernel/http/default-headers.ts'
import { closeAfterReading, sendContinueWhenRead } from '../../kernel/http/expect.ts'
import {
  createRequestId,
  createTrustedProxies,
  type TrustedProxies,
} from '../../kernel/http/trusted-proxies.ts'
import type { SecurityLog } from '../../kernel/monitoring/security-events.ts'
import { registerSite } from '../../site/door.ts'
import type { SiteSetup } from '../../site/http/setup.ts'
import { buildPublicError } from '../../site/passport/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's IP address, as the trusted proxies report it. */
    readonly clientAddress: string
    /** The same; undefined behind a proxy that hides it, which must not be limited as one client. */
    readonly ownAddress: string | undefined
    /** The response, for parsers of bodies, which get no reply. */
    response: ServerResponse | null
  }
}

export type AppSetup = ApiSetup &
  SiteSetup &
  ConsoleSetup &
  OperatorSetup &
  SecurityContactSetup & {
    log: Log
    trustedProxies: readonly string[]
    /** By default as many as the process's limit of open files allows. */
    connectionLimits?: ConnectionLimits | undefined
  }

const HEADERS_TIMEOUT_MS = 5_000
export const DEFAULT_BODY_LIMIT = 16 * 1024

export function createApp(setup: AppSetup): FastifyInstance {
  const { publicUrl } = setup.addresses
  const app = createOperatorApp(setup, (request, status) => buildPublicError(publicUrl, request, status))
  registerSecurityTxt(app, setup)
  registerApi(app, setup)
  registerDpp(app, setup)
  const { answerFromCache } = registerSite(app, setup)
  registerConsole(app, setup)
  answerCachedPagesFirst(app, setup, answerFromCache)
  return app
}

/**
 * Sends cached pages before the framework sees the request: most requests are of this kind, and the framework
 * would take a fifth of the time of such a response. It handles everything else.
 */
function answerCachedPagesFirst(
  app: FastifyInstance,
  { metrics, log, trustedProxies: proxies }: AppSetup,
  answerFromCache: ReturnType<typeof registerSite>['answerFromCache'],
): void {
  // At this level each response is logged, by a hook of the framework.
  if (log.isLevelEnabled('debug')) return
  const handle = getRequestListener(app.server)
  const requestId = createRequestId(proxies)
  // An exception in a listener would end the process. The framework answers instead.
  const tryAnswer = (exchange: Parameters<typeof answerFromCache>[0]) => {
    try {
      return answerFromCache(exchange)
    } catch (error) {
      log.error({ request_id: exchange.id, err: error }, 'a cached page could not be sent')
      return exchange.response.headersSent
    }
  }
  app.server.off('request', handle)
  app.server.on('request', (request, response) => {
    const began = metrics && performance.now()
    const isUsual =
      request.method === 'GET' && response.socket !== null && findMalformed(request) === undefined
    if (!isUsual || !tryAnswer({ request, response, id: requestId(request) })) {
      handle(request, response)
    } else if (began !== undefined) {
      const seconds = (performance.now() - began) / 1000
      const route = request.url?.startsWith('/m/') ? '/m/:id/:file' : '/p/:id'
      metrics?.countRequest({ method: 'GET', route, status: response.statusCode, seconds })
    }
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Reads or writes many rows; its work yields to other requests. */
    isLong?: boolean
    /** Takes a file, which may arrive slowly. */
    isUpload?: boolean
  }
}

export type ServerSetup = OperatorSetup &
  Pick<AppSetup, 'sql' | 'clock' | 'log' | 'trustedProxies' | 'connectionLimits'> & {
    addresses: { publicUrl: string }
    /** Undefined while the server waits for the database: it checks no key then. */
    security?: SecurityLog
  }

/** The app with the operator's addresses (`/healthz`, `/readyz`, `/metrics`). Workers have no others. */
export function createOperatorApp(setup: ServerSetup, buildPublicError?: BuildPublicError): FastifyInstance {
  const requestId = createRequestId(setup.trustedProxies)
  const proxies = createTrustedProxies(setup.trustedProxies)
  const { getClientAddress, isTrusted } = proxies
  const errorSetup = { ...setup, getClientAddress }
  const commonHeaders = defaultHeaders(setup.addresses.publicUrl)
  const app = Fastify({
    loggerInstance: setup.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // A child logger for each request would cost as much as routing it. Log lines add the request's id.
    childLoggerFactory: logger => logger,
    // Routes that take more declare it.
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: false, caseSensitive: true },
    // Shorter for each request: see `limitBodyTimes`.
    requestTimeout: BODY_DEADLINES.uploadMs,
    keepAliveTimeout: 72_000,
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize,
    },
    // Runs before the router, so it only looks at the path prefix.
    frameworkErrors: (routerError, request, reply) => {
      const error = findMalformed(request.raw) ?? routerError
      reply.headers(commonHeaders).header('x-request-id', request.id)
      if (getRequestPath(request).startsWith(HOME)) return sendConsoleError({ request, reply, error })
      return sendError(errorSetup, { error, request, reply, buildPublicError })
    },
    clientErrorHandler: (error, socket) =>
      sendParserError(setup, error as Error as ParserError, socket as Socket, requestId()),
    return503OnClosing: false,
  }) as unknown as FastifyInstance
  decorateRequests(app, proxies)
  // Only doors parse bodies. A body sent to any other address is ignored.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header('x-request-id', request.id)
    request.response = reply.raw
    const { isLong, isUpload } = request.routeOptions.config
    const now = performance.now()
    noteClient(request.raw, now)
    if (isLong !== true) countShortRequest(reply.raw, now)
    if (isUpload === true) allowUpload(request.raw)
    done(findMalformed(request.raw))
  })
  // Errors are logged where they occur. With LOG_LEVEL=debug each response is logged, too.
  if (setup.log.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, done) => {
      logResponse(request, reply)
      done()
    })
  }
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(errorSetup, { error, request, reply, buildPublicError }),
  )
  app.setNotFoundHandler(() => {
    throw new AppError('not_found', 'There is no such address.')
  })
  guardServer(app.server, setup, isTrusted)
  rejectUnknownExpectations(app.server, setup, requestId)
  app.server.on('checkContinue', sendContinueWhenRead)
  registerOperator(app, setup)
  return app
}

function decorateRequests(app: FastifyInstance, { getClientAddress, findOwnAddress }: TrustedProxies): void {
  app.decorateRequest('response', null)
  app.decorateRequest('clientAddress', {
    getter() {
      return getClientAddress(this.raw)
    },
  })
  app.decorateRequest('ownAddress', {
    getter() {
      return findOwnAddress(this)
    },
  })
}

/** Handled on Node's server, because Node passes no such request to the framework. */
function rejectUnknownExpectations(
  server: Server,
  setup: ServerSetup,
  createId: ReturnType<typeof createRequestId>,
): void {
  server.on('checkExpectation', (request, response) => {
    const id = createId(request)
    const error = new AppError('expectation_failed', 'Only "Expect: 100-continue" is understood.')
    const body = errorJson(error, id)
    closeAfterReading(request)
    response
      .writeHead(417, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        ...defaultHeaders(setup.addresses.publicUrl),
        'x-request-id': id,
        ...countByAddress(setup, request.socket.remoteAddress),
        connection: 'close',
      })
      .end(body)
  })
}

function guardServer(server: Server, setup: ServerSetup, isTrusted: TrustedProxies['isTrusted']): void {
  const limits = setup.connectionLimits ?? computeConnectionLimits()
  const { handleInOrder, numbers } = guardConnections(server, { limits, log: setup.log, isTrusted })
  const { watch } = limitBodyTimes(server)
  setup.metrics?.watchConnections(numbers)
  const handle = getRequestListener(server)
  server.off('request', handle)
  server.on('request', (request, response) => {
    watch(request)
    handleInOrder(request, response, handle)
  })
}

/** The server's only listener: the framework's, or the guard that wraps it. */
function getRequestListener(server: Server): RequestListener {
  const [listener] = server.listeners('request')
  assert(listener, 'the framework listens to its server')
  return listener
}

/** Answers while the server waits for the database: `/healthz` works, everything else is 503. */
export function createWaitingApp(setup: ServerSetup): FastifyInstance {
  const app = createOperatorApp(setup)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? databaseUnavailable() : undefined))
  return app
}

/** Logs no IP address and no query, for the privacy of readers. */
function logResponse(request: FastifyRequest, reply: FastifyReply): void {
  const line = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
  request.log.debug(line, 'answered')
}
