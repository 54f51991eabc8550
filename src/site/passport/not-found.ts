/**
 * Answers addresses below `/p/` that have no passport: with a redirect if the id is only mistyped, else with
 * a 404.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { findUuid } from '../../kernel/ids.ts'
import { getPathParameter } from '../http/path-parameters.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { securityHeaders } from '../page/shell.ts'
import { PRIVATE_HEADERS } from './access.ts'
import { sendNotFoundPage } from './error-pages.ts'
import type { PassportRequest } from './passport-request.ts'

/**
 * In capitals, as older scanners type; with the slashes and spaces that people and programs leave behind an
 * address.
 */
const MISTYPED_ID = /^([0-9a-z]{26})[/\s]*$/i

const REDIRECT_HEADERS: Headers = { 'cache-control': 'public, max-age=86400' }

/**
 * Redirects without a look-up: the target says whether the passport exists. The query stays as it was typed.
 */
export async function sendNotFound(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PassportRequest,
): Promise<unknown> {
  const typed = getPathParameter(request, 'id') || getPathParameter(request, '*')
  const corrected = MISTYPED_ID.exec(typed)?.[1]?.toLowerCase()
  if (corrected === undefined || corrected === typed || findUuid(corrected) === undefined) {
    return sendNotFoundPage(setup, request, reply, page)
  }
  const { publicUrl } = setup.addresses
  const [, query] = /^[^?#]*\?([^#]*)/.exec(request.raw.url ?? '') ?? []
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const caching = page.query.access === undefined ? REDIRECT_HEADERS : PRIVATE_HEADERS
  return reply
    .code(301)
    .headers({ ...securityHeaders(publicUrl), ...caching })
    .header('location', `${base}/p/${corrected}${query ? `?${query}` : ''}`)
    .send('')
}
