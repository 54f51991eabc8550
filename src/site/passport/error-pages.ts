/** What a person sees at an address that holds no passport, or when the answer has to wait: in their language, with what to do next. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { getLabels, type Labels, type Language } from '../../i18n/catalogue.ts'
import { notFound } from '../../kernel/errors.ts'
import { type PreparedResponse, prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { htmlHeaders, renderDocument } from '../page/shell.ts'
import { negotiatePageLanguage, type PassportRequest } from './passport-request.ts'

type UiKey = keyof Labels['ui']

/** A page of a title and a few sentences, or what else is ready HTML, not to be indexed. */
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

/** The page that says that no passport is here. */
export const renderNotFoundPage = (language: Language) =>
  renderNotice(language, 'notFound.title', ['notFound.text', 'notFound.help'])

/** The page for who asked for another form or link of a product that is there: it leads on to the passport. */
export const renderMissingPage = (language: Language, passport: string) =>
  renderNotice(
    language,
    'missing.title',
    [],
    html`<p><a href="${passport}">${getLabels(language).ui['missing.link']}</a></p>`,
  )

const notFoundPages = new Map<string, PreparedResponse>()

/** The 404 page. Caches ask again each time, so that a passport made since is found. */
function prepareNotFoundPage(language: Language, publicUrl: string): PreparedResponse {
  const key = `${language} ${publicUrl}`
  const known = notFoundPages.get(key)
  if (known !== undefined) return known
  const answer = prepareResponse({
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
  notFoundPages.set(key, answer)
  return answer
}

/** The friendly page for people, the usual error for machines, which `refusalFace` gives the headers of the page. */
export function sendNotFoundPage(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Pick<PassportRequest, 'form' | 'query'>,
): Promise<void> {
  if (wish.form === 'jsonld') throw notFound('passport')
  const language = negotiatePageLanguage(request.raw.headers, wish.query, 'en')
  return sendPrepared(request, reply, prepareNotFoundPage(language, setup.addresses.publicUrl))
}

const busyPages = new Map<Language, string>()

/** The body of a 429 for a person. Made once a language: a refusal costs no rendering. */
export function renderBusyPage(language: Language): string {
  const page = busyPages.get(language) ?? renderNotice(language, 'error.title', ['error.tooMany'])
  busyPages.set(language, page)
  return page
}

/** The body of a 500 or 503 for a person. */
export const renderErrorPage = (language: Language) => renderNotice(language, 'error.title', ['error.text'])
