/** Error pages for people, in their language, with what to do next. */
import { html } from 'ghtml'
import { getLabels, LANGUAGES, type Labels, type Language } from '../../i18n/catalogue.ts'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import { htmlHeaders, renderDocument } from '../page/shell.ts'

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

const notFoundPages = new BoundedMap<string, PreparedResponse>(8 * LANGUAGES.length)

/** Cached by address and tag. */
export const prepareNotFoundPage = (
  publicUrl: string,
  language: Language,
  { headers, ...page }: { status: 400 | 404; tag: string; headers: Headers },
): PreparedResponse =>
  notFoundPages.getOrMake(`${publicUrl} ${page.tag}`, () =>
    prepareResponse({
      ...page,
      body: renderNotFoundPage(language),
      headers: {
        ...htmlHeaders(publicUrl),
        'content-language': language,
        'x-robots-tag': 'noindex',
        ...headers,
      },
    }),
  )

const busyPages = new BoundedMap<Language, string>(LANGUAGES.length)

/** The body of a 429. Rendered once for each language: rejecting must be cheap. */
export const renderBusyPage = (language: Language) =>
  busyPages.getOrMake(language, () => renderNotice(language, 'error.title', ['error.tooMany']))

/** The body of a 500 or 503. */
export const renderErrorPage = (language: Language) => renderNotice(language, 'error.title', ['error.text'])
