/** The section "The same for every row": values for all rows, for fields without a column. */

import { html } from 'ghtml'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { type Column, findColumn, findCompactMembers } from '../../transfer/spreadsheets/columns/columns.ts'
import {
  type ConstantTexts,
  findInvalidConstants,
  type InvalidConstant,
  listMissingNames,
  NEVER_CONSTANT,
  selectConstants,
} from '../../transfer/spreadsheets/columns/constant-values.ts'
import type { Constant } from '../../transfer/spreadsheets/columns/row-to-passport.ts'
import type { DecimalMark } from '../../transfer/spreadsheets/files/cell.ts'
import type {
  ConstantSettings,
  ImportSettings,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import type { PostedForm, Problems } from '../page/form.ts'
import { described, input, notes, renderTick, select } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { getValueLabel, listLanguageOptions } from '../product-data/labels.ts'
import { parseTypedNumber } from '../product-data/parse-value.ts'
import { explainProblem, toLabelPath } from '../product-data/problem-sentence.ts'
import { renderInvalid } from './mapping-table.ts'
import { explainRowError, getColumnLabel, getPathLabel } from './words.ts'

const COLUMN_ONLY_FIELDS: readonly string[] = [...NEVER_CONSTANT, 'productName']
/** Lines in which any other field can be set. */
const MIN_FURTHER_LINES = 3

type ConstantSection = {
  category: CompleteCategory
  columns: readonly (Column | undefined)[]
  settings: ImportSettings
  problems: Problems
  typed: readonly FurtherConstant[]
}
export type FurtherConstant = { field: string; value: string }

const listMappedColumns = (columns: ConstantSection['columns']) => columns.filter(one => one !== undefined)

/** Lists required fields that are still missing: those that need a column, then the others. */
export function renderMissingNote(words: Words, { category, columns, settings }: ConstantSection): string {
  const texts = words.texts.spreadsheets
  const same = settings.constants?.texts ?? {}
  const takesGtin = settings.constants?.takesGtinAsSku === true && hasColumn(columns, 'gtin')
  const open = listMissingNames(category, listMappedColumns(columns)).filter(
    name => same[name] === undefined && !Object.keys(same).some(one => one.startsWith(`${name}.`)),
  )
  const isColumn = (name: string) => COLUMN_ONLY_FIELDS.includes(name)
  const names = (some: readonly string[]) =>
    some.map(name => getPathLabel(words, toLabelPath(name))).join(', ')
  const byColumn = open.filter(name => isColumn(name) && !(name === 'sku' && takesGtin))
  const byValue = open.filter(name => !isColumn(name))
  const note = (some: readonly string[], say: typeof texts.missing) =>
    some.length === 0 ? '' : html`<p class="reach">${say({ fields: names(some) })}</p>`
  return note(byColumn, texts.missingColumns) + note(byValue, texts.missing)
}

const hasColumn = (columns: ConstantSection['columns'], name: string) =>
  columns.some(one => one?.name === name)

export function renderConstantValues(words: Words, section: ConstantSection): string {
  const { category, columns, settings, problems, typed } = section
  const texts = words.texts.spreadsheets
  const same = settings.constants ?? { texts: {}, overwrites: false, takesGtinAsSku: false }
  const needed = listMissingNames(category, listMappedColumns(columns)).filter(
    name => !COLUMN_ONLY_FIELDS.includes(name),
  )
  const language = chooseTextLanguage(words, category, same.texts)
  const shown = needed.map(name => ({
    name,
    value: same.texts[name] ?? same.texts[`${name}.${language}`] ?? '',
  }))
  const offered = new Set(needed.flatMap(name => [name, `${name}.${language}`]))
  const others = selectConstants(category, same.texts, columns)
    .map(({ column, text }) => ({ name: column.name, value: text }))
    .filter(({ name }) => !offered.has(name))
  const fields = [...shown, ...others].flatMap(({ name, value }) => {
    const column = findColumn(category, name)
    return column === undefined ? [] : [renderControl(words, column, value, problems)]
  })
  const hasTexts = needed.some(name => findColumn(category, name)?.isPrimary)
  const languages = {
    name: 'k_language',
    label: texts.sameLanguage,
    value: language,
    options: listLanguageOptions(words, language),
  }
  const reach = {
    name: 'constants_for',
    label: texts.sameReach,
    value: same.overwrites ? 'all' : 'missing',
    options: Object.entries(texts.sameReaches),
  }
  const gtin =
    hasColumn(columns, 'sku') || !hasColumn(columns, 'gtin')
      ? ''
      : html`<p class="check"><input type="checkbox" id="sku_from_gtin" name="sku_from_gtin" value="yes"!${same.takesGtinAsSku ? ' checked' : ''}><label for="sku_from_gtin">${texts.skuFromGtin}</label></p>`
  const lines = Array.from({ length: Math.max(MIN_FURTHER_LINES, typed.length) }, (_, n) =>
    renderFurtherLine(words, n, typed[n], problems),
  )
  return html`<section aria-labelledby="same"><h2 id="same">${texts.same}</h2><p>${texts.sameLead}</p>!${gtin}!${renderOfferedCompany(words, section)}
<div class="settings">!${fields}</div>!${hasTexts ? html`<div class="settings">!${select(languages, {})}</div>` : ''}
<details!${typed.length > 0 ? ' open' : ''}><summary>${texts.sameOther}</summary><p class="hint">${texts.sameOtherHint}</p>!${lines}</details>
<div class="settings">!${select(reach, {})}</div></section>`
}

/** An earlier company with all its values; nobody's products get it without a click. */
function renderOfferedCompany(words: Words, { category, columns, settings }: ConstantSection): string {
  const { texts: used = {}, offered = {} } = settings.constants ?? {}
  const values = selectConstants(category, offered, columns)
  if (values.length === 0 || values.some(({ column }) => used[column.name] !== undefined)) return ''
  const texts = words.texts.spreadsheets
  return html`<div class="reach"><p><strong>${texts.companyOffer}</strong></p>!${renderConstantList(words, values)}!${renderTick('same_company', texts.companyUse, { hint: texts.companyHint, value: 'yes' })}</div>`
}

/** Constants with their labels, as they were typed. */
export const renderConstantList = (words: Words, values: readonly Constant[]): string =>
  html`<dl class="pairs">!${values.map(
    ({ column, text }) =>
      html`<dt>${getColumnLabel(words, column)}</dt><dd>${column.field.values === undefined ? text : getValueLabel(words, column.labelPath, text)}</dd>`,
  )}</dl>`

/** A line for one more field and its value; it offers the same fields as the columns. */
function renderFurtherLine(
  words: Words,
  n: number,
  typed: FurtherConstant | undefined,
  problems: Problems,
): string {
  const texts = words.texts.spreadsheets
  const name = `more.${n}`
  return html`<div class="settings"><div class="field"><label for="${name}">${texts.field}</label>!${notes({ name }, problems)}<input id="${name}" name="${name}.field" value="${typed?.field ?? ''}" list="fields" autocomplete="off" autocapitalize="none" spellcheck="false"!${renderInvalid(problems, name)}></div><div class="field"><label for="${name}.value">${texts.value}</label><input id="${name}.value" name="${name}.value" value="${typed?.value ?? ''}" autocomplete="off"></div></div>`
}

function renderControl(words: Words, column: Column, value: string, problems: Problems): string {
  const { field, labelPath } = column
  const texts = words.texts.spreadsheets
  const name = `k.${column.name}`
  const unit = field.unit === undefined ? '' : ` (${field.unit})`
  const label = `${getColumnLabel(words, column)}${unit}`
  const choose = (options: readonly (readonly [string, string])[]) =>
    select({ name, label, value, options: [['', '–'], ...options] }, problems)
  if (field.values !== undefined)
    return choose(field.values.map(one => [one, getValueLabel(words, labelPath, one)]))
  if (field.type === 'boolean') return choose(Object.entries(texts.answers))
  if (field.type === 'text' || field.lines === true) {
    return html`<div class="field"><label for="${name}">${label}</label>!${notes({ name }, problems)}<textarea id="${name}" name="${name}" rows="3"!${described({ name }, problems)}>
${value}</textarea></div>`
  }
  const listHint = findCompactMembers(field) === undefined ? texts.languagesHint : texts.shares
  const hint = field.type === 'list' ? listHint : undefined
  return input({ name, label, value, isOptional: true, ...(hint === undefined ? {} : { hint }) }, problems)
}

/** The language of the saved texts, else the first of `languages`, else the reader's. */
function chooseTextLanguage(words: Words, category: CompleteCategory, texts: ConstantTexts): string {
  const kept = Object.keys(texts).map(name => findColumn(category, name)?.language)
  const first = (texts.languages ?? '').split(/[\s,;]+/)[0] ?? ''
  return kept.find(one => one !== undefined) ?? canonicalizeLanguage(first) ?? words.language
}

type ParsedConstants = {
  constants: ConstantSettings
  problems: Record<string, string>
  typed: FurtherConstant[]
}

export function parseConstantValues(
  words: Words,
  form: PostedForm,
  {
    category,
    columns,
    mark,
    offered = {},
  }: Pick<ConstantSection, 'category' | 'columns'> & {
    mark: DecimalMark
    offered: ConstantTexts | undefined
  },
): ParsedConstants {
  const texts: Record<string, string> = {}
  const inputs = new Map<string, string>()
  const problems: Record<string, string> = {}
  const typed: FurtherConstant[] = []
  const language = canonicalizeLanguage(form.text('k_language')) ?? words.language
  const take = (column: Column, value: string, name: string) => {
    const typedNumber =
      column.field.type === 'number' ? parseTypedNumber(words, value, column.field.unit) : undefined
    if (typedNumber?.problem !== undefined) problems[name] = typedNumber.problem
    const isText = column.isPrimary === true
    const key = isText ? `${column.name}.${language}` : column.name
    texts[key] = value.replaceAll('\r\n', '\n')
    inputs.set(key, name)
  }
  for (const [name, sent] of form.entries()) {
    const value = sent.trim()
    const column = name.startsWith('k.') && value !== '' ? findColumn(category, name.slice(2)) : undefined
    if (column !== undefined && !COLUMN_ONLY_FIELDS.includes(column.name)) take(column, value, name)
  }
  for (const place of form.under('more')) {
    const further = { field: form.text(`more.${place}.field`), value: form.text(`more.${place}.value`) }
    if (further.field === '' && further.value === '') continue
    const column = findColumn(category, further.field)
    const problem = checkFurtherConstant(words, further, column)
    if (problem !== undefined) {
      problems[`more.${typed.push(further) - 1}`] = problem
    } else if (column !== undefined) take(column, further.value, `k.${column.name}`)
  }
  if (form.text('same_company') !== '') Object.assign(texts, { ...offered, ...texts })
  const values = selectConstants(category, texts, columns)
  for (const one of findInvalidConstants(category, values, mark))
    problems[inputs.get(one.name) ?? `k.${one.name}`] = explainConstant(words, one)
  const constants = {
    texts,
    offered,
    overwrites: form.text('constants_for') === 'all',
    takesGtinAsSku: form.text('sku_from_gtin') !== '',
  }
  return { constants, problems, typed }
}

const explainConstant = (words: Words, { name, detail, unit }: InvalidConstant): string =>
  unit === undefined
    ? explainProblem(words, detail)
    : explainRowError(words, { column: null, field: name, ...unit })

function checkFurtherConstant(
  words: Words,
  { field, value }: FurtherConstant,
  column: Column | undefined,
): string | undefined {
  const texts = words.texts.spreadsheets
  if (column === undefined) return texts.unknownField({ name: field.slice(0, 60) })
  if (NEVER_CONSTANT.includes(column.name)) return texts.neverSame({ field: getColumnLabel(words, column) })
  return value === '' ? words.texts.errors.required : undefined
}

export const listConstantLabels = (
  words: Words,
  category: CompleteCategory,
  problems: Problems,
): Record<string, string> =>
  Object.fromEntries(
    Object.keys(problems).flatMap(name => {
      const column = name.startsWith('k.') ? findColumn(category, name.slice(2)) : undefined
      if (column !== undefined) return [[name, getColumnLabel(words, column)]]
      return name.startsWith('more.') ? [[name, words.texts.spreadsheets.sameOther]] : []
    }),
  )
