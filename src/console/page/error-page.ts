/** Renders errors as pages for people: what happened, that nothing was changed, and a link back. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { explainDatabaseError } from '../../kernel/db/database.ts'
import { AppError, type ErrorCode } from '../../kernel/errors/errors.ts'
import { errorHeaders } from '../../kernel/http/http-error.ts'
import { HOME } from './route.ts'
import { consoleHeaders, shell } from './shell.ts'
import type { Texts } from './texts.ts'
import { chooseWords } from './words.ts'

type Status = keyof Texts['errorPages']

type ErrorPage = {
  request: FastifyRequest
  reply: FastifyReply
  status: Status
  /** Replaces the default sentence of the status. */
  sentence?: string
  session?: Session
  headers?: Readonly<Record<string, string>>
}

export function sendErrorPage(refusal: ErrorPage): FastifyReply {
  const { request, reply, status, session, headers } = refusal
  const words = chooseWords(request.headers['accept-language'])
  const { texts } = words
  const { title, lead } = texts.errorPages[status]
  const trace =
    status >= 500 ? html`<p class="quiet">${texts.requests.requestId({ id: String(request.id) })}</p>` : ''
  const body = html`<h1>${title}</h1><p class="lead">${refusal.sentence ?? lead}</p>!${trace}
<p><a class="button second" href="${HOME}">${texts.page.backToConsole}</a></p>`
  return reply
    .code(status)
    .headers({ ...consoleHeaders(), 'content-language': words.language, ...headers })
    .send(shell({ words, session, path: '', page: { title: title ?? '', body } }))
}

/** The codes that a page can cause; any other is a bug. */
const STATUS: Partial<Record<ErrorCode, Status>> = {
  bad_request: 400,
  validation: 400,
  plan_required: 403,
  read_only: 403,
  not_found: 404,
  gone: 410,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
}

type Thrown = Pick<ErrorPage, 'request' | 'reply'> & { error: Error }

/**
 * Answers an error thrown by a handler or the framework. A bug is logged here, once, with the request's id.
 */
export function sendThrownError({ request, reply, error }: Thrown): FastifyReply {
  const known = error instanceof AppError ? error : explainDatabaseError(error)
  const status = known === undefined ? frameworkStatus(error) : STATUS[known.code]
  if (status === undefined) {
    request.log.error({ request_id: request.id, err: error }, 'a page of the console failed')
    return sendErrorPage({ request, reply, status: 500 })
  }
  if (status === 503) request.log.warn({ request_id: request.id, reason: error.message }, 'not available')
  const sentence = known?.code === 'plan_required' ? { sentence: known.message } : {}
  const headers = known === undefined ? {} : errorHeaders(known)
  return sendErrorPage({ request, reply, status, ...sentence, headers })
}

/** Fastify's own errors contain their status. */
function frameworkStatus(error: Error): Status | undefined {
  const status = 'statusCode' in error ? error.statusCode : undefined
  if (status === 413 || status === 415) return status
  return typeof status === 'number' && status >= 400 && status < 500 ? 400 : undefined
}
