/** Errors at every address outside the API and the console: a page for people, JSON for programs. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../i18n/catalogue.ts'
import { getQuery } from '../../kernel/http/request-input.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import type { Headers } from '../http/prepared-response.ts'
import { htmlHeaders, securityHeaders } from '../page/shell.ts'
import { renderBusyPage, renderErrorPage, renderMissingPage, renderNotFoundPage } from './error-pages.ts'
import { acceptsHtml, prefersHtml } from './formats.ts'
import { negotiatePageLanguage } from './languages.ts'

/** What is missing now may exist at the next request. */
const NO_STORE_HEADERS: Headers = { 'cache-control': 'no-store', vary: 'Accept, Accept-Language' }

/** Without a `page` the error is sent as JSON. A server error is a page for everyone who accepts HTML. */
export function buildPublicError(
  publicUrl: string,
  request: FastifyRequest,
  status: number,
): { headers: Headers; page: string | undefined } {
  const { accept } = request.raw.headers
  const isPage = status < 500 ? prefersHtml(accept) : acceptsHtml(accept)
  if (!isPage) {
    const headers = { ...ALLOW_ANY_ORIGIN, ...securityHeaders(publicUrl), ...NO_STORE_HEADERS }
    return { headers, page: undefined }
  }
  const language = negotiateErrorLanguage(request)
  return { headers: buildErrorHeaders(publicUrl, language), page: renderPageFor(status, language) }
}

function renderPageFor(status: number, language: Language): string {
  if (status === 429) return renderBusyPage(language)
  return status < 500 ? renderNotFoundPage(language) : renderErrorPage(language)
}

/** The passport exists, but not in the format, version or link that was requested. */
export function sendLinkToPassport(
  publicUrl: string,
  reply: FastifyReply,
  status: 404 | 406,
  passport: string,
): FastifyReply {
  const language = negotiateErrorLanguage(reply.request)
  return reply
    .code(status)
    .headers(buildErrorHeaders(publicUrl, language))
    .send(renderMissingPage(language, passport))
}

const buildErrorHeaders = (publicUrl: string, language: Language): Headers => ({
  ...htmlHeaders(publicUrl),
  ...NO_STORE_HEADERS,
  'content-language': language,
  'x-robots-tag': 'noindex',
})

const negotiateErrorLanguage = (request: FastifyRequest) =>
  negotiatePageLanguage(request.raw.headers, getQuery(request), 'en')
