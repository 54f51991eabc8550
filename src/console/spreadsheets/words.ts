/** What the pages about sheets have in common: choices, names of fields in the reader's language, sentences of faults. */

import { html } from 'ghtml'
import { allCategories, type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { SAID } from '../../kernel/errors.ts'
import type { Column } from '../../transfer/spreadsheets/columns.ts'
import type { RowError } from '../../transfer/spreadsheets/row-errors.ts'
import type { SpreadsheetError } from '../../transfer/spreadsheets/spreadsheet-error.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/spreadsheet-import.ts'
import { IMPORT } from '../page/addresses.ts'
import { REFUSALS_DE, REFUSED_DE } from '../page/faults-de.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { SHEET_TEXTS } from '../page/sheet-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { faultSentence } from '../product-data/problem-sentence.ts'

export const FILE_FORMATS = {
  xlsx: { format: 'xlsx', separator: ',' },
  csv: { format: 'csv', separator: ',' },
  csv2: { format: 'csv', separator: ';' },
} as const
export type FileFormat = keyof typeof FILE_FORMATS

/** The one that an address or form names, else the first. */
export const formatOf = (sent: string | null): FileFormat =>
  (Object.keys(FILE_FORMATS) as FileFormat[]).find(one => one === sent) ?? 'xlsx'

export const formatOptions = (words: Words) => {
  const { formats } = wordsOf(words, SHEET_TEXTS)
  return (Object.keys(FILE_FORMATS) as FileFormat[]).map(one => [one, formats[one]] as const)
}

export function categoryOptions(words: Words) {
  const { categories } = wordsOf(words, PRODUCT_TEXTS)
  return allCategories().map(({ id, title }) => [id, categories[id] ?? title] as const)
}

/** The category that an address or form names, else the first. */
export const categoryOf = (sent: string | null): CompleteCategory => {
  const found = findCategory(sent ?? '') ?? allCategories()[0]
  if (found === undefined) throw new Error('there is a category')
  return found
}

/** "Faserzusammensetzung: Faser", by the path in the labels. */
export function pathLabel({ language }: Words, path: string): string {
  const labels = getLabels(language)
  const parts = path.split('.')
  const names = parts.map((part, n) => findLabel(labels, 'fields', parts.slice(0, n + 1).join('.')) ?? part)
  return names.join(': ')
}

/** The same with the entry of a list and the language of a text. */
export function columnLabel(words: Words, { path, labelPath, language }: Column): string {
  const entry = path.find(step => typeof step === 'number')
  const name = pathLabel(words, labelPath)
  const counted = entry === undefined ? name : `${name} ${Number(entry) + 1}`
  return language === undefined ? counted : `${counted} (${language})`
}

/** What is wrong, what was found, what to write instead. */
export function rowSentence(words: Words, fault: RowError): string {
  const said = explainFault(words, fault)
  const { found } = fault
  if (found === undefined || said.includes(found)) return said
  return `${said} ${wordsOf(words, SHEET_TEXTS).found(found)}`
}

function explainFault(words: Words, { code, message, field, said, refusal }: RowError): string {
  const { twice, repeated, shares, noColumn, emptyCell } = wordsOf(words, SHEET_TEXTS)
  if (code === 'shares') return shares
  if (code === 'repeated') return repeated
  if (code === 'no_column') return noColumn
  if (code === 'required') return emptyCell
  if (code === 'twice') return said === undefined ? message : twice(words.number(Number(said.facts.row)))
  if (code !== 'refused')
    return faultSentence(words, { code, message, field, ...(said ? { [SAID]: said } : {}) })
  return words.language === 'de' ? (REFUSALS_DE[refusal ?? 'internal'] ?? REFUSED_DE) : message
}

/** What a field is called for which the sheet has no column. */
export const faultName = (words: Words, { field }: RowError): string =>
  field === '' ? '' : pathLabel(words, field.replaceAll(/\[\d+\]/g, ''))

/** The head of every page about a sheet: the way back, the title, which file it is. */
export function sheetHead(words: Words, sheet: SpreadsheetImport, title: string): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  return html`<p class="way"><a class="alone" href="${IMPORT}">${texts.title}</a></p><h1>${title}</h1>
<p class="quiet">${sheet.fileName}, ${getCategoryName(words, sheet.category)}, ${texts.rows(sheet.rowCount, words.number(sheet.rowCount))}</p>`
}

/** Why a file could not be read. */
export const fileSentence = (words: Words, fault: SpreadsheetError): string =>
  wordsOf(words, SHEET_TEXTS).faults[fault.reason] ?? fault.message
