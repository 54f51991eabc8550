/**
 * Renders fields by their attributes, not by their names, so that every new field has a rendering at once.
 */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { fillPlaceholders, findLabel } from '../../i18n/catalogue.ts'
import { formatAmount } from '../../i18n/format.ts'
import { asObject } from '../../kernel/data-object.ts'
import { renderChain, renderClassScale, renderComposition, renderMeter } from './figures.ts'
import type { Data } from './passport-view.ts'
import {
  findLabelLanguage,
  findLink,
  findLocalizedText,
  getPageLabel,
  type PageLocale,
  renderExternalLink,
  renderFibreName,
  renderFieldLabel,
  renderFieldValue,
  renderLangAndDirection,
  renderLangAttribute,
  renderLanguageNote,
  renderName,
} from './values.ts'

/** Neighbouring pairs share a `dl`; a figure has its own title. All but `title` is ready HTML. */
export type Block = { kind: 'pair' | 'figure'; title: string; titleLanguage: 'en' | undefined; body: string }

type Entry = Readonly<Record<string, unknown>>

/** What fits a quarter of the width, and half of a phone's. */
const SHORT_LABEL_LENGTH = 24
const SHORT_VALUE_LENGTH = 12
/** The longest word of a label that fits a quarter of a column on paper unbroken. */
const SHORT_WORD_LENGTH = 14

/**
 * `body` and `note` are ready HTML and get twice the width if needed. If `isSaid`, the heading says the title
 * already.
 */
export function renderPair(
  title: string,
  body: string,
  note = '',
  isSaid = false,
  titleLanguage?: string | undefined,
): string {
  const length = body.replace(/<[^>]*>|&#\d+;/g, '').length
  const isShort =
    title.length <= SHORT_LABEL_LENGTH &&
    title.split(/[\s-]/).every(word => word.length <= SHORT_WORD_LENGTH) &&
    length <= SHORT_VALUE_LENGTH &&
    note === ''
  const hidden = isSaid ? ' class="vh"' : ''
  return html`<div!${isShort ? '' : ' class="w"'}><dt!${hidden}!${renderLangAttribute(titleLanguage)}>${title}</dt><dd>!${body}!${note}</dd></div>`
}

/** The title of a figure that shares its section with others. */
export const renderSubheading = (title: string, language: string | undefined) =>
  html`<h3!${renderLangAttribute(language)}>${title}</h3>`

/** Empty if the object lacks the field. */
export function renderBlocks(locale: PageLocale, field: Field, data: Data, parent = ''): Block[] {
  const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined
  if (value === undefined || value === null) return []
  const path = parent === '' ? field.name : `${parent}.${field.name}`
  const named = { title: getPageLabel(locale, path), titleLanguage: findLabelLanguage(locale, path) }
  if (field.type === 'object') {
    return (field.fields ?? []).flatMap(member => renderBlocks(locale, member, asObject(value), path))
  }
  if (field.type === 'list') return renderListBlocks(locale, field, path, named, value)
  if (field.format === 'carbon_class' && typeof value === 'string') {
    return [{ kind: 'figure', ...named, body: renderCarbonClass(locale, value) }]
  }
  if (field.type === 'text') return [{ kind: 'figure', ...named, body: renderProse(locale, value) }]
  return [{ kind: 'pair', ...named, body: renderFieldValue(locale, field, path, value) }]
}

/** Paragraphs, or a link if the whole text is an address. */
function renderProse(locale: PageLocale, value: unknown): string {
  const localized = findLocalizedText(locale, value)
  if (localized === undefined) return ''
  const url = findLink(localized.text)
  if (url !== undefined) return html`<p>!${renderExternalLink(locale, url)}</p>`
  const paragraphs = localized.text.split(/\n+/).filter(line => line.trim() !== '')
  const lines = paragraphs.map(line => html`<p!${renderLangAndDirection(localized.language)}>${line}</p>`)
  return renderLanguageNote(locale, localized) + lines.join('')
}

function renderCarbonClass({ labels }: PageLocale, value: string): string {
  const letter = value.trim().toUpperCase()
  return html`!${renderClassScale(letter)}<p><b>${fillPlaceholders(labels.ui.carbonClass, { class: letter })}</b> <small>${labels.ui.carbonClassScale}</small></p>`
}

function renderListBlocks(
  locale: PageLocale,
  field: Field,
  path: string,
  named: Pick<Block, 'title' | 'titleLanguage'>,
  value: unknown,
): Block[] {
  const entries = Array.isArray(value) ? value : []
  const members = field.of ?? []
  const [only] = members
  if (entries.length === 0 || only === undefined) return []
  if (members.length === 1 && only.name === '') {
    const body = entries.map(entry => renderFieldValue(locale, only, path, entry)).join(', ')
    return [{ kind: 'pair', ...named, body }]
  }
  return [{ kind: 'figure', ...named, body: renderListFigure(locale, field, path, entries) }]
}

function renderListFigure(locale: PageLocale, field: Field, path: string, entries: Entry[]): string {
  const members = field.of ?? []
  switch (field.figure ?? (field.sumsTo100 === undefined ? 'table' : 'composition')) {
    case 'composition':
      return renderCompositionField(locale, field, path, entries)
    case 'chain':
      return renderChainField(locale, members, path, entries)
    case 'documents':
      return renderDocuments(locale, members, entries)
    case 'table':
      return renderTable(locale, members, path, entries)
  }
}

/** The first member that is not the share. */
const findNameMember = (field: Field) => field.of?.find(member => member.name !== field.sumsTo100)

/**
 * The shares of a field that sums to 100, in the account's order; names are ready HTML. Labels begin with a
 * capital; names of fibres and the account's own names stay as they are.
 */
export function listShares(locale: PageLocale, field: Field, path: string, entries: readonly Entry[]) {
  const named = findNameMember(field)
  return entries.map(entry => {
    const percentage = Number(entry[field.sumsTo100 ?? ''])
    if (named === undefined) return { isLabel: false, name: '', percentage }
    const value = entry[named.name]
    if (named.dictionary === 'fibres' && typeof value === 'string') {
      return { isLabel: false, name: renderFibreName(locale, value), percentage }
    }
    const namePath = `${path}.${named.name}`
    const isLabel = findLabel(locale.labels, 'values', `${namePath}.${value}`) !== undefined
    return { isLabel, name: renderFieldValue(locale, named, namePath, value), percentage }
  })
}

function renderCompositionField(
  locale: PageLocale,
  field: Field,
  path: string,
  entries: readonly Entry[],
): string {
  const caption = renderFieldLabel(locale, path)
  const name = renderFieldLabel(locale, `${path}.${findNameMember(field)?.name}`)
  const share = renderFieldLabel(locale, `${path}.${field.sumsTo100}`)
  return renderComposition(
    locale.language,
    { caption, name, share },
    listShares(locale, field, path, entries),
  )
}

/** Each stage by its first member and its country, with the other members below. */
function renderChainField(
  locale: PageLocale,
  members: readonly Field[],
  path: string,
  entries: readonly Entry[],
): string {
  const show = (entry: Entry, member: Field | undefined) =>
    member === undefined || entry[member.name] === undefined
      ? ''
      : renderFieldValue(locale, member, `${path}.${member.name}`, entry[member.name])
  const [stage] = members
  const place = members.find(({ format }) => format === 'country')
  const others = members.filter(member => member !== stage && member !== place)
  return renderChain(
    entries.map(entry => ({
      name: show(entry, stage),
      place: show(entry, place),
      more: others
        .map(member => show(entry, member))
        .filter(text => text !== '')
        .join(' · '),
    })),
  )
}

/** Each document by its first member, which is its type or a name of the account's own, with its link. */
function renderDocuments(locale: PageLocale, members: readonly Field[], entries: readonly Entry[]): string {
  const typeName = members[0]?.name ?? ''
  const urlName = members.find(({ format }) => format === 'url')?.name ?? ''
  const items = entries.map(({ [typeName]: type, [urlName]: url }) => {
    const name = renderDocumentName(locale, String(type ?? ''))
    const link = typeof url === 'string' ? findLink(url) : undefined
    if (link === undefined) return html`<li>!${name} !${renderName(String(url ?? ''))}</li>`
    return html`<li>!${renderExternalLink(locale, link, name)}</li>`
  })
  return html`<ul class="plain">!${items}</ul>`
}

function renderDocumentName({ labels }: PageLocale, type: string): string {
  const known: Readonly<Record<string, string>> = labels.documents
  const key = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return Object.hasOwn(known, key) ? html`${known[key]}` : renderName(type)
}

/**
 * Only columns that some entry has. On a phone, three are too many: a CAS number stands under its substance.
 */
function renderTable(
  locale: PageLocale,
  members: readonly Field[],
  path: string,
  entries: readonly Entry[],
): string {
  const used = members.filter(member => entries.some(entry => entry[member.name] !== undefined))
  const under = used.find((member, i) => i > 0 && member.format === 'cas')
  const columns = used.filter(member => member !== under)
  const numbers = entries.flatMap(entry => columns.map(column => entry[column.name])).filter(isNumber)
  const max = columns.some(column => column.max === 100) ? 100 : Math.max(...numbers, 0)
  const labelOf = (column: Field) => renderFieldLabel(locale, `${path}.${column.name}`)
  const cell = (entry: Entry, column: Field, i: number) => {
    const value = entry[column.name]
    if (isNumber(value)) return renderAmountCell(locale, column, value, max)
    const text = value === undefined ? '' : renderFieldValue(locale, column, `${path}.${column.name}`, value)
    if (i > 0) return html`<td>!${text}</td>`
    const more = under === undefined ? undefined : entry[under.name]
    const note =
      typeof more === 'string'
        ? html`<small>!${labelOf(under as Field)} <span class="n">${more}</span></small>`
        : ''
    return html`<th scope="row">!${text}!${note}</th>`
  }
  const rows = entries.map(entry => html`<tr>!${columns.map((column, i) => cell(entry, column, i))}</tr>`)
  const head = columns.map(column => html`<th scope="col">!${labelOf(column)}</th>`)
  const hidden = columns.length === 2 && numbers.length > 0 ? ' class="vh"' : ''
  return html`<table><caption class="vh">!${renderFieldLabel(locale, path)}</caption><thead!${hidden}><tr>!${head}</tr></thead><tbody>!${rows}</tbody></table>`
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function renderAmountCell({ language }: PageLocale, column: Field, value: number, max: number): string {
  const text = formatAmount(language, column.unit, value)
  const bar = max > 0 ? renderMeter(value, max, text) : ''
  return html`<td class="n">${text}!${bar}</td>`
}
