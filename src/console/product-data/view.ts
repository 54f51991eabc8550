/** Renders a product's data to read, with the labels of the public page. The account sees every field. */

import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { pickText } from '../../categories/pick-text.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatLanguage } from '../../i18n/format.ts'
import { type DataObject, isObject } from '../../kernel/data-object.ts'
import type { Words } from '../page/route.ts'
import { getFileUrl, renderThumbnailOf } from '../page/thumbnails.ts'
import { isFileField } from './form-fields.ts'
import { getDocumentTypeLabel, getFieldLabel, getValueLabel } from './labels.ts'

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
      renderPair(
        getFieldLabel(words, field.name),
        mark(field.name),
        renderValue(words, field, field.name, data[field.name]),
      ),
    ),
    ...others.map(name => renderPair(name, mark(name), renderUnknownValue(data[name]))),
  ]
  return html`<dl class="data-view">!${rows}</dl>`
}

const renderPair = (name: string, mark: string, value: string) =>
  html`<div><dt>${name}!${mark}</dt><dd>!${value}</dd></div>`

const renderUnknownValue = (value: unknown): string =>
  typeof value === 'string' ? html`${value}` : html`<code>${JSON.stringify(value, null, 1)}</code>`

/** A value that does not fit its field, as an older schema may have allowed, is shown as stored. */
export function renderValue(words: Words, field: Field, path: string, value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (field.localized && isObject(value)) {
    const lines = Object.entries(value).map(
      ([tag, text]) =>
        html`<dt>${formatLanguage(words.language, tag)}</dt><dd lang="${tag}" dir="auto" class="text">${String(text)}</dd>`,
    )
    return html`<dl class="pairs">!${lines}</dl>`
  }
  if (field.type === 'object' && isObject(value)) return renderMembers(words, field.fields ?? [], path, value)
  if (field.type === 'list' && Array.isArray(value)) return renderEntries(words, field, path, value)
  return renderScalar(words, field, path, value)
}

function renderMembers(words: Words, fields: readonly Field[], path: string, value: DataObject): string {
  const lines = fields
    .filter(field => value[field.name] !== undefined)
    .map(field => {
      const at = `${path}.${field.name}`
      return html`<dt>${getFieldLabel(words, at)}</dt><dd>!${renderValue(words, field, at, value[field.name])}</dd>`
    })
  return html`<dl class="pairs">!${lines}</dl>`
}

function renderEntries(words: Words, field: Field, path: string, value: readonly unknown[]): string {
  const [only] = field.of ?? []
  if (only?.name === '') return html`${value.map(String).join(', ')}`
  const lines = value.map(
    entry =>
      html`<li>!${isObject(entry) ? renderMembers(words, field.of ?? [], path, entry) : renderUnknownValue(entry)}</li>`,
  )
  return html`<ol class="entries">!${lines}</ol>`
}

function renderScalar(words: Words, field: Field, path: string, value: unknown): string {
  if (isObject(value) || Array.isArray(value)) return renderUnknownValue(value)
  if (field.format === 'picture_id') return renderThumbnailOf(value, PICTURE_SIDE)
  if (field.format === 'document_id') return renderFileLink(words, value)
  const text = formatScalar(words, field, path, value)
  return typeof value === 'string' && field.format !== 'country'
    ? html`<span class="text" dir="auto">${text}</span>`
    : html`${text}`
}

/** CSS pixels. */
const PICTURE_SIDE = 80

const renderFileLink = ({ texts }: Words, value: unknown): string =>
  html`<a class="alone" href="${getFileUrl(String(value))}">${texts.media.storedDocument}</a>`

/** Of the kind of a document in all lists. */
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
export const MAX_BRIEF_LENGTH = 100

export const isScalarField = ({ type, localized }: Field): boolean =>
  type !== 'object' && type !== 'list' && localized !== true

/** The start of a field's value in one line, in the product's first language; '' without a value. */
export function summarizeValue(words: Words, field: Field, data: DataObject): string {
  const [primary = ''] = Array.isArray(data.languages) ? data.languages.map(String) : []
  const parts: string[] = []
  let length = 0
  for (const part of listTexts({ words, primary }, field, field.name, data[field.name])) {
    parts.push(part)
    length += part.length
    if (length >= MAX_BRIEF_LENGTH) break
  }
  const text = parts.join(' · ').replace(/\s+/g, ' ')
  if (text.length < MAX_BRIEF_LENGTH) return text
  return `${text.slice(0, MAX_BRIEF_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

type SummaryContext = { words: Words; primary: string }

function* listTexts(speech: SummaryContext, field: Field, path: string, value: unknown): Generator<string> {
  if (value === undefined || value === null) return
  if (field.localized && isObject(value)) {
    const picked = pickText(value, [], speech.primary)
    if (picked !== undefined) yield picked.text
  } else if (field.type === 'object' && isObject(value)) {
    yield* listMemberTexts(speech, field.fields, path, value)
  } else if (field.type === 'list' && Array.isArray(value)) {
    for (const entry of value) {
      if (isObject(entry)) yield* listMemberTexts(speech, field.of, path, entry)
      else yield String(entry)
    }
  } else yield formatScalar(speech.words, field, path, value)
}

function* listMemberTexts(
  speech: SummaryContext,
  fields: readonly Field[] = [],
  path: string,
  value: DataObject,
): Generator<string> {
  for (const field of fields) {
    // "Yes" without its label says nothing, nor does the id of a file.
    if (field.type === 'boolean' || isFileField(field)) continue
    yield* listTexts(speech, field, `${path}.${field.name}`, value[field.name])
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
  const show = (name: string, value: unknown) => {
    const field = known.get(name)
    return field === undefined
      ? html`${JSON.stringify(value) ?? '–'}`
      : renderValue(words, field, name, value)
  }
  const rows = changed.map(
    name =>
      html`<tr><th scope="row">${getFieldLabel(words, name)}</th><td>!${show(name, before[name])}</td><td>!${show(name, after[name])}</td></tr>`,
  )
  return html`<section><h2 id="diff">${texts.difference}</h2><div class="scroll" tabindex="0" role="region" aria-labelledby="diff"><table class="diff">
<thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.before}</th><th scope="col">${texts.after}</th></tr></thead><tbody>!${rows}</tbody></table></div></section>`
}
