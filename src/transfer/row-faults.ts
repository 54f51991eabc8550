/** What is wrong with a row, told by its columns: people know "column F", not `/items/3/data/fiberComposition/0`. */
import type { AppError, Detail } from '../kernel/errors.ts'
import type { Cell } from './cell.ts'
import { columnName, type Steps } from './columns.ts'
import type { Reading } from './row-data.ts'
import { columnAt } from './row-data.ts'

export type RowFault = {
  /** Place of the column in the sheet; null when the sheet has none for it. */
  column: number | null
  /** The field as a column is called. */
  field: string
  code: Detail['code'] | 'twice' | 'refused'
  /** English. */
  message: string
}

/** More of one row are not kept. */
const MOST_FAULTS = 20

export function rowFaults(error: AppError, cells: readonly Cell[], reading: Reading): RowFault[] {
  const details = error.details ?? []
  if (details.length === 0) return [{ column: null, field: '', code: 'refused', message: error.message }]
  return details.slice(0, MOST_FAULTS).map(detail => {
    const steps = stepsOf(detail.pointer)
    const field = columnName(steps)
    const column = steps.length === 0 ? undefined : columnAt(cells, reading, steps)
    return {
      column: column ?? null,
      field,
      code: detail.code,
      message: sentence(detail, field, column, reading),
    }
  })
}

/** `/items/3/data/fiberComposition/0/fiber` → the steps after `data`. */
function stepsOf(pointer: string): Steps {
  const parts = pointer.split('/').slice(1)
  const data = parts.indexOf('data')
  if (data < 0) return []
  return parts
    .slice(data + 1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map(part => (/^\d+$/.test(part) ? Number(part) : part))
}

function sentence(detail: Detail, field: string, column: number | undefined, { columns }: Reading): string {
  const own = column === undefined ? undefined : columns[column]
  if (own?.isWhole && own.field.of?.length === 2 && detail.code === 'type') {
    return `${field} is written as names with their numbers: "cotton 60 %; polyester 40 %".`
  }
  return detail.message.startsWith(detail.field)
    ? field + detail.message.slice(detail.field.length)
    : detail.message
}

export const twiceFault = (column: number | null, field: string, no: number): RowFault => ({
  column,
  field,
  code: 'twice',
  message: `Row ${no} is about the same product. Keep one of the two.`,
})
