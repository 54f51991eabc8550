/** From fields of the table to pieces of the page. What a field looks like follows from its attributes, not from its name, so that a new field has a form at once. */
import { html } from 'ghtml'
import type { Field } from '../categories/field.ts'
import { fillPlaceholders, findLabel } from '../i18n/catalogue.ts'
import { formatAmount } from '../i18n/format.ts'
import { chain, classRow, composition, meter } from './figures.ts'
import type { Data } from './reading.ts'
import {
  fibreName,
  fieldLabel,
  findLink,
  inlineName,
  inlineValue,
  langAttributes,
  languageNote,
  siteLink,
  type Wording,
  wordsOf,
} from './values.ts'

/** A pair joins its neighbours in one `dl`; a figure stands by itself under its own title. All ready HTML but `title`. */
export type Block = { kind: 'pair' | 'figure'; title: string; body: string }

type Entry = Readonly<Record<string, unknown>>

/** What fits a quarter of the measure, and half of a phone's. */
const SHORT_LABEL_LENGTH = 24
const SHORT_VALUE_LENGTH = 12
/** Of the longest word of a label, which is not to be broken in a quarter of a column on paper. */
const SHORT_WORD_LENGTH = 14

/**
 * A term and its value, `body` and the `note` under it being ready HTML; a long value or a note gets twice the room. A title that
 * the heading above has just said is there for who cannot see that it is the same.
 */
export function pair(title: string, body: string, note = '', isSaid = false): string {
  const length = body.replace(/<[^>]*>|&#\d+;/g, '').length
  const isShort =
    title.length <= SHORT_LABEL_LENGTH &&
    title.split(/[\s-]/).every(word => word.length <= SHORT_WORD_LENGTH) &&
    length <= SHORT_VALUE_LENGTH &&
    note === ''
  const hidden = isSaid ? ' class="vh"' : ''
  return html`<div!${isShort ? '' : ' class="w"'}><dt!${hidden}>${title}</dt><dd>!${body}!${note}</dd></div>`
}

/** The blocks of one field of an object; none when the object has no such member. */
export function blocksOf(wording: Wording, field: Field, data: Data, parent = ''): Block[] {
  const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined
  if (value === undefined || value === null) return []
  const path = parent === '' ? field.name : `${parent}.${field.name}`
  const title = fieldLabel(wording, path)
  if (field.type === 'object') {
    return (field.fields ?? []).flatMap(member => blocksOf(wording, member, value as Data, path))
  }
  if (field.type === 'list') return listBlocks(wording, field, path, title, value)
  if (field.format === 'carbon_class' && typeof value === 'string') {
    return [{ kind: 'figure', title, body: carbonClass(wording, value) }]
  }
  if (field.type === 'text') return [{ kind: 'figure', title, body: prose(wording, value) }]
  return [{ kind: 'pair', title, body: inlineValue(wording, field, path, value) }]
}

/** Paragraphs, or a link where the whole text is one. */
function prose(wording: Wording, value: unknown): string {
  const words = wordsOf(wording, value)
  if (words === undefined) return ''
  const url = findLink(words.text)
  if (url !== undefined) return html`<p>!${siteLink(wording, url)}</p>`
  const paragraphs = words.text.split(/\n+/).filter(line => line.trim() !== '')
  const lines = paragraphs.map(line => html`<p!${langAttributes(words.language)}>${line}</p>`)
  return languageNote(wording, words) + lines.join('')
}

function carbonClass({ labels }: Wording, value: string): string {
  const letter = value.trim().toUpperCase()
  return html`!${classRow(letter)}<p><b>${fillPlaceholders(labels.ui.carbonClass, { class: letter })}</b> <small>${labels.ui.carbonClassScale}</small></p>`
}

function listBlocks(wording: Wording, field: Field, path: string, title: string, value: unknown): Block[] {
  const entries = Array.isArray(value) ? value : []
  const members = field.of ?? []
  const [only] = members
  if (entries.length === 0 || only === undefined) return []
  if (members.length === 1 && only.name === '') {
    const body = entries.map(entry => inlineValue(wording, only, path, entry)).join(', ')
    return [{ kind: 'pair', title, body }]
  }
  return [{ kind: 'figure', title, body: listFigure(wording, field, path, title, entries as Entry[]) }]
}

function listFigure(wording: Wording, field: Field, path: string, title: string, entries: Entry[]): string {
  const members = field.of ?? []
  const has = (name: string) => members.some(member => member.name === name)
  if (field.sumsTo100 !== undefined) return compositionOf(wording, field, path, title, entries)
  if (has('stage') && has('country')) return chainOf(wording, members, path, entries)
  if (has('type') && members.some(member => member.name === 'url' && member.format === 'url')) {
    return documentsOf(wording, entries)
  }
  return tableOf(wording, members, path, title, entries)
}

/** What a composition is of: its first member that is not the share. */
const nameMember = (field: Field) => field.of?.find(member => member.name !== field.sumsTo100)

/**
 * The shares of a field that adds up to 100, in the account's order; names as ready HTML. One of our labels begins with a
 * capital, other than a fibre's name or what an account wrote.
 */
export function sharesOf(wording: Wording, field: Field, path: string, entries: readonly Entry[]) {
  const named = nameMember(field)
  return entries.map(entry => {
    const value = named === undefined ? undefined : entry[named.name]
    const isFibre = named?.name === 'fiber' && typeof value === 'string'
    const isLabel =
      !isFibre && findLabel(wording.labels, 'values', `${path}.${named?.name}.${value}`) !== undefined
    return {
      isLabel,
      name: isFibre
        ? fibreName(wording, value)
        : named === undefined
          ? ''
          : inlineValue(wording, named, `${path}.${named.name}`, value),
      percentage: Number(entry[field.sumsTo100 ?? '']),
    }
  })
}

function compositionOf(
  wording: Wording,
  field: Field,
  path: string,
  caption: string,
  entries: readonly Entry[],
): string {
  const name = fieldLabel(wording, `${path}.${nameMember(field)?.name}`)
  const share = fieldLabel(wording, `${path}.${field.sumsTo100}`)
  return composition(wording.language, { caption, name, share }, sharesOf(wording, field, path, entries))
}

function chainOf(
  wording: Wording,
  members: readonly Field[],
  path: string,
  entries: readonly Entry[],
): string {
  const show = (entry: Entry, name: string) => {
    const member = members.find(one => one.name === name)
    return member === undefined || entry[name] === undefined
      ? ''
      : inlineValue(wording, member, `${path}.${name}`, entry[name])
  }
  const others = members.map(member => member.name).filter(name => name !== 'stage' && name !== 'country')
  return chain(
    entries.map(entry => ({
      name: show(entry, 'stage'),
      place: show(entry, 'country'),
      more: others
        .map(name => show(entry, name))
        .filter(text => text !== '')
        .join(' · '),
    })),
  )
}

/** Each document by its type, which may be a name of the account's own. */
function documentsOf(wording: Wording, entries: readonly Entry[]): string {
  const items = entries.map(({ type, url }) => {
    const name = documentName(wording, String(type ?? ''))
    const link = typeof url === 'string' ? findLink(url) : undefined
    if (link === undefined) return html`<li>!${name} !${inlineName(String(url ?? ''))}</li>`
    return html`<li>!${siteLink(wording, link, name)}</li>`
  })
  return html`<ul class="plain">!${items}</ul>`
}

function documentName({ labels }: Wording, type: string): string {
  const known: Readonly<Record<string, string>> = labels.documents
  const key = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return Object.hasOwn(known, key) ? html`${known[key]}` : inlineName(type)
}

/**
 * Columns only for members that some entry has; a number that is a part of something gets a bar under its row. A CAS
 * number stands under the name it belongs to: three columns are too many for a phone.
 */
function tableOf(
  wording: Wording,
  members: readonly Field[],
  path: string,
  caption: string,
  entries: readonly Entry[],
): string {
  const used = members.filter(member => entries.some(entry => entry[member.name] !== undefined))
  const under = used.find((member, i) => i > 0 && member.format === 'cas')
  const columns = used.filter(member => member !== under)
  const numbers = entries.flatMap(entry => columns.map(column => entry[column.name])).filter(isNumber)
  const most = columns.some(column => column.max === 100) ? 100 : Math.max(...numbers, 0)
  const labelOf = (column: Field) => fieldLabel(wording, `${path}.${column.name}`)
  const cell = (entry: Entry, column: Field, i: number) => {
    const value = entry[column.name]
    if (isNumber(value)) return amountCell(wording, column, value, most)
    const text = value === undefined ? '' : inlineValue(wording, column, `${path}.${column.name}`, value)
    if (i > 0) return html`<td>!${text}</td>`
    const more = under === undefined ? undefined : entry[under.name]
    const note =
      typeof more === 'string'
        ? html`<small>${labelOf(under as Field)} <span class="n">${more}</span></small>`
        : ''
    return html`<th scope="row">!${text}!${note}</th>`
  }
  const rows = entries.map(entry => html`<tr>!${columns.map((column, i) => cell(entry, column, i))}</tr>`)
  const head = columns.map(column => html`<th scope="col">${labelOf(column)}</th>`)
  const hidden = columns.length === 2 && numbers.length > 0 ? ' class="vh"' : ''
  return html`<table><caption class="vh">${caption}</caption><thead!${hidden}><tr>!${head}</tr></thead><tbody>!${rows}</tbody></table>`
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function amountCell({ language }: Wording, column: Field, value: number, most: number): string {
  const text = formatAmount(language, column.unit, value)
  const bar = most > 0 ? meter(value, most, text) : ''
  return html`<td class="n">${text}!${bar}</td>`
}
