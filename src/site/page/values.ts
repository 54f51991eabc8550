/** Renders values: in the page's language where we have a translation, else marked with the account's. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { buildFibreLabel } from '../../categories/names/recognise-names.ts'
import { pickText } from '../../categories/pick-text.ts'
import { findLabel, getFallbackLanguage, type Labels, type Language } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatDate, formatLanguage } from '../../i18n/format.ts'

/** The languages and labels of a page. */
export type Wording = {
  language: Language
  labels: Labels
  /** The languages in which the reader wants the account's texts, best first. */
  preferredLanguages: readonly string[]
  /** The language of the account's texts that name none. */
  primaryLanguage: string
  /** The part of the query that links to other languages keep, ready HTML. */
  kept: string
}

/**
 * A text of the account. `language` is undefined if it is the page's; `languages` are all that the text
 * exists in.
 */
type LocalizedText = { text: string; language: string | undefined; languages: readonly string[] }

/** `path` names the field in the catalogues: `repair.repairable`. */
export function getPageLabel(wording: Wording, path: string): string {
  return findLabel(wording.labels, 'fields', path) ?? humanize(path)
}

/** English if the page's language lacks the label, else undefined. */
export const findLabelLanguage = ({ language }: Wording, path: string) =>
  getFallbackLanguage(language, 'fields', path)

export function renderFieldLabel(wording: Wording, path: string): string {
  const text = getPageLabel(wording, path)
  return findLabelLanguage(wording, path) === undefined ? html`${text}` : html`<span lang="en">${text}</span>`
}

/** For a field without a label: `quietRide` becomes `Quiet ride`. */
function humanize(path: string): string {
  const words = path
    .slice(path.lastIndexOf('.') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A plain text is taken to be in the primary language. Undefined if the value is no text. */
export function findLocalizedText(wording: Wording, value: unknown): LocalizedText | undefined {
  const { primaryLanguage } = wording
  if (typeof value === 'string') {
    return {
      text: value,
      language: findForeignLanguage(wording, primaryLanguage),
      languages: [primaryLanguage],
    }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const picked = pickText(value, wording.preferredLanguages, primaryLanguage)
  const languages = Object.entries(value).flatMap(([tag, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [tag] : [],
  )
  return picked && { text: picked.text, language: findForeignLanguage(wording, picked.language), languages }
}

const findForeignLanguage = (wording: Wording, tag: string) =>
  tag === wording.language || tag.startsWith(`${wording.language}-`) ? undefined : tag

/**
 * For a text in another language than the page's: links to the page in each language that the text exists in.
 */
export function renderLanguageNote(wording: Wording, { language, languages }: LocalizedText): string {
  if (language === undefined) return ''
  const links = languages.map(
    tag => html`<a href="?!${wording.kept}lang=${tag}">${formatLanguage(wording.language, tag)}</a>`,
  )
  const [before = '', after = ''] = wording.labels.ui.inLanguage.split('{languages}')
  return html`<p class="from">${before}!${links.join(', ')}${after}</p>`
}

/** For an element with our words. Raw HTML for inside a tag. */
export const renderLangAttribute = (language: string | undefined) =>
  language === undefined ? '' : html` lang="${language}"`

/** For an element with a text in another language. Raw HTML for inside a tag. */
export const renderLangAttributes = (language: string | undefined) =>
  language === undefined ? '' : html` lang="${language}" dir="auto"`

/** `bdi` keeps the text's direction marks from changing the line around it. */
export const renderAccountText = (words: Pick<LocalizedText, 'text' | 'language'>) =>
  html`<bdi!${renderLangAttributes(words.language)}>${words.text}</bdi>`

/** A name has no language. */
export const renderName = (text: string) => html`<bdi>${text}</bdi>`

/** Only absolute http(s) addresses without credentials may become links. */
export function findLink(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

/** Says that it leaves the site, and where to. `name` is ready HTML; without it the address is the text. */
export function renderExternalLink({ labels }: Wording, url: URL, name?: string): string {
  const text = name ?? renderAddress(formatUrl(url))
  const host = name === undefined ? '' : html`!${renderName(url.host)} `
  return html`<a href="${url.href}" rel="noopener nofollow">!${text} <small>!${host}(${labels.ui.opensOtherSite})</small></a>`
}

/** Breaks after slashes first. */
export const renderAddress = (address: string) =>
  html`<bdi>!${html`${address}`.replace(/\/+/g, '$&<wbr>')}</bdi>`

/** The address as people write it, without the scheme. */
const formatUrl = ({ host, pathname, search }: URL) => host + (pathname === '/' ? '' : pathname) + search

export function renderFieldValue(wording: Wording, field: Field, path: string, value: unknown): string {
  const { language, labels } = wording
  if (typeof value === 'boolean') return labels.ui[value ? 'yes' : 'no']
  if (typeof value === 'number') return html`${formatAmount(language, field.unit, value)}`
  if (field.localized || field.type === 'text') {
    const words = findLocalizedText(wording, value)
    return words === undefined ? '' : renderLinkOr(wording, words.text, () => renderAccountText(words))
  }
  if (typeof value !== 'string') return ''
  if (field.values) return renderChoice(wording, path, value)
  return renderFormatted(wording, field, value)
}

/** A value that our schema does not list, from an older or a newer one, is rendered as it is. */
function renderChoice({ language, labels }: Wording, path: string, value: string): string {
  const key = `${path}.${value}`
  const known = findLabel(labels, 'values', key)
  if (known === undefined) return renderName(value)
  return getFallbackLanguage(language, 'values', key) === undefined
    ? html`${known}`
    : html`<span lang="en">${known}</span>`
}

function renderLinkOr(wording: Wording, text: string, otherwise: () => string): string {
  const url = findLink(text)
  return url === undefined ? otherwise() : renderExternalLink(wording, url)
}

function renderFormatted(wording: Wording, field: Field, value: string): string {
  switch (field.format) {
    case 'country':
      return html`${formatCountry(wording.language, value)}`
    case 'language':
      return html`${formatLanguage(wording.language, value)}`
    case 'partial_date':
      return html`${formatDate(wording.language, value)}`
    case 'url':
      return renderLinkOr(wording, value, () => renderName(value))
    default:
      return renderName(value)
  }
}

/** The fibre in the page's language, with what the account added to its name. */
export function renderFibreName(wording: Wording, fibre: string): string {
  const asWritten = (text: string) =>
    renderAccountText({ text, language: findForeignLanguage(wording, wording.primaryLanguage) })
  const known = buildFibreLabel(wording.labels, fibre)
  if (known === undefined) return asWritten(fibre)
  return known.more === undefined ? html`${known.name}` : html`${known.name} (!${asWritten(known.more)})`
}
