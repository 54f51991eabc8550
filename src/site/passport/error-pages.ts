/** Error pages for people, in their language, with what to do next. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { getLabels, type Labels, type Language } from '../../i18n/catalogue.ts'
import { notFound } from '../../kernel/errors.ts'
import { type PreparedResponse, prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { htmlHeaders, renderDocument } from '../page/shell.ts'
import { HTML } from './formats.ts'
import { negotiatePageLanguage } from './languages.ts'
import type { PassportRequest } from './passport-request.ts'

type UiKey = keyof Labels['ui']

/** `more` is ready HTML. */
function renderNotice(language: Language, title: UiKey, sentences: readonly UiKey[], more = ''): string {
  const { ui } = getLabels(language)
  const paragraphs = sentences.map(key => html`<p>${ui[key]}</p>`)
  return renderDocument({
    language,
    title: ui[title],
    isIndexed: false,
    body: html`<main id="content" class="notice-page"><p class="kind"><span>${ui.passport}</span></p><h1>${ui[title]}</h1>!${paragraphs}!${more}</main>`,
  })
}

export const renderNotFoundPage = (language: Language) =>
  renderNotice(language, 'notFound.title', ['notFound.text', 'notFound.help'])

/** For a missing format, version or link of a passport that exists: links to the passport. */
export const renderMissingPage = (language: Language, passport: string) =>
  renderNotice(
    language,
    'missing.title',
    [],
    html`<p><a href="${passport}">${getLabels(language).ui['missing.link']}</a></p>`,
  )

const notFoundPages = new Map<string, PreparedResponse>()

/** Caches revalidate it each time, so that a passport created later is found. */
function prepareNotFoundPage(language: Language, publicUrl: string): PreparedResponse {
  const key = `${language} ${publicUrl}`
  const cached = notFoundPages.get(key)
  if (cached !== undefined) return cached
  const response = prepareResponse({
    status: 404,
    body: renderNotFoundPage(language),
    tag: language,
    headers: {
      ...htmlHeaders(publicUrl),
      'content-language': language,
      'cache-control': 'no-cache',
      'x-robots-tag': 'noindex',
      vary: 'Accept, Accept-Language, Accept-Encoding',
    },
  })
  notFoundPages.set(key, response)
  return response
}

/** Throws for programs; `buildPublicError` then adds the headers. */
export function sendNotFoundPage(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  { format, query }: PassportRequest,
): Promise<void> {
  if (format !== HTML) throw notFound('passport')
  const language = negotiatePageLanguage(request.raw.headers, query, 'en')
  return sendPrepared(request, reply, prepareNotFoundPage(language, setup.addresses.publicUrl))
}

const busyPages = new Map<Language, string>()

/** The body of a 429. Rendered once for each language: rejecting must be cheap. */
export function renderBusyPage(language: Language): string {
  const page = busyPages.get(language) ?? renderNotice(language, 'error.title', ['error.tooMany'])
  busyPages.set(language, page)
  return page
}

/** The body of a 500 or 503. */
export const renderErrorPage = (language: Language) => renderNotice(language, 'error.title', ['error.text'])
