/** Errors at every address outside the API and the console: a page for people, JSON for programs. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { getLabels, LANGUAGES, type Labels, type Language } from '../../i18n/catalogue.ts'
import { getQuery } from '../../kernel/http/request-input.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import { buildHtmlHeaders, buildSecurityHeaders, renderDocument } from '../page/shell.ts'
import { acceptsHtml, namesDocument, prefersHtml } from './formats.ts'
import { negotiatePageLanguage } from './languages.ts'

/** A missing page may exist at the next request, so nothing is cached. */
const NO_STORE_HEADERS: Headers = { 'cache-control': 'no-store', vary: 'Accept, Accept-Language' }

/**
 * Without `page` the error is sent as JSON. A server error is a page for every client that accepts HTML,
 * unless it asked for a document.
 */
export function buildPublicError(
  publicUrl: string,
  request: FastifyRequest,
  status: number,
): { headers: Headers; page: string | undefined } {
  const { accept } = request.raw.headers
  const isPage = status < 500 ? prefersHtml(accept) : acceptsHtml(accept)
  if (!isPage || namesDocument(getQuery(request).format)) {
    const headers = { ...ALLOW_ANY_ORIGIN, ...buildSecurityHeaders(publicUrl), ...NO_STORE_HEADERS }
    return { headers, page: undefined }
  }
  const language = negotiateErrorLanguage(request)
  const page =
    status === 410
      ? renderNotice(language, 'withdrawn.title', ['withdrawn.text'])
      : isDocument(request) && status === 404
        ? renderMissingDocument(language)
        : renderPage(status, language)
  return { headers: buildPageHeaders(publicUrl, language), page }
}

/** The address of a file that a passport names. The reader's access may have ended: `media-route.ts`. */
const isDocument = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === '/d/:id'

const renderMissingDocument = (language: Language): string =>
  renderNotice(language, 'missing.document', ['missing.documentText'])

/** The passport exists, but not in the format, version or link that was requested. */
export function sendLinkToPassport(
  publicUrl: string,
  reply: FastifyReply,
  status: 404 | 406,
  passport: string,
): FastifyReply {
  const language = negotiateErrorLanguage(reply.request)
  const link = html`<p><a href="${passport}">${getLabels(language).ui['missing.link']}</a></p>`
  return reply
    .code(status)
    .headers(buildPageHeaders(publicUrl, language))
    .send(renderNotice(language, 'missing.title', [], link))
}

const negotiateErrorLanguage = (request: FastifyRequest) =>
  negotiatePageLanguage(request.raw.headers, getQuery(request), 'en')

const buildPageHeaders = (
  publicUrl: string,
  language: Language,
  cachingHeaders = NO_STORE_HEADERS,
): Headers => ({
  ...buildHtmlHeaders(publicUrl),
  'content-language': language,
  'x-robots-tag': 'noindex',
  ...cachingHeaders,
})

/** Three pages for each language. A process has one public URL, except in tests. */
const notFoundPages = new BoundedMap<string, PreparedResponse>(8 * LANGUAGES.length)

/** Cached by public URL and entity tag prefix, which contains the language. */
export const prepareNotFoundPage = (
  publicUrl: string,
  language: Language,
  { headers, ...page }: { status: 400 | 404; etagPrefix: string; headers: Headers },
): PreparedResponse =>
  notFoundPages.getOrMake(`${publicUrl} ${page.etagPrefix}`, () =>
    prepareResponse({
      ...page,
      body: renderPage(page.status, language),
      headers: buildPageHeaders(publicUrl, language, headers),
    }),
  )

const rateLimitPages = new BoundedMap<Language, string>(LANGUAGES.length)

function renderPage(status: number, language: Language): string {
  // Rendered once per language, because rejecting must be cheap.
  if (status === 429) {
    return rateLimitPages.getOrMake(language, () => renderNotice(language, 'error.title', ['error.tooMany']))
  }
  return status < 500
    ? renderNotice(language, 'notFound.title', ['notFound.text', 'notFound.help'])
    : renderNotice(language, 'error.title', ['error.text'])
}

type UiKey = keyof Labels['ui']

/** `link` is ready HTML. */
function renderNotice(language: Language, title: UiKey, sentences: readonly UiKey[], link = ''): string {
  const { ui } = getLabels(language)
  const paragraphs = sentences.map(key => html`<p>${ui[key]}</p>`)
  return renderDocument({
    language,
    title: ui[title],
    isIndexable: false,
    body: html`<main id="content" class="notice-page"><p class="kind"><span>${ui.passport}</span></p><h1>${ui[title]}</h1>!${paragraphs}!${link}</main>`,
  })
}
