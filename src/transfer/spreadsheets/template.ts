/** An empty sheet to fill in: a column for every field of the category, and what each of them means. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import type { Field } from '../../categories/field.ts'
import { buildTemplateLayout, type Column, listColumns } from './columns.ts'
import { BYTE_ORDER_MARK, type CsvSeparator, formatCsvLine } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

export const SPREADSHEET_FORMATS = ['xlsx', 'csv'] as const
export type SpreadsheetFormat = (typeof SPREADSHEET_FORMATS)[number]

export const SPREADSHEET_CONTENT_TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const satisfies Record<SpreadsheetFormat, string>

/** The words of the sheet of explanations, in whatever language its reader has. */
export type TemplateWords = {
  products: string
  fields: string
  heads: readonly [column: string, label: string, required: string, values: string, meaning: string]
  yes: string
  /** What a field is called, by its path in the labels. */
  label: (path: string) => string
}

export type TemplateOptions = {
  category: CompleteCategory
  /** Of the texts' columns; the first is the primary one. */
  languages: readonly string[]
  format: SpreadsheetFormat
  separator: CsvSeparator
}

const WIDTHS = [34, 30, 10, 40, 80]

export function writeTemplate(wish: TemplateOptions, words: TemplateWords): AsyncGenerator<Buffer> {
  const columns = listColumns(wish.category, buildTemplateLayout(wish.category, wish.languages))
  const names = columns.map(({ name }) => name)
  const lines = columns.map(column => explained(column, wish, words))
  if (wish.format === 'csv') return csvTemplate(names, lines, wish.separator)
  return writeXlsx([
    { name: words.products, rows: each([names]), widths: names.map(name => Math.max(12, name.length + 2)) },
    { name: words.fields, rows: each([[...words.heads], ...lines]), widths: WIDTHS },
  ])
}

/** Lines that begin with `#` are passed over when the file comes back. */
async function* csvTemplate(
  names: readonly string[],
  lines: readonly string[][],
  separator: CsvSeparator,
): AsyncGenerator<Buffer> {
  const notes = lines.map(([name, ...rest]) =>
    formatCsvLine([`# ${name}: ${rest.filter(part => part !== '').join(' · ')}`], separator),
  )
  yield Buffer.from(BYTE_ORDER_MARK + notes.join('') + formatCsvLine(names, separator))
}

async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

function explained(column: Column, { category, languages }: TemplateOptions, words: TemplateWords): string[] {
  const { field, labelPath, language, name } = column
  const values = field.values?.join(', ') ?? (field.type === 'boolean' ? 'true, false' : '')
  const isNeeded =
    isRequired(category.fields, labelPath.split('.')) && (language ?? languages[0]) === languages[0]
  const label = language === undefined ? words.label(labelPath) : `${words.label(labelPath)} (${language})`
  const unit = field.unit === undefined ? '' : ` [${field.unit}]`
  return [name, `${label}${unit}`, isNeeded ? words.yes : '', values, field.description]
}

/** A member is required only in something that is. */
function isRequired(fields: readonly Field[], [name, ...rest]: readonly string[]): boolean {
  const field = fields.find(one => one.name === name)
  if (field?.required !== true) return false
  return rest.length === 0 || isRequired(field.fields ?? field.of ?? [], rest)
}
