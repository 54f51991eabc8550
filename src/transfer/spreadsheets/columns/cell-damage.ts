/** Recognises cells that spreadsheet programs have damaged, so that none is stored as it stands. */
import type { Field } from '../../../categories/field.ts'
import { type Cell, isEmptyCell } from '../files/cell.ts'
import type { Column } from './columns.ts'
import { quoteCell, type RowError } from './row-errors.ts'

const MESSAGES = {
  exponent:
    'The spreadsheet program has shortened a long number, and its last digits are lost. Write the number again in a column that is formatted as text.',
  digits:
    'Spreadsheet programs keep 15 digits of a number and write zeros for the others. Write the number again in a column that is formatted as text.',
  formula: 'The cell has a formula instead of its result. Replace the formula by its value.',
  formula_error: 'The cell has an error of the spreadsheet program instead of a value. Correct the formula.',
  hashes: 'The column was too narrow, so the value was lost. Make the column wider and save the file again.',
} as const

export type CellDamage = keyof typeof MESSAGES

/** `9.52E+12`: how programs show a number with too many digits. */
const EXPONENT = /^[1-9](?:[.,]\d+)?E\+\d{1,3}$/i
const FORMULA = /^=(?:[A-Z.]+\(.*\)|[$\d(+-].*|\$?[A-Z]{1,3}\$?\d+(?:[:+\-*/&^].*)?)$/is
/** In English, German, French, Spanish, Italian, Dutch, Portuguese and Polish. */
const FORMULA_ERROR =
  /^#(?:N\/A|NV|N\/D|NB|N\/B|REF|BEZUG|VERW|¡REF|RIF|ADR|VALUE|WERT|VALEUR|¡VALOR|VALORE|VALOR|WAARDE|ARG|NAME|NOM|¿NOMBRE|NOME|NAAM|NAZWA|DIV\/0|¡DIV\/0|DEEL\/0|DZIEL\/0|NUM|ZAHL|NOMBRE|¡NUM|GETAL|LICZBA|NULL|NUL|SPILL|CALC)[!?]?$/i
const MAX_EXACT = 1e15
/** No formula of a program's export is longer, and texts are. */
const MAX_LENGTH = 300

export function findCellDamage(cell: Cell, { type }: Pick<Field, 'type'>): CellDamage | undefined {
  const isNumber = type === 'number'
  if (typeof cell === 'number') return !isNumber && Math.abs(cell) >= MAX_EXACT ? 'digits' : undefined
  if (typeof cell !== 'string' || cell.length > MAX_LENGTH) return undefined
  const text = cell.trim()
  if (text.startsWith('=')) return FORMULA.test(text) ? 'formula' : undefined
  if (text.startsWith('#')) {
    if (/^#{3,}$/.test(text)) return 'hashes'
    return FORMULA_ERROR.test(text) ? 'formula_error' : undefined
  }
  return !isNumber && EXPONENT.test(text) ? 'exponent' : undefined
}

/** The damaged cells of a row, in the columns that are imported. */
export function listCellDamages(
  cells: readonly Cell[],
  columns: readonly (Column | undefined)[],
): RowError[] {
  return columns.flatMap((column, place) => {
    const cell = cells[place] ?? null
    if (column === undefined || isEmptyCell(cell)) return []
    const key = findCellDamage(cell, column.field)
    if (key === undefined) return []
    const at = { column: place, field: column.name, ...quoteCell(cells, place) }
    return [{ ...at, code: 'damaged', message: MESSAGES[key], said: { key, facts: {} } }]
  })
}

/** `="0123"` keeps the zeros of a number in CSV; the text itself is meant. */
export function unwrapQuotedFormula(text: string): string {
  const [, inner] = text.startsWith('="') ? (/^="((?:[^"]|"")*)"$/.exec(text) ?? []) : []
  return inner === undefined ? text : inner.replaceAll('""', '"')
}
