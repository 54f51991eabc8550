/** What is answered below `/p/` where no passport is: the way to one, when the address is only written badly, or the 404 page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findUuid } from '../../kernel/ids.ts'
import type { Headers } from '../http/ready-answer.ts'
import type { SiteSetup } from '../http/setup.ts'
import { safetyHeaders } from '../page/shell.ts'
import { FOR_ONE_READER } from './access.ts'
import { answerNotFound } from './error-pages.ts'
import type { Wish } from './wish.ts'

/** In capitals, as older scanners type; with the slashes and spaces that people and programs leave behind an address. */
const BADLY_WRITTEN = /^([0-9a-z]{26})[/\s]*$/i

/** Whether the id that is meant exists is found out where the reader is sent; the query goes along as it was typed. */
export async function answerNowhere(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Pick<Wish, 'form' | 'query'>,
): Promise<unknown> {
  const { id, '*': rest } = request.params as { id?: string; '*'?: string }
  const typed = id ?? rest ?? ''
  const meant = BADLY_WRITTEN.exec(typed)?.[1]?.toLowerCase()
  if (meant === undefined || meant === typed || findUuid(meant) === undefined) {
    return answerNotFound(setup, request, reply, wish)
  }
  const { publicUrl } = setup.addresses
  const [, query] = /^[^?#]*\?([^#]*)/.exec(request.raw.url ?? '') ?? []
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  return reply
    .code(301)
    .headers({ ...safetyHeaders(publicUrl), ...(wish.query.access === undefined ? KEPT : FOR_ONE_READER) })
    .header('location', `${base}/p/${meant}${query ? `?${query}` : ''}`)
    .send('')
}

const KEPT: Headers = { 'cache-control': 'public, max-age=86400' }
