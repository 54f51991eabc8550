/** What a person sees at an address that holds no passport, or when the answer has to wait: in their language, with what to do next. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { getLabels, type Labels, type Language } from '../../i18n/catalogue.ts'
import { notFound } from '../../kernel/errors.ts'
import { type ReadyAnswer, readyAnswer, sendEncoded } from '../http/ready-answer.ts'
import type { SiteSetup } from '../http/setup.ts'
import { document, pageHeaders } from '../page/shell.ts'
import { languageOf, type Wish } from './wish.ts'

type UiKey = keyof Labels['ui']

/** A page of a title and a few sentences, or what else is ready HTML, not to be indexed. */
function notice(language: Language, title: UiKey, sentences: readonly UiKey[], more = ''): string {
  const { ui } = getLabels(language)
  const paragraphs = sentences.map(key => html`<p>${ui[key]}</p>`)
  return document({
    language,
    title: ui[title],
    isIndexed: false,
    body: html`<main id="content" class="notice-page"><p class="kind"><span>${ui.passport}</span></p><h1>${ui[title]}</h1>!${paragraphs}!${more}</main>`,
  })
}

/** The page that says that no passport is here. */
export const notFoundBody = (language: Language) =>
  notice(language, 'notFound.title', ['notFound.text', 'notFound.help'])

/** The page for who asked for another form or link of a product that is there: it leads on to the passport. */
export const missingBody = (language: Language, passport: string) =>
  notice(
    language,
    'missing.title',
    [],
    html`<p><a href="${passport}">${getLabels(language).ui['missing.link']}</a></p>`,
  )

const made = new Map<string, ReadyAnswer>()

/** The 404 page. Caches ask again each time, so that a passport made since is found. */
function notFoundPage(language: Language, publicUrl: string): ReadyAnswer {
  const key = `${language} ${publicUrl}`
  const known = made.get(key)
  if (known !== undefined) return known
  const answer = readyAnswer({
    status: 404,
    body: notFoundBody(language),
    tag: language,
    headers: {
      ...pageHeaders(publicUrl),
      'content-language': language,
      'cache-control': 'no-cache',
      'x-robots-tag': 'noindex',
      vary: 'Accept, Accept-Language, Accept-Encoding',
    },
  })
  made.set(key, answer)
  return answer
}

/** The friendly page for people, the usual error for machines, which `refusalFace` gives the headers of the page. */
export function answerNotFound(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Pick<Wish, 'form' | 'query'>,
): Promise<void> {
  if (wish.form === 'jsonld') throw notFound('passport')
  const language = languageOf(request.raw.headers, wish.query, 'en')
  return sendEncoded(request, reply, notFoundPage(language, setup.addresses.publicUrl))
}

const busyPages = new Map<Language, string>()

/** The body of a 429 for a person. Made once a language: a refusal costs no rendering. */
export function busyPage(language: Language): string {
  const page = busyPages.get(language) ?? notice(language, 'error.title', ['error.tooMany'])
  busyPages.set(language, page)
  return page
}

/** The body of a 500 or 503 for a person. */
export const errorPage = (language: Language) => notice(language, 'error.title', ['error.text'])
