/** Wording shared by the spreadsheet pages: options, labels of columns, and explanations of errors. */

import { Readable } from 'node:stream'
import { html } from 'ghtml'
import { allCategories, type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { TRANSLATION } from '../../kernel/errors/errors.ts'
import type { Column } from '../../transfer/spreadsheets/columns/columns.ts'
import type { RowError } from '../../transfer/spreadsheets/columns/row-errors.ts'
import { SPREADSHEET_CONTENT_TYPES } from '../../transfer/spreadsheets/export/template.ts'
import type { SpreadsheetError } from '../../transfer/spreadsheets/files/spreadsheet-error.ts'
import { getColumnLetters } from '../../transfer/spreadsheets/import/error-file.ts'
import type { PictureRules } from '../../transfer/spreadsheets/import/import-pictures.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { backLink, select } from '../page/parts.ts'
import { IMPORT, type Visit, type Words } from '../page/route.ts'
import { findText, renderText, type Text } from '../page/texts.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { explainProblem, toLabelPath } from '../product-data/problem-sentence.ts'

export const FILE_FORMATS = {
  xlsx: { format: 'xlsx', separator: ',' },
  csv: { format: 'csv', separator: ',' },
  csv2: { format: 'csv', separator: ';' },
} as const
type FileFormat = keyof typeof FILE_FORMATS
const FORMAT_NAMES = ['xlsx', 'csv', 'csv2'] as const satisfies readonly FileFormat[]

export const parseFileFormat = (sent: string | null): FileFormat =>
  FORMAT_NAMES.find(one => one === sent) ?? 'xlsx'

export function renderFormatSelect({ texts: { spreadsheets: texts } }: Words): string {
  const options = FORMAT_NAMES.map(one => [one, texts.formats[one]] as const)
  return select({ name: 'format', label: texts.format, options }, {})
}

export function renderCategorySelect(words: Words, value = ''): string {
  const options = allCategories().map(({ id }) => [id, getCategoryName(words, id)] as const)
  return select({ name: 'category', label: words.texts.spreadsheets.category, value, options }, {})
}

export const getCategoryOrFirst = (sent: string | null): CompleteCategory => {
  const found = findCategory(sent ?? '') ?? allCategories()[0]
  if (found === undefined) throw new Error('The catalogue has no category.')
  return found
}

/** The labels along a path: "Faserzusammensetzung: Faser". */
export function getPathLabel({ language }: Words, path: string): string {
  const labels = getLabels(language)
  const parts = path.split('.')
  const names = parts.map((part, n) => findLabel(labels, 'fields', parts.slice(0, n + 1).join('.')) ?? part)
  return names.join(': ')
}

/** The labels along a column's path, with the list entry's number and the text's language. */
export function getColumnLabel(words: Words, { path, labelPath, language }: Column): string {
  const entry = path.find(step => typeof step === 'number')
  const name = getPathLabel(words, labelPath)
  const counted = entry === undefined ? name : `${name} ${Number(entry) + 1}`
  return language === undefined ? counted : `${counted} (${language})`
}

/** Explains an error, and quotes the cell unless the sentence already does. */
export function explainRowError(words: Words, fault: RowError): string {
  const said = explainErrorKind(words, fault)
  const { found } = fault
  if (found === undefined || said.includes(found)) return said
  return `${said} ${words.texts.spreadsheets.found({ count: found })}`
}

function explainErrorKind(words: Words, fault: RowError): string {
  const { code, message, field, said, refusal } = fault
  const { refusals, refused, twice, variant } = words.texts.spreadsheets
  if (isFixed(code)) return getFixedSentences(words)[code]
  if (code === 'twice') return said === undefined ? message : twice({ row: Number(said.facts.row) })
  if (code === 'variant') return variant({ row: Number(said?.facts.row) })
  if (isKeyed(code)) {
    const text = findText(getKeyedSentences(words)[code], said?.key ?? '')
    return text === undefined ? message : renderText(text, said?.facts ?? {})
  }
  if (code !== 'refused')
    return explainProblem(words, { code, message, field, ...(said ? { [TRANSLATION]: said } : {}) })
  return words.language === 'en' ? message : (findText(refusals, refusal ?? '') ?? refused)
}

/** Errors whose sentence depends on the key of what is said. */
const KEYED = ['damaged', 'picture', 'draft', 'unit'] as const
type KeyedCode = (typeof KEYED)[number]

const isKeyed = (code: RowError['code']): code is KeyedCode => KEYED.some(one => one === code)

function getKeyedSentences({ texts }: Words): Readonly<Record<KeyedCode, Readonly<Record<string, Text>>>> {
  const {
    damages: damaged,
    pictureErrors: picture,
    draftErrors: draft,
    unitErrors: unit,
  } = texts.spreadsheets
  return { damaged, picture, draft, unit }
}

const FIXED = ['shares', 'repeated', 'no_column', 'required'] as const
type FixedCode = (typeof FIXED)[number]

const isFixed = (code: RowError['code']): code is FixedCode => FIXED.some(one => one === code)

function getFixedSentences({ texts }: Words): Readonly<Record<FixedCode, string>> {
  const { shares, repeated, noColumn, emptyCell } = texts.spreadsheets
  return { shares, repeated, no_column: noColumn, required: emptyCell }
}

/** The label of the field that an error concerns, for fields without a column. */
export const getErrorFieldName = (words: Words, { field }: RowError): string =>
  field === '' ? '' : getPathLabel(words, toLabelPath(field))

/** "F: Gewicht": the column of an error, or the field without a column. */
export const formatErrorLocation = (words: Words, sheet: SpreadsheetImport, fault: RowError): string =>
  [getColumnLetters(fault), sheet.header[fault.column ?? -1] ?? getErrorFieldName(words, fault)]
    .filter(part => part !== '')
    .join(': ')

export function renderImportHead(words: Words, sheet: SpreadsheetImport, title: string): string {
  const texts = words.texts.spreadsheets
  return html`!${backLink(IMPORT, texts.title)}<h1>${title}</h1>
<p class="quiet">${sheet.fileName}, ${getCategoryName(words, sheet.category)}, ${texts.rows({ count: sheet.rowCount })}</p>`
}

export const explainUnreadableFile = (words: Words, fault: SpreadsheetError): string =>
  words.texts.spreadsheets.faults[fault.reason] ?? fault.message

export const getImportUrl = ({ id }: { id: string }) => `${IMPORT}/${idFromUuid(id)}`

export const getPictureRules = ({ setup }: Pick<Visit, 'setup'>): PictureRules => ({
  publicUrl: setup.addresses.publicUrl,
  policy: setup.outbound.policy,
})

export const sendSpreadsheet = (
  name: string,
  format: 'xlsx' | 'csv',
  content: AsyncIterable<Uint8Array>,
) => ({
  file: {
    name: `${name}.${format}`,
    type: SPREADSHEET_CONTENT_TYPES[format],
    content: Readable.from(content),
  },
})
