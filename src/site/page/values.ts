/** One value of a passport as words: in the page's language where we have the words, marked with its own where the account wrote it. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { buildFibreLabel } from '../../categories/names/recognise-names.ts'
import { pickText } from '../../categories/pick-text.ts'
import { findLabel, getFallbackLanguage, type Labels, type Language } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatDate, formatLanguage } from '../../i18n/format.ts'

/** In which words a page is written. */
export type Wording = {
  language: Language
  labels: Labels
  /** In which languages the reader would have what the account wrote, the most wanted first. */
  wanted: readonly string[]
  /** The language of what the account wrote without saying in which. */
  primary: string
  /** What of the page's query its links to other languages take along, ready HTML. */
  kept: string
}

/** Text of a person, and the language it is in if that is not the page's; all languages that it is there in. */
export type LocalizedText = { text: string; language: string | undefined; languages: readonly string[] }

/** `path` names the field in the catalogues: `repair.repairable`. */
export function getPageLabel(wording: Wording, path: string): string {
  return findLabel(wording.labels, 'fields', path) ?? humanize(path)
}

/** The language of a field's label where it is not the page's: English stands in for a missing one. */
export const findLabelLanguage = ({ language }: Wording, path: string) =>
  getFallbackLanguage(language, 'fields', path)

/** A field's label as ready HTML. */
export function renderFieldLabel(wording: Wording, path: string): string {
  const text = getPageLabel(wording, path)
  return findLabelLanguage(wording, path) === undefined ? html`${text}` : html`<span lang="en">${text}</span>`
}

/** A field we have no words for yet: `quietRide` reads as `Quiet ride`. */
function humanize(path: string): string {
  const words = path
    .slice(path.lastIndexOf('.') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A localized text, or a plain one taken to be in the primary language; undefined when it is neither. */
export function findLocalizedText(wording: Wording, value: unknown): LocalizedText | undefined {
  if (typeof value === 'string') {
    return {
      text: value,
      language: findForeignLanguage(wording, wording.primary),
      languages: [wording.primary],
    }
  }
  if (typeof value !== 'object' || value === null) return undefined
  const picked = pickText(value, wording.wanted, wording.primary)
  const languages = Object.entries(value).flatMap(([tag, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [tag] : [],
  )
  return picked && { text: picked.text, language: findForeignLanguage(wording, picked.language), languages }
}

const findForeignLanguage = (wording: Wording, tag: string) =>
  tag === wording.language || tag.startsWith(`${wording.language}-`) ? undefined : tag

/** Above a text in another language than the page: in which ones it is there, each a link to the page in it. */
export function renderLanguageNote(wording: Wording, { language, languages }: LocalizedText): string {
  if (language === undefined) return ''
  const links = languages.map(
    tag => html`<a href="?!${wording.kept}lang=${tag}">${formatLanguage(wording.language, tag)}</a>`,
  )
  const [before = '', after = ''] = wording.labels.ui.inLanguage.split('{languages}')
  return html`<p class="from">${before}!${links.join(', ')}${after}</p>`
}

/** `lang` of an element whose words are ours; raw, for inside a tag. */
export const renderLangAttribute = (language: string | undefined) =>
  language === undefined ? '' : html` lang="${language}"`

/** `lang` and `dir` of an element whose text is in another language than the page; raw, for inside a tag. */
export const renderLangAttributes = (language: string | undefined) =>
  language === undefined ? '' : html` lang="${language}" dir="auto"`

/** The text of an account in a line of ours: `bdi` keeps its direction marks to itself. */
export const renderAccountText = (words: Pick<LocalizedText, 'text' | 'language'>) =>
  html`<bdi!${renderLangAttributes(words.language)}>${words.text}</bdi>`

/** A name as it stands: no language is claimed for it. */
export const renderName = (text: string) => html`<bdi>${text}</bdi>`

/** The address if it is one that may become a link: absolute http(s) without credentials. */
export function findLink(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

/** A link out of the page, which says so: by its `name`, ready HTML, and its host, or by its address. */
export function renderExternalLink({ labels }: Wording, url: URL, name?: string): string {
  const text = name ?? renderAddress(formatUrl(url))
  const host = name === undefined ? '' : html`!${renderName(url.host)} `
  return html`<a href="${url.href}" rel="noopener nofollow">!${text} <small>!${host}(${labels.ui.opensOtherSite})</small></a>`
}

/** An address, which breaks behind its slashes first. */
export const renderAddress = (address: string) =>
  html`<bdi>!${html`${address}`.replace(/\/+/g, '$&<wbr>')}</bdi>`

/** An address as people read it: host and path, without the scheme. */
function formatUrl(url: URL): string {
  const path = url.pathname === '/' ? '' : url.pathname
  return url.host + path + url.search
}

/** A scalar of the table as inline HTML. */
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

/** One of a field's listed values; an unlisted one of an older or newer schema stands as it is. */
export function renderChoice({ language, labels }: Wording, path: string, value: string): string {
  const key = `${path}.${value}`
  const known = findLabel(labels, 'values', key)
  if (known === undefined) return renderName(value)
  return getFallbackLanguage(language, 'values', key) === undefined
    ? html`${known}`
    : html`<span lang="en">${known}</span>`
}

/** What cannot be a link is shown as the text it is. */
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

/** A fibre in the page's language, in whatever language its name was written; with what that says beyond the name. */
export function renderFibreName(wording: Wording, fibre: string): string {
  const asWritten = (text: string) =>
    renderAccountText({ text, language: findForeignLanguage(wording, wording.primary) })
  const known = buildFibreLabel(wording.labels, fibre)
  if (known === undefined) return asWritten(fibre)
  return known.more === undefined ? html`${known.name}` : html`${known.name} (!${asWritten(known.more)})`
}
