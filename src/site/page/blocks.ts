/** Renders fields by their attributes, not by their names, so that a new field needs no code here. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { fillPlaceholders, findLabel } from '../../i18n/catalogue.ts'
import { formatAmount, formatCountry } from '../../i18n/format.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { renderDocuments } from './documents.ts'
import { renderClassScale, renderComposition, renderMeter, renderSupplyChain } from './figures.ts'
import { renderStageMap } from './stage-map.ts'
import { renderStatement } from './statement.ts'
import {
  findLabelLanguage,
  getPageLabel,
  type PageLocale,
  renderFibreName,
  renderFieldLabel,
  renderFieldValue,
  renderLangAttribute,
  renderProse,
} from './values.ts'

/** Neighbouring pairs share a `dl`; a figure has its own heading. `body` is ready HTML. */
export type Block = {
  kind: 'pair' | 'figure'
  title: string
  titleLanguage: 'en' | undefined
  body: string
  /** Not shown to everyone. */
  isRestricted: boolean
}

/** A label that fits a quarter of the page's width, or half of a phone's width. */
const MAX_SHORT_LABEL_LENGTH = 24
const MAX_SHORT_VALUE_LENGTH = 12
/** The longest word that fits a quarter of a printed column unbroken. */
const MAX_SHORT_WORD_LENGTH = 14

/**
 * `body` and `note` are ready HTML; long ones get twice the width. A hidden title is only for screen readers.
 */
export function renderPair(
  title: string,
  body: string,
  note = '',
  isTitleHidden = false,
  titleLanguage?: string | undefined,
): string {
  const length = body.replace(/<[^>]*>|&#\d+;/g, '').length
  const isShort =
    title.length <= MAX_SHORT_LABEL_LENGTH &&
    title.split(/[\s-]/).every(word => word.length <= MAX_SHORT_WORD_LENGTH) &&
    length <= MAX_SHORT_VALUE_LENGTH &&
    note === ''
  const titleClass = isTitleHidden ? ' class="vh"' : ''
  return html`<div!${isShort ? '' : ' class="w"'}><dt!${titleClass}!${renderLangAttribute(titleLanguage)}>${title}</dt><dd>!${body}!${note}</dd></div>`
}

export const isRestricted = ({ audience }: Pick<Field, 'audience'>): boolean =>
  audience !== undefined && !audience.includes('public')

/** Returns no block if the object lacks the field. */
export function renderBlocks(locale: PageLocale, field: Field, data: DataObject, parent = ''): Block[] {
  return renderFieldBlocks(locale, field, data, parent).map(block => ({
    ...block,
    isRestricted: block.isRestricted === true || isRestricted(field),
  }))
}

type UnmarkedBlock = Omit<Block, 'isRestricted'> & Partial<Pick<Block, 'isRestricted'>>

function renderFieldBlocks(
  locale: PageLocale,
  field: Field,
  data: DataObject,
  parent: string,
): UnmarkedBlock[] {
  const value = getOwn(data, field.name)
  if (value === undefined || value === null) return []
  const path = parent === '' ? field.name : `${parent}.${field.name}`
  const label = { title: getPageLabel(locale, path), titleLanguage: findLabelLanguage(locale, path) }
  if (field.figure === 'statement') {
    return [{ kind: 'figure', ...label, body: renderStatement(locale, field.fields ?? [], asObject(value)) }]
  }
  if (field.type === 'object') {
    return (field.fields ?? []).flatMap(member => renderBlocks(locale, member, asObject(value), path))
  }
  if (field.type === 'list') return renderListBlocks(locale, field, path, label, value)
  if (field.format === 'carbon_class' && typeof value === 'string') {
    return [{ kind: 'figure', ...label, body: renderCarbonClass(locale, value) }]
  }
  if (field.type === 'text') return [{ kind: 'figure', ...label, body: renderProse(locale, value) }]
  return [{ kind: 'pair', ...label, body: renderFieldValue(locale, field, path, value) }]
}

function renderCarbonClass({ labels }: PageLocale, value: string): string {
  const letter = value.trim().toUpperCase()
  return html`!${renderClassScale(letter)}<p><b>${fillPlaceholders(labels.ui.carbonClass, { class: letter })}</b> <small>${labels.ui.carbonClassScale}</small></p>`
}

function renderListBlocks(
  locale: PageLocale,
  field: Field,
  path: string,
  label: Pick<Block, 'title' | 'titleLanguage'>,
  value: unknown,
): UnmarkedBlock[] {
  const entries = Array.isArray(value) ? value : []
  const members = field.of ?? []
  const [only] = members
  if (entries.length === 0 || only === undefined) return []
  if (members.length === 1 && only.name === '') {
    const body = entries.map(entry => renderFieldValue(locale, only, path, entry)).join(', ')
    return [{ kind: 'pair', ...label, body }]
  }
  return [{ kind: 'figure', ...label, body: renderListFigure(locale, field, path, entries) }]
}

function renderListFigure(locale: PageLocale, field: Field, path: string, entries: DataObject[]): string {
  const members = field.of ?? []
  switch (field.figure ?? (field.sumsTo100 === undefined ? 'table' : 'composition')) {
    case 'composition':
      return renderCompositionField(locale, field, path, entries)
    case 'chain':
      return renderSupplyChainField(locale, members, path, entries)
    case 'documents':
      return renderDocuments(locale, field, path, entries)
    default:
      return renderTable(locale, members, path, entries)
  }
}

/** The first member that is not the percentage. */
export const findNameMember = (field: Field) => field.of?.find(member => member.name !== field.sumsTo100)

/**
 * The shares of a field that sums to 100, in the account's order; names are ready HTML. Labels begin with a
 * capital; names of fibres and the account's own names stay as they are.
 */
export function listShares(locale: PageLocale, field: Field, path: string, entries: readonly DataObject[]) {
  const nameMember = findNameMember(field)
  return entries.map(entry => {
    const percentage = Number(entry[field.sumsTo100 ?? ''])
    if (nameMember === undefined) return { isLabel: false, name: '', percentage }
    const value = entry[nameMember.name]
    if (nameMember.dictionary === 'fibres' && typeof value === 'string') {
      return { isLabel: false, name: renderFibreName(locale, value), percentage }
    }
    const namePath = `${path}.${nameMember.name}`
    const isLabel = findLabel(locale.labels, 'values', `${namePath}.${value}`) !== undefined
    return { isLabel, name: renderFieldValue(locale, nameMember, namePath, value), percentage }
  })
}

function renderCompositionField(
  locale: PageLocale,
  field: Field,
  path: string,
  entries: readonly DataObject[],
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

/** Says that not everyone sees the field, for readers who do. */
const renderRestrictedMark = ({ labels }: PageLocale, field: Field) =>
  isRestricted(field) ? html` (${labels.ui.restricted})` : ''

/** Each stage of the supply chain by its first member and its country, with the other members below. */
function renderSupplyChainField(
  locale: PageLocale,
  members: readonly Field[],
  path: string,
  entries: readonly DataObject[],
): string {
  const renderMember = (entry: DataObject, member: Field | undefined) =>
    member === undefined || entry[member.name] === undefined
      ? ''
      : renderFieldValue(locale, member, `${path}.${member.name}`, entry[member.name]) +
        renderRestrictedMark(locale, member)
  const [stage] = members
  const place = members.find(({ format }) => format === 'country')
  const others = members.filter(member => member !== stage && member !== place)
  const countries = place === undefined ? [] : entries.flatMap(entry => asCode(entry[place.name]))
  const names = [...new Set(countries)].map(code => formatCountry(locale.language, code)).join(', ')
  const map = renderStageMap(countries, fillPlaceholders(locale.labels.ui.map, { countries: names }))
  const stages = renderSupplyChain(
    entries.map(entry => ({
      name: renderMember(entry, stage),
      place: renderMember(entry, place),
      more: others
        .map(member => renderMember(entry, member))
        .filter(text => text !== '')
        .join(' · '),
    })),
  )
  return map + stages
}

const asCode = (value: unknown): string[] => (typeof value === 'string' ? [value] : [])

/**
 * Leaves out columns without values. Three columns are too wide for a phone, so a CAS number is below its
 * substance.
 */
function renderTable(
  locale: PageLocale,
  members: readonly Field[],
  path: string,
  entries: readonly DataObject[],
): string {
  const used = members.filter(member => entries.some(entry => entry[member.name] !== undefined))
  const casMember = used.find((member, i) => i > 0 && member.format === 'cas')
  const columns = used.filter(member => member !== casMember)
  const numbers = entries.flatMap(entry => columns.map(column => entry[column.name])).filter(isNumber)
  const max = columns.some(column => column.max === 100) ? 100 : Math.max(...numbers, 0)
  const renderLabel = (column: Field) =>
    renderFieldLabel(locale, `${path}.${column.name}`) + renderRestrictedMark(locale, column)
  const renderCell = (entry: DataObject, column: Field, i: number) => {
    const value = entry[column.name]
    if (isNumber(value)) return renderAmountCell(locale, column, value, max)
    const text = value === undefined ? '' : renderFieldValue(locale, column, `${path}.${column.name}`, value)
    if (i > 0) return html`<td>!${text}</td>`
    const cas = casMember === undefined ? undefined : entry[casMember.name]
    const note =
      casMember !== undefined && typeof cas === 'string'
        ? html`<small>!${renderLabel(casMember)} <span class="n">${cas}</span></small>`
        : ''
    return html`<th scope="row">!${text}!${note}</th>`
  }
  const rows = entries.map(
    entry => html`<tr>!${columns.map((column, i) => renderCell(entry, column, i))}</tr>`,
  )
  const head = columns.map(column => html`<th scope="col">!${renderLabel(column)}</th>`)
  const headClass = columns.length === 2 && numbers.length > 0 ? ' class="vh"' : ''
  return html`<table><caption class="vh">!${renderFieldLabel(locale, path)}</caption><thead!${headClass}><tr>!${head}</tr></thead><tbody>!${rows}</tbody></table>`
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function renderAmountCell({ language }: PageLocale, column: Field, value: number, max: number): string {
  const text = formatAmount(language, column.unit, value)
  const bar = max > 0 ? renderMeter(value, max) : ''
  return html`<td class="n">${text}!${bar}</td>`
}
