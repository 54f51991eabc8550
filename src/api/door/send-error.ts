/** Answers every error that reaches the server outside the console: JSON, or a page at a public address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { explainDatabaseError } from '../../kernel/db/database.ts'
import { AppError, type ErrorCode } from '../../kernel/errors/errors.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { errorHeaders } from '../../kernel/http/http-error.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import type { TrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { SecurityLog } from '../../kernel/monitoring/security-events.ts'
import { dppErrorJson, getDppStatus } from '../dpp/errors.ts'
import { DPP_PREFIX } from '../dpp/parse-target.ts'
import type { ApiSetup } from '../endpoint/endpoint.ts'
import { errorJson, STATUS } from '../endpoint/errors.ts'
import { countByAddress } from '../endpoint/limits.ts'
import type { OperatorSetup } from '../service/operator.ts'
import { API_PREFIX } from './door.ts'
import { logUnansweredRequest } from './log-outages.ts'

type ErrorSetup = Pick<ApiSetup, 'sql' | 'clock'> &
  Pick<OperatorSetup, 'metrics'> &
  Pick<TrustedProxies, 'getClientAddress'> & {
    log: Log
    /** Undefined while the server waits for the database: it checks no key then. */
    security?: SecurityLog
  }

/** Builds the error of a public address: a `page`, or JSON for programs if it is undefined. */
export type BuildPublicError = (
  request: FastifyRequest,
  status: number,
) => { headers: Readonly<Record<string, string>>; page: string | undefined }

type FailedRequest = {
  error: Error
  request: FastifyRequest
  reply: FastifyReply
  buildPublicError: BuildPublicError | undefined
}

const MAX_DISCARDED_BYTES = 64 * 1_048_576

/** Our codes and messages for Fastify's own errors. */
const FRAMEWORK_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['bad_request', 'The body is empty. Send a JSON object.'],
  FST_ERR_BAD_URL: ['bad_request', 'The address has a broken percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such address.'],
  // Raised only for the method QUERY, if no route matches.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['not_found', 'There is no such address.'],
}

/** Also answers requests that the framework refused, which have none of our decorations. */
export function sendError(
  setup: ErrorSetup,
  { error, request, reply, buildPublicError }: FailedRequest,
): FastifyReply {
  const appError = toAppError(setup, error, request)
  setup.metrics?.countError(appError.code)
  logSecurityEvent(setup, appError.code, request)
  // The framework would close the connection. A client that is still sending its body would then get a reset
  // instead of the response.
  if (
    appError.code === 'payload_too_large' &&
    request.headers.expect === undefined &&
    Number(request.headers['content-length']) <= MAX_DISCARDED_BYTES
  ) {
    reply.removeHeader('connection')
  }
  const isDpp = getRequestPath(request).startsWith(`${DPP_PREFIX}/`)
  const status = isDpp ? getDppStatus(appError) : STATUS[appError.code]
  const publicError = isPublic(request) ? buildPublicError?.(request, status) : undefined
  const isUncounted = (isDpp || isApiRequest(request)) && !reply.hasHeader('x-ratelimit-limit')
  const buildBody = () =>
    isDpp ? dppErrorJson(appError, request.id, setup.clock.now()) : errorJson(appError, request.id)
  return reply
    .code(status)
    .headers({
      'content-type': 'application/json; charset=utf-8',
      ...publicError?.headers,
      ...(isUncounted ? countByAddress(setup, setup.getClientAddress(request.raw)) : {}),
      ...errorHeaders(appError),
      'x-request-id': request.id,
    })
    .send(publicError?.page ?? buildBody())
}

/** An error of no known kind is a bug. It is logged here, once, with the request's id. */
function toAppError(setup: ErrorSetup, error: Error, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  // The client is gone. This comes first because a lost database connection has the same error codes.
  if (request.raw.socket.destroyed) {
    return new AppError('bad_request', 'The connection ended before the body did.')
  }
  const known = 'code' in error && typeof error.code === 'string' ? FRAMEWORK_ERRORS[error.code] : undefined
  if (known) return new AppError(known[0], known[1])
  const databaseError = explainDatabaseError(error)
  if (databaseError?.code === 'unavailable') {
    logUnansweredRequest(setup.log, request.id, error.message)
  } else {
    setup.log.error({ request_id: request.id, err: error }, 'a request failed')
  }
  return (
    databaseError ??
    new AppError('internal', 'Something went wrong on our side. It is logged under the request_id.')
  )
}

/** Logs an invalid key, and a key that lacks a right. A request without a key is no security event. */
function logSecurityEvent(
  { security, getClientAddress }: ErrorSetup,
  code: ErrorCode,
  request: FastifyRequest,
): void {
  const source = () => ({ requestId: String(request.id), network: getNetwork(getClientAddress(request.raw)) })
  if (code === 'unauthorized' && request.headers.authorization !== undefined) {
    security?.note('key_refused', source())
  }
  if (code === 'read_only') security?.note('right_refused', source())
}

/** Removes the host, with which a request target may begin (RFC 9112 §3.2.2). */
export const getRequestPath = ({ raw: { url = '' } }: FastifyRequest): string =>
  url.replace(/^https?:\/\/[^/]*/i, '')

const isApiRequest = (request: FastifyRequest) => getRequestPath(request).startsWith(API_PREFIX)

/** Returns true if the site serves the address: it serves all addresses of no other door. */
const isPublic = (request: FastifyRequest) =>
  !/^\/(?:api|dpp\/v1|console|docs|metrics)(?![^/?#])/.test(getRequestPath(request))
