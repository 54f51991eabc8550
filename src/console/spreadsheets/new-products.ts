/** The check's table of the first new products: every value as the import would store it. */

import { html } from 'ghtml'
import { findCategory } from '../../categories/catalogue.ts'
import { type Column, findColumn } from '../../transfer/spreadsheets/columns/columns.ts'
import type { ChangedProduct } from '../../transfer/spreadsheets/import/import-results.ts'
import type { FieldChange } from '../../transfer/spreadsheets/import/product-changes.ts'
import {
  buildRowOptions,
  type SpreadsheetImport,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { section, wideTable } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { getValueLabel } from '../product-data/labels.ts'
import { formatPlainNumber } from '../product-data/parse-value.ts'
import { renderLanguage } from '../product-data/view.ts'
import { renderConstantList } from './constant-values.ts'
import { getColumnLabel } from './words.ts'

export function findStoredColumn({ category: id }: SpreadsheetImport, field: string): Column | undefined {
  const category = findCategory(id)
  return category === undefined ? undefined : findColumn(category, field)
}

/** The label of a field, with the unit in which its numbers are stored. */
export function getStoredName(words: Words, column: Column | undefined, field: string): string {
  if (column === undefined) return field
  const unit = column.field.unit === undefined ? '' : ` (${column.field.unit})`
  return `${getColumnLabel(words, column)}${unit}`
}

export function renderStoredValue(words: Words, column: Column | undefined, value: FieldChange[1]): string {
  const texts = words.texts.spreadsheets
  if (value === null) return html`<span class="quiet">${texts.nothing}</span>`
  if (typeof value === 'boolean') return html`${value ? texts.answers.true : texts.answers.false}`
  if (typeof value === 'number') return html`${formatPlainNumber(words, value)}`
  const text = column?.field.values === undefined ? value : getValueLabel(words, column.labelPath, value)
  const language = renderLanguage(words, column?.language)
  return language === '' ? html`${text}` : html`<span dir="auto"!${language}>${text}</span>`
}

export function renderNewProducts(
  words: Words,
  sheet: SpreadsheetImport,
  products: readonly ChangedProduct[],
): string {
  if (products.length === 0) return ''
  const texts = words.texts.spreadsheets
  const names = [...new Set(products.flatMap(({ change }) => change.fields.map(([name]) => name)))]
  const heads = products.map(({ no }) => texts.rowOf({ row: words.number(no) }))
  const lines = names.map(name => {
    const column = findStoredColumn(sheet, name)
    const cells = products.map(({ change }, n) => {
      const found = change.fields.find(([field]) => field === name)
      return html`<td data-head="${heads[n]}">!${renderStoredValue(words, column, found?.[2] ?? null)}</td>`
    })
    return html`<tr><th scope="row">${getStoredName(words, column, name)}</th>!${cells}</tr>`
  })
  const content = html`<p>${texts.newProductsLead}</p>!${wideTable({ label: texts.newProductsTable, kind: 'stacked', heads: [texts.field, ...heads] }, lines)}`
  return section('new', texts.newProducts, content)
}

/** The values for every row, which may name a company. */
export function renderSameValues(words: Words, sheet: SpreadsheetImport): string {
  const { constants } = buildRowOptions(sheet)
  const values = constants?.values ?? []
  if (values.length === 0) return ''
  const { same, sameReaches } = words.texts.spreadsheets
  const reach = constants?.overwrites ? sameReaches.all : sameReaches.missing
  return section('same', same, html`<p>${reach}</p>!${renderConstantList(words, values)}`)
}
