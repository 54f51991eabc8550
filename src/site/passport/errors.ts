/**
 * The face of a refusal at every address that is not the API's or the console's, whether anything stands there or not:
 * a page in their language for a person, the usual JSON for a machine, and on both what every answer of this door has.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../i18n/catalogue.ts'
import { preferredForm, prefersHtml } from '../http/content-negotiation.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import type { Headers } from '../http/prepared-response.ts'
import { htmlHeaders, securityHeaders } from '../page/shell.ts'
import { renderBusyPage, renderErrorPage, renderMissingPage, renderNotFoundPage } from './error-pages.ts'
import { negotiatePageLanguage, type Query } from './passport-request.ts'

/** `page` is undefined for a machine. */
export type PublicError = { headers: Headers; page: string | undefined }

/** `status` is that of the refusal. Of a failure everyone who may read HTML is told in it. */
export function buildPublicError(publicUrl: string, request: FastifyRequest, status: number): PublicError {
  const { accept } = request.raw.headers
  const isPage = status < 500 ? prefersHtml(accept) : preferredForm(accept) === 'html'
  if (!isPage) {
    const headers = { ...ALLOW_ANY_ORIGIN, ...securityHeaders(publicUrl), ...NO_STORE_HEADERS }
    return { headers, page: undefined }
  }
  const language = negotiateErrorLanguage(request)
  return { headers: errorPageHeaders(publicUrl, language), page: getErrorPage(status)(language) }
}

function getErrorPage(status: number): (language: Language) => string {
  if (status === 429) return renderBusyPage
  return status < 500 ? renderNotFoundPage : renderErrorPage
}

/** Tells a person that there is no such form or link of a product, and leads them to its passport. */
export function sendLinkToPassport(
  publicUrl: string,
  { request, reply, status }: { request: FastifyRequest; reply: FastifyReply; status: 404 | 406 },
  passport: string,
): FastifyReply {
  const language = negotiateErrorLanguage(request)
  return reply
    .code(status)
    .headers(errorPageHeaders(publicUrl, language))
    .send(renderMissingPage(language, passport))
}

/** What is not there now may be there the next time. */
const NO_STORE_HEADERS: Headers = { 'cache-control': 'no-store', vary: 'Accept, Accept-Language' }

const errorPageHeaders = (publicUrl: string, language: Language): Headers => ({
  ...htmlHeaders(publicUrl),
  ...NO_STORE_HEADERS,
  'content-language': language,
  'x-robots-tag': 'noindex',
})

/** An address that cannot be read has no query. */
const negotiateErrorLanguage = ({ raw, query }: FastifyRequest) =>
  negotiatePageLanguage(raw.headers, (query as Query | null) ?? {}, 'en')
