/** Renders a product's data to read, with the labels of the public page. The account sees every field. */

import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { pickText } from '../../categories/pick-text.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatLanguage } from '../../i18n/format.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { getPrimaryLanguage } from '../../passports/read/build-reading.ts'
import type { Words } from '../page/route.ts'
import { getFileUrl, renderThumbnailOf } from '../page/thumbnails.ts'
import { isFileField } from './form-fields.ts'
import { getDocumentTypeLabel, getFieldLabel, getValueLabel } from './labels.ts'

/** `primary`: the language of texts that nobody has translated. */
type DataLocale = { words: Words; primary: string }

/** Known fields in the category's order, then unknown ones. `mark` returns HTML after the name. */
export function renderData(
  words: Words,
  fields: readonly Field[],
  data: DataObject,
  mark: (name: string) => string = () => '',
): string {
  const known = fields.filter(field => data[field.name] !== undefined)
  const names = new Set(fields.map(field => field.name))
  const others = Object.keys(data).filter(name => !names.has(name))
  const rows = [
    ...known.map(field =>
      renderPair(getFieldLabel(words, field.name), mark(field.name), renderDataValue(words, field, data)),
    ),
    ...others.map(name => renderPair(name, mark(name), renderUnknownValue(data[name]))),
  ]
  return html`<dl class="data-view">!${rows}</dl>`
}

const renderPair = (name: string, mark: string, value: string) =>
  html`<div><dt>${name}!${mark}</dt><dd>!${value}</dd></div>`

const renderUnknownValue = (value: unknown): string =>
  typeof value === 'string' ? html`${value}` : html`<code>${JSON.stringify(value, null, 1)}</code>`

/** The value of a field of the data, to read. */
export const renderDataValue = (words: Words, field: Field, data: DataObject): string =>
  renderValue({ words, primary: getPrimaryLanguage(data) }, field, field.name, data[field.name])

/** A value that does not fit its field, as an older schema may have allowed, is shown as stored. */
function renderValue(locale: DataLocale, field: Field, path: string, value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (field.localized && isObject(value)) {
    const lines = Object.entries(value).map(
      ([tag, text]) =>
        html`<dt>${formatLanguage(locale.words.language, tag)}</dt><dd lang="${tag}" dir="auto" class="text">${String(text)}</dd>`,
    )
    return html`<dl class="pairs">!${lines}</dl>`
  }
  if (field.type === 'object' && isObject(value))
    return renderMembers(locale, field.fields ?? [], path, value)
  if (field.type === 'list' && Array.isArray(value)) return renderEntries(locale, field, path, value)
  return renderScalar(locale, field, path, value)
}

function renderMembers(
  locale: DataLocale,
  fields: readonly Field[],
  path: string,
  value: DataObject,
): string {
  const lines = fields
    .filter(field => value[field.name] !== undefined)
    .map(field => {
      const at = `${path}.${field.name}`
      return html`<dt>${getFieldLabel(locale.words, at)}</dt><dd>!${renderValue(locale, field, at, value[field.name])}</dd>`
    })
  return html`<dl class="pairs">!${lines}</dl>`
}

function renderEntries(locale: DataLocale, field: Field, path: string, value: readonly unknown[]): string {
  const [only] = field.of ?? []
  if (only?.name === '') return value.map(entry => renderScalar(locale, only, path, entry)).join(', ')
  const lines = value.map(
    entry =>
      html`<li>!${isObject(entry) ? renderMembers(locale, field.of ?? [], path, entry) : renderUnknownValue(entry)}</li>`,
  )
  return html`<ol class="entries">!${lines}</ol>`
}

function renderScalar(locale: DataLocale, field: Field, path: string, value: unknown): string {
  const { words } = locale
  if (isObject(value) || Array.isArray(value)) return renderUnknownValue(value)
  if (field.format === 'picture_id') return renderThumbnailOf(value, PICTURE_SIDE)
  if (field.format === 'document_id') return renderFileLink(words, value)
  const text = formatScalar(words, field, path, value)
  if (typeof value !== 'string' || field.format === 'country') return html`${text}`
  const language = isUntranslated(field, value, text) ? locale.primary : words.language
  return html`<span class="text" dir="auto"!${renderLanguage(words, language)}>${text}</span>`
}

/** CSS pixels. */
const PICTURE_SIDE = 80

const renderFileLink = ({ texts }: Words, value: unknown): string =>
  html`<a class="alone" href="${getFileUrl(String(value))}">${texts.media.storedDocument}</a>`

/** Returns true for the product's own words: neither a code nor a name that we translate. */
const isUntranslated = ({ format, values }: Field, value: unknown, text: string): boolean =>
  format === undefined && values === undefined && value === text

/** The attribute of an element with a text of the account, as ready HTML. */
export const renderLanguage = (words: Words, language: string | undefined): string =>
  language === undefined || language === words.language ? '' : html` lang="${language}"`

/** For the kind of a document in all lists. */
const DOCUMENT_TYPE_TERM = 'dpp:documentType'

function formatScalar(words: Words, field: Field, path: string, value: unknown): string {
  const texts = words.texts.products
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return formatAmount(words.language, field.unit, value)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.format === 'country') return formatCountry(words.language, value)
  if (field.term === DOCUMENT_TYPE_TERM) return getDocumentTypeLabel(words, value)
  if (field.dictionary === undefined) return getValueLabel(words, path, value)
  return findLabel(getLabels(words.language), field.dictionary, value) ?? value
}

/** Characters of a value shown beside its field's name. */
const MAX_BRIEF_LENGTH = 100

export const isScalarField = ({ type, localized }: Field): boolean =>
  type !== 'object' && type !== 'list' && localized !== true

/** `language`: that of the account's words; undefined for ours. */
type SummaryPart = { text: string; language?: string | undefined }

/** The start of a field's value in one line, in the product's first language; empty without a value. */
export function summarizeValue(words: Words, field: Field, data: DataObject): SummaryPart[] {
  const locale = { words, primary: getPrimaryLanguage(data) }
  const parts: SummaryPart[] = []
  let left = MAX_BRIEF_LENGTH
  for (const part of listTexts(locale, field, field.name, data[field.name])) {
    const text = part.text.replace(/\s+/g, ' ')
    parts.push({ ...part, text: text.length < left ? text : cutText(text, left) })
    left -= text.length + SEPARATOR.length
    if (left <= 0) break
  }
  return parts
}

const SEPARATOR = ' · '

const cutText = (text: string, length: number): string =>
  `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`

export const isSummaryWhole = (parts: readonly SummaryPart[]): boolean =>
  parts.at(-1)?.text.endsWith('…') !== true

export const renderSummary = (words: Words, parts: readonly SummaryPart[]): string =>
  parts
    .map(({ text, language }) => {
      const attribute = renderLanguage(words, language)
      return attribute === '' ? html`${text}` : html`<span dir="auto"!${attribute}>${text}</span>`
    })
    .join(SEPARATOR)

function* listTexts(locale: DataLocale, field: Field, path: string, value: unknown): Generator<SummaryPart> {
  if (value === undefined || value === null) return
  if (field.localized && isObject(value)) {
    const picked = pickText(value, [], locale.primary)
    if (picked !== undefined) yield picked
  } else if (field.type === 'object' && isObject(value)) {
    yield* listMemberTexts(locale, field.fields, path, value)
  } else if (field.type === 'list' && Array.isArray(value)) {
    for (const entry of value) {
      if (isObject(entry)) yield* listMemberTexts(locale, field.of, path, entry)
      else yield { text: String(entry) }
    }
  } else {
    const text = formatScalar(locale.words, field, path, value)
    yield { text, language: isUntranslated(field, value, text) ? locale.primary : undefined }
  }
}

function* listMemberTexts(
  locale: DataLocale,
  fields: readonly Field[] = [],
  path: string,
  value: DataObject,
): Generator<SummaryPart> {
  for (const field of fields) {
    // "Yes" without its label says nothing, nor does the id of a file.
    if (field.type === 'boolean' || isFileField(field)) continue
    yield* listTexts(locale, field, `${path}.${field.name}`, value[field.name])
  }
}

export function renderDifference(
  words: Words,
  fields: readonly Field[],
  before: DataObject,
  after: DataObject,
): string {
  const texts = words.texts.products
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (changed.length === 0) return html`<p>${texts.noDifference}</p>`
  const known = new Map(fields.map(field => [field.name, field]))
  const show = (name: string, data: DataObject) => {
    const field = known.get(name)
    return field === undefined
      ? html`${JSON.stringify(data[name]) ?? '–'}`
      : renderDataValue(words, field, data)
  }
  const rows = changed.map(
    name =>
      html`<tr><th scope="row">${getFieldLabel(words, name)}</th><td>!${show(name, before)}</td><td>!${show(name, after)}</td></tr>`,
  )
  return html`<section><h2 id="diff">${texts.difference}</h2><div class="scroll" tabindex="0" role="region" aria-labelledby="diff"><table class="diff">
<thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.before}</th><th scope="col">${texts.after}</th></tr></thead><tbody>!${rows}</tbody></table></div></section>`
}
