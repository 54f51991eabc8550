/** Renders values: in the page's language if there is a translation, else marked with the text's language. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { buildFibreLabel } from '../../categories/names/recognise-names.ts'
import { pickText } from '../../categories/pick-text.ts'
import {
  fillPlaceholders,
  findLabel,
  getFallbackLanguage,
  type Labels,
  type Language,
} from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatDate, formatLanguage } from '../../i18n/format.ts'
import { findLinkProblem } from '../../kernel/http/public-link.ts'
import type { Withdrawals } from '../../media/files/withdrawn-media.ts'

export type PageLocale = {
  language: Language
  labels: Labels
  /** The languages in which the reader wants the account's texts, best first. */
  preferredLanguages: readonly string[]
  /** The language of account texts without their own language. */
  primaryLanguage: string
  /** The part of the query that links to other languages keep, as ready HTML. */
  keptQuery: string
  /** The sizes of stored documents, by the id of the file. */
  documentBytes?: ReadonlyMap<string, number>
  /** Host and port of this server: its own addresses are links, also on this machine. */
  ownHost?: string
  /** Files that were withdrawn, by their ids. */
  withdrawn?: Withdrawals
}

/**
 * A text of the account. `language` is undefined if it is the page's language. `languages`: the languages of
 * all its translations.
 */
type LocalizedText = { text: string; language: string | undefined; languages: readonly string[] }

/** `path` names the field in the catalogues: `repair.repairable`. */
export function getPageLabel(locale: PageLocale, path: string): string {
  return findLabel(locale.labels, 'fields', path) ?? humanize(path)
}

/** English if the page's language lacks the label, else undefined. */
export const findLabelLanguage = ({ language }: PageLocale, path: string) =>
  getFallbackLanguage(language, 'fields', path)

export function renderFieldLabel(locale: PageLocale, path: string): string {
  const text = getPageLabel(locale, path)
  return findLabelLanguage(locale, path) === undefined ? html`${text}` : html`<span lang="en">${text}</span>`
}

/** For a field without a label: `quietRide` becomes `Quiet ride`. */
function humanize(path: string): string {
  const words = path
    .slice(path.lastIndexOf('.') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A plain text counts as one in the primary language. Undefined if the value is no text. */
export function findLocalizedText(locale: PageLocale, value: unknown): LocalizedText | undefined {
  const { primaryLanguage } = locale
  if (typeof value === 'string') {
    return {
      text: value,
      language: findForeignLanguage(locale, primaryLanguage),
      languages: [primaryLanguage],
    }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const picked = pickText(value, locale.preferredLanguages, primaryLanguage)
  const languages = Object.entries(value).flatMap(([tag, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [tag] : [],
  )
  return picked && { text: picked.text, language: findForeignLanguage(locale, picked.language), languages }
}

const findForeignLanguage = (locale: PageLocale, tag: string) =>
  tag === locale.language || tag.startsWith(`${locale.language}-`) ? undefined : tag

/** For a text in another language than the page's: links to the page in each language of the text. */
export function renderLanguageNote(locale: PageLocale, text: LocalizedText): string {
  const note = renderLanguageLinks(locale, [text])
  return note && html`<p class="from">!${note}</p>`
}

/** The same below short texts that belong together, such as the title and the sentence of an offer. */
export function renderSmallLanguageNote(
  locale: PageLocale,
  ...texts: readonly (LocalizedText | undefined)[]
): string {
  const note = renderLanguageLinks(locale, texts)
  return note && html`<small class="from">!${note}</small>`
}

/** Empty if all texts are in the page's language. */
function renderLanguageLinks(locale: PageLocale, texts: readonly (LocalizedText | undefined)[]): string {
  const foreign = texts.flatMap(text => (text?.language === undefined ? [] : text.languages))
  if (foreign.length === 0) return ''
  const links = Array.from(
    new Set(foreign),
    tag => html`<a href="?!${locale.keptQuery}lang=${tag}">${formatLanguage(locale.language, tag)}</a>`,
  )
  const [before = '', after = ''] = locale.labels.ui.inLanguage.split('{languages}')
  return html`${before}!${links.join(', ')}${after}`
}

/** The attribute of an element with one of our labels, as ready HTML. */
export const renderLangAttribute = (language: string | undefined) =>
  language === undefined ? '' : html` lang="${language}"`

/** Hebrew, Arabic and their neighbours, which run from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** The attributes of an element with a text of the account, as ready HTML. */
export function renderLangAndDirection({ text, language }: Pick<LocalizedText, 'text' | 'language'>): string {
  if (language !== undefined) return html` lang="${language}" dir="auto"`
  return RIGHT_TO_LEFT.test(text) ? ' dir="auto"' : ''
}

/** `bdi` has the direction of its letters, and keeps direction marks from changing the line around it. */
export const renderAccountText = ({ text, language }: Pick<LocalizedText, 'text' | 'language'>) =>
  html`<bdi!${language === undefined ? '' : html` lang="${language}"`}>${text}</bdi>`

/** A label before its value, with the spaces that the language wants at its colon. Both are ready HTML. */
export const renderLabelled = ({ labels }: Pick<PageLocale, 'labels'>, label: string, value: string) =>
  fillPlaceholders(labels.ui.labelled, { label, value })

/** For brands, codes and addresses: they have no language. */
export const renderName = (text: string) => html`<bdi>${text}</bdi>`

/** A text that nobody has translated counts as one in the primary language. */
export const renderUntranslated = (locale: PageLocale, text: string): string =>
  renderAccountText({ text, language: findForeignLanguage(locale, locale.primaryLanguage) })

/** The address, if readers get it as a link: see `findLinkProblem`. */
export const findLink = ({ ownHost }: Pick<PageLocale, 'ownHost'>, text: string): URL | undefined =>
  findLinkProblem(text, ownHost) === undefined ? new URL(text) : undefined

/**
 * Says that the link leaves the site, and to which host. `name` is ready HTML; by default it is the address.
 */
export function renderExternalLink({ labels }: PageLocale, url: URL, name?: string): string {
  const text = name ?? renderAddress(formatUrl(url))
  const host = name === undefined ? '' : html`!${renderName(url.host)} `
  return html`<a href="${url.href}" rel="noopener nofollow">!${text} <small>!${host}(${labels.ui.opensOtherSite})</small></a>`
}

/** Paragraphs, or a link if the whole text is an address. */
export function renderProse(locale: PageLocale, value: unknown): string {
  const localized = findLocalizedText(locale, value)
  if (localized === undefined) return ''
  const url = findLink(locale, localized.text)
  if (url !== undefined) return html`<p>!${renderExternalLink(locale, url)}</p>`
  const paragraphs = localized.text.split(/\n+/).filter(line => line.trim() !== '')
  const lines = paragraphs.map(
    line => html`<p!${renderLangAndDirection({ ...localized, text: line })}>${line}</p>`,
  )
  return renderLanguageNote(locale, localized) + lines.join('')
}

/** Lets long addresses wrap after slashes. */
export const renderAddress = (address: string) =>
  html`<bdi>!${html`${address}`.replace(/\/+/g, '$&<wbr>')}</bdi>`

/** The address without its scheme. */
const formatUrl = ({ host, pathname, search }: URL) => host + (pathname === '/' ? '' : pathname) + search

export function renderFieldValue(locale: PageLocale, field: Field, path: string, value: unknown): string {
  const { language, labels } = locale
  if (typeof value === 'boolean') return labels.ui[value ? 'yes' : 'no']
  if (typeof value === 'number') return html`${formatAmount(language, field.unit, value)}`
  if (field.localized || field.type === 'text') {
    const localized = findLocalizedText(locale, value)
    return localized === undefined
      ? ''
      : renderLinkOr(locale, localized.text, () => renderAccountText(localized))
  }
  if (typeof value !== 'string') return ''
  if (field.values) return renderChoice(locale, path, value)
  return renderFormatted(locale, field, value)
}

/** A value that our schema does not list, from an older or a newer one, is shown unchanged. */
function renderChoice({ language, labels }: PageLocale, path: string, value: string): string {
  const key = `${path}.${value}`
  const known = findLabel(labels, 'values', key)
  if (known === undefined) return renderName(value)
  return getFallbackLanguage(language, 'values', key) === undefined
    ? html`${known}`
    : html`<span lang="en">${known}</span>`
}

function renderLinkOr(locale: PageLocale, text: string, otherwise: () => string): string {
  const url = findLink(locale, text)
  return url === undefined ? otherwise() : renderExternalLink(locale, url)
}

function renderFormatted(locale: PageLocale, field: Field, value: string): string {
  switch (field.format) {
    case 'country':
      return html`${formatCountry(locale.language, value)}`
    case 'language':
      return html`${formatLanguage(locale.language, value)}`
    case 'partial_date':
      return html`${formatDate(locale.language, value)}`
    case 'url':
      return renderLinkOr(locale, value, () => renderName(value))
    case undefined:
      return renderUntranslated(locale, value)
    default:
      return renderName(value)
  }
}

/** The fibre in the page's language, with what the account added to its name. */
export function renderFibreName(locale: PageLocale, fibre: string): string {
  const known = buildFibreLabel(locale.labels, fibre)
  if (known === undefined) return renderUntranslated(locale, fibre)
  const { name, more } = known
  return more === undefined ? html`${name}` : html`${name} (!${renderUntranslated(locale, more)})`
}
