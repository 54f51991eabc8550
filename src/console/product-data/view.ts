/** A passport's data to read: the same labels as its public page, all of it, because its own account may see all. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { type Data, isObject } from '../../categories/value.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry, formatLanguage } from '../../i18n/format.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { labelOf } from './labels.ts'

/** Known fields in the category's order, then what no schema knows. `mark` stands behind a field's name. */
export function dataView(
  words: Words,
  fields: readonly Field[],
  data: Data,
  mark: (name: string) => string = () => '',
): string {
  const known = fields.filter(field => data[field.name] !== undefined)
  const names = new Set(fields.map(field => field.name))
  const others = Object.keys(data).filter(name => !names.has(name))
  const rows = [
    ...known.map(field =>
      pair(
        labelOf(words, field.name),
        mark(field.name),
        valueView(words, field, field.name, data[field.name]),
      ),
    ),
    ...others.map(name => pair(name, mark(name), free(data[name]))),
  ]
  return html`<dl class="data-view">!${rows}</dl>`
}

const pair = (name: string, mark: string, value: string) =>
  html`<div><dt>${name}!${mark}</dt><dd>!${value}</dd></div>`

const free = (value: unknown): string =>
  typeof value === 'string' ? html`${value}` : html`<code>${JSON.stringify(value, null, 1)}</code>`

/** A value as HTML; one of another shape than its field's, which an older schema may have let in, is shown as it is. */
export function valueView(words: Words, field: Field, path: string, value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (field.localized && isObject(value)) {
    const lines = Object.entries(value).map(
      ([tag, text]) =>
        html`<dt>${formatLanguage(words.language, tag)}</dt><dd lang="${tag}" dir="auto" class="text">${String(text)}</dd>`,
    )
    return html`<dl class="pairs">!${lines}</dl>`
  }
  if (field.type === 'object' && isObject(value)) return members(words, field.fields ?? [], path, value)
  if (field.type === 'list' && Array.isArray(value)) return entries(words, field, path, value)
  return scalar(words, field, path, value)
}

function members(words: Words, fields: readonly Field[], path: string, value: Data): string {
  const lines = fields
    .filter(field => value[field.name] !== undefined)
    .map(field => {
      const at = `${path}.${field.name}`
      return html`<dt>${labelOf(words, at)}</dt><dd>!${valueView(words, field, at, value[field.name])}</dd>`
    })
  return html`<dl class="pairs">!${lines}</dl>`
}

function entries(words: Words, field: Field, path: string, value: readonly unknown[]): string {
  const [only] = field.of ?? []
  if (only?.name === '') return html`${value.map(String).join(', ')}`
  const lines = value.map(
    entry => html`<li>!${isObject(entry) ? members(words, field.of ?? [], path, entry) : free(entry)}</li>`,
  )
  return html`<ol class="entries">!${lines}</ol>`
}

function scalar(words: Words, field: Field, path: string, value: unknown): string {
  if (isObject(value) || Array.isArray(value)) return free(value)
  const text = plain(words, field, path, value)
  return typeof value === 'string' && field.format !== 'country'
    ? html`<span class="text" dir="auto">${text}</span>`
    : html`${text}`
}

/** A single value as text. */
function plain(words: Words, field: Field, path: string, value: unknown): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return formatAmount(words.language, field.unit, value)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.format === 'country') return formatCountry(words.language, value)
  const labels = getLabels(words.language)
  return (
    findLabel(labels, field.known ?? 'values', field.known === undefined ? `${path}.${value}` : value) ??
    value
  )
}

/** Characters of a value that stands beside its field's name. */
export const MOST_BRIEF = 100

export const isScalar = ({ type, localized }: Field): boolean =>
  type !== 'object' && type !== 'list' && localized !== true

/** The beginning of a field's value, as text in one line, in the product's first language; empty where there is none. */
export function briefOf(words: Words, field: Field, data: Data): string {
  const [primary = ''] = Array.isArray(data.languages) ? data.languages.map(String) : []
  const parts: string[] = []
  let length = 0
  for (const part of leaves({ words, primary }, field, field.name, data[field.name])) {
    parts.push(part)
    length += part.length
    if (length >= MOST_BRIEF) break
  }
  const text = parts.join(' · ').replace(/\s+/g, ' ')
  if (text.length < MOST_BRIEF) return text
  return `${text.slice(0, MOST_BRIEF - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

type Speech = { words: Words; primary: string }

function* leaves(speech: Speech, field: Field, path: string, value: unknown): Generator<string> {
  if (value === undefined || value === null) return
  if (field.localized && isObject(value)) {
    const text = value[speech.primary] ?? Object.values(value)[0]
    if (text !== undefined) yield String(text)
  } else if (field.type === 'object' && isObject(value)) {
    yield* leavesOf(speech, field.fields, path, value)
  } else if (field.type === 'list' && Array.isArray(value)) {
    for (const entry of value) {
      if (isObject(entry)) yield* leavesOf(speech, field.of, path, entry)
      else yield String(entry)
    }
  } else yield plain(speech.words, field, path, value)
}

function* leavesOf(
  speech: Speech,
  fields: readonly Field[] = [],
  path: string,
  value: Data,
): Generator<string> {
  for (const field of fields) {
    // A yes without its question says nothing.
    if (field.type === 'boolean') continue
    yield* leaves(speech, field, `${path}.${field.name}`, value[field.name])
  }
}
