/** Writes an empty spreadsheet to fill in: a column for every field of the category, and explanations. */
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import type { Field } from '../../../categories/field.ts'
import { buildTemplateLayout, type Column, isPicturesColumn, listColumns } from '../columns/columns.ts'
import { type CsvSeparator, writeCsv } from '../files/write-csv.ts'
import { writeXlsx } from '../files/write-xlsx.ts'

export const SPREADSHEET_CONTENT_TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const
export type SpreadsheetFormat = keyof typeof SPREADSHEET_CONTENT_TYPES

type TemplateWords = {
  products: string
  fields: string
  heads: readonly [column: string, label: string, required: string, values: string, meaning: string]
  yes: string
  /** How to write pictures. */
  pictures: string
  label: (path: string) => string
}

type TemplateOptions = {
  category: CompleteCategory
  /** Languages for the columns of texts; the first is the primary one. */
  languages: readonly string[]
  format: SpreadsheetFormat
  separator: CsvSeparator
}

const WIDTHS = [34, 30, 10, 40, 80]

export function writeTemplate(options: TemplateOptions, words: TemplateWords): AsyncGenerator<Buffer> {
  const columns = listColumns(options.category, buildTemplateLayout(options.category, options.languages))
  const names = columns.map(({ name }) => name)
  const lines = columns.map(column => explainColumn(column, options, words))
  if (options.format === 'csv') {
    // An import skips lines that begin with `#`.
    const notes = lines.map(([name, ...rest]) => [
      `# ${name}: ${rest.filter(part => part !== '').join(' · ')}`,
    ])
    return writeCsv([...notes, names], options.separator)
  }
  return writeXlsx([
    { name: words.products, rows: [names], widths: names.map(name => Math.max(12, name.length + 2)) },
    { name: words.fields, rows: [words.heads, ...lines], widths: WIDTHS },
  ])
}

function explainColumn(
  column: Column,
  { category, languages }: TemplateOptions,
  words: TemplateWords,
): string[] {
  const { field, labelPath, language, name } = column
  const values = field.values?.join(', ') ?? (field.type === 'boolean' ? 'true, false' : '')
  const isNeeded =
    isRequired(category.fields, labelPath.split('.')) && (language ?? languages[0]) === languages[0]
  const label = language === undefined ? words.label(labelPath) : `${words.label(labelPath)} (${language})`
  const unit = field.unit === undefined ? '' : ` [${field.unit}]`
  const meaning = isPicturesColumn(column) ? words.pictures : field.description
  return [name, `${label}${unit}`, isNeeded ? words.yes : '', values, meaning]
}

/** A member counts as required only if its parent is. */
function isRequired(fields: readonly Field[], [name, ...rest]: readonly string[]): boolean {
  const field = fields.find(one => one.name === name)
  if (field?.required !== true) return false
  return rest.length === 0 || isRequired(field.fields ?? field.of ?? [], rest)
}
