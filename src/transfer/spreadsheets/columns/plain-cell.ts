/** Texts of a spreadsheet that are stored without their HTML. */
import { findMarkup } from '../../../categories/check/text-checks.ts'
import { toPlainText } from '../../../kernel/text/plain-text.ts'
import { type Cell, escapeFormula } from '../files/cell.ts'
import type { Column } from './columns.ts'

/** True for a column of texts that people write: no codes, addresses or values of a list. */
export const isPlainColumn = (column: Column | undefined): column is Column =>
  column !== undefined &&
  !column.isWhole &&
  (column.field.type === 'text' || column.field.type === 'name') &&
  column.field.format === undefined &&
  column.field.values === undefined

/** Turns a text with HTML into plain text. */
export function toPlainCell(cell: Cell, column: Column): Cell {
  if (typeof cell !== 'string' || !isPlainColumn(column) || findMarkup(cell) === undefined) return cell
  const text = toPlainText(cell)
  return escapeFormula(column.field.type === 'name' ? text.replaceAll(/\s*\n\s*/g, ' ') : text)
}
