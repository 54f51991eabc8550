/** What is answered below `/p/` where no passport is: the way to one, when the address is only written badly, or the 404 page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findUuid } from '../../kernel/ids.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { securityHeaders } from '../page/shell.ts'
import { PRIVATE_HEADERS } from './access.ts'
import { sendNotFoundPage } from './error-pages.ts'
import type { PassportRequest } from './passport-request.ts'

/** In capitals, as older scanners type; with the slashes and spaces that people and programs leave behind an address. */
const MISTYPED_ID = /^([0-9a-z]{26})[/\s]*$/i

/** Whether the id that is meant exists is found out where the reader is sent; the query goes along as it was typed. */
export async function sendNotFound(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Pick<PassportRequest, 'form' | 'query'>,
): Promise<unknown> {
  const { id, '*': rest } = request.params as { id?: string; '*'?: string }
  const typed = id ?? rest ?? ''
  const meant = MISTYPED_ID.exec(typed)?.[1]?.toLowerCase()
  if (meant === undefined || meant === typed || findUuid(meant) === undefined) {
    return sendNotFoundPage(setup, request, reply, wish)
  }
  const { publicUrl } = setup.addresses
  const [, query] = /^[^?#]*\?([^#]*)/.exec(request.raw.url ?? '') ?? []
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  return reply
    .code(301)
    .headers({
      ...securityHeaders(publicUrl),
      ...(wish.query.access === undefined ? REDIRECT_CACHING : PRIVATE_HEADERS),
    })
    .header('location', `${base}/p/${meant}${query ? `?${query}` : ''}`)
    .send('')
}

const REDIRECT_CACHING: Headers = { 'cache-control': 'public, max-age=86400' }
