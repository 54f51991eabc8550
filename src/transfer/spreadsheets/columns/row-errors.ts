/** Describes a row's errors by column: people know "column F", not `/items/3/data/sku`. */
import { formatField, shorten } from '../../../kernel/errors/detail-json.ts'
import {
  type AppError,
  type Detail,
  type ErrorCode,
  TRANSLATION,
  type TranslatableMessage,
} from '../../../kernel/errors/errors.ts'
import { type Cell, parseCellText } from '../files/cell.ts'
import { buildColumnName, type Column } from './columns.ts'
import { explainUnit } from './measurement-units.ts'
import { findColumnIndex, type RowOptions } from './row-to-passport.ts'

export type RowError = {
  /** Index of the column; null if the spreadsheet has none for the field. */
  column: number | null
  /** The field, as a column name. */
  field: string
  code:
    | Detail['code']
    | 'twice'
    | 'repeated'
    | 'shares'
    | 'no_column'
    | 'picture'
    | 'damaged'
    | 'variant'
    | 'draft'
    | 'unit'
    | 'refused'
  message: string
  /** The message as a key with facts, for translation. */
  said?: TranslatableMessage
  refusal?: ErrorCode
  found?: string
}

const MAX_ERRORS_PER_ROW = 20

export function buildRowErrors(error: AppError, cells: readonly Cell[], reading: RowOptions): RowError[] {
  const details = error.details ?? []
  if (details.length === 0) {
    const { code: refusal, message } = error
    return [{ column: null, field: '', code: 'refused', refusal, message }]
  }
  return details.slice(0, MAX_ERRORS_PER_ROW).map(detail => buildRowError(detail, cells, reading))
}

/** An error or a warning, at its column. */
export function buildRowError(detail: Detail, cells: readonly Cell[], reading: RowOptions): RowError {
  const steps = detail.path[0] === 'data' ? detail.path.slice(1) : []
  const field = buildColumnName(steps)
  const place = steps.length === 0 ? undefined : findColumnIndex(cells, reading, steps)
  if (place === undefined && detail.code === 'required' && steps.length > 0)
    return { column: null, field, code: 'no_column', message: `${field} has no column.` }
  const own = place === undefined ? undefined : reading.columns[place]
  const at = { column: place ?? null, field, ...quoteCell(cells, place) }
  if (own?.isWhole && own.field.of?.length === 2 && detail.code === 'type') return { ...at, ...SHARES }
  const unit =
    detail.code === 'type' && own !== undefined ? findUnitError(own, cells, place, reading) : undefined
  if (unit !== undefined) return { ...at, ...unit }
  const said = detail[TRANSLATION]
  return { ...at, code: detail.code, message: sentence(detail, field), ...(said ? { said } : {}) }
}

/** The error of a number whose unit, in its cell or beside it, is not one of the column. */
function findUnitError(
  { unit = '', field }: Column,
  cells: readonly Cell[],
  place: number | undefined,
  { units }: RowOptions,
) {
  const beside = unit.startsWith('@') ? String(cells[units?.get(unit) ?? -1] ?? '').trim() : ''
  const found = explainUnit(String(cells[place ?? -1] ?? ''), field, beside)
  return found === undefined
    ? undefined
    : { ...found, ...(beside === '' ? {} : { found: shorten(beside, MAX_QUOTE_LENGTH) }) }
}

/** Two kinds of errors, or of warnings, are one if they have the same cause in the same column. */
export const getErrorKind = ({ code, said, refusal, column, field }: RowError): string =>
  [
    code,
    said?.key ?? refusal ?? '',
    column ?? '',
    column === null ? field.replaceAll(/\[\d+\]/g, '') : '',
  ].join(' ')

const MAX_QUOTE_LENGTH = 60

export function quoteCell(cells: readonly Cell[], place: number | undefined): { found?: string } {
  const cell = place === undefined ? null : (cells[place] ?? null)
  const text = typeof cell === 'string' ? parseCellText(cell).trim() : String(cell ?? '')
  return text === '' ? {} : { found: shorten(text, MAX_QUOTE_LENGTH) }
}

const SHARES = {
  code: 'shares',
  message: 'Write names with their numbers: cotton 60 %; polyester 40 %.',
} as const

function sentence({ path, message }: Detail, field: string): string {
  const name = formatField(path)
  return message.startsWith(name) ? field + message.slice(name.length) : message
}

export const buildDuplicateError = (
  at: Pick<RowError, 'column' | 'field' | 'found'>,
  no: number,
): RowError => ({
  ...at,
  code: 'twice',
  message: `Row ${no} is about the same product. Keep one of the two.`,
  said: { key: 'twice', facts: { row: no } },
})

/** For a row with the handle of an earlier row and without a name. */
export const buildVariantError = ({ columns }: Pick<RowOptions, 'columns'>, no: number): RowError => ({
  column: columns.findIndex(column => column?.path[0] === 'productName'),
  field: 'productName',
  code: 'variant',
  message: `This row has no name, so it is a variant or a picture of the product in row ${no}. Variants are not imported. To make it a product, give it a name and its own SKU.`,
  said: { key: 'variant', facts: { row: no } },
})

/** For an uncorrected row of an error file, which would overwrite the product of an earlier row. */
export const buildRepeatedError = (at: Pick<RowError, 'column' | 'found'>): RowError => ({
  ...at,
  field: '',
  code: 'repeated',
  message:
    'In the earlier spreadsheet, another row was about the same product, so this row would overwrite it. Give it its own SKU or GTIN, or remove the row. To overwrite on purpose, empty this cell.',
})

/** Returns true if the row was rejected because another row is about the same product. */
export const isDuplicateError = ({ code, said }: RowError): boolean =>
  code === 'twice' || code === 'repeated' || said?.key === 'row_twice'
