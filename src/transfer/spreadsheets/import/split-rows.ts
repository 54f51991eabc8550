/** Separates the rows of a chunk that can be written from those with errors that need no look-up. */
import type { AppError } from '../../../kernel/errors/errors.ts'
import { listCellDamages } from '../columns/cell-damage.ts'
import { DUPLICATE_COLUMN } from '../columns/mapping.ts'
import {
  buildDuplicateError,
  buildRepeatedError,
  buildRowErrors,
  buildVariantError,
  quoteCell,
  type RowError,
} from '../columns/row-errors.ts'
import { type ParsedRow, parseRow, type RowOptions } from '../columns/row-to-passport.ts'
import { isMarkedDuplicate, type RowGroups } from './row-groups.ts'
import type { ChunkRow, SpreadsheetImport } from './spreadsheet-import.ts'
import { findMatchKey } from './write-rows.ts'

/** Tells whether a row that only lacks values can become a draft, or is one already. */
export type DraftMark = 'new' | 'there'
export type ChunkErrors = [place: number, faults: RowError[], mark?: DraftMark][]

export type GoodRow = { place: number; cells: ChunkRow[1]; data: ParsedRow }

export type RowContext = { rows: readonly ChunkRow[]; reading: RowOptions; groups: RowGroups }

/** Separates the rows to write from those with damaged cells or about the same product as an earlier row. */
export function splitRows(sheet: SpreadsheetImport, { rows, reading, groups }: RowContext) {
  const { matchBy } = sheet.settings
  const faults: ChunkErrors = []
  const good: GoodRow[] = []
  for (const [place, [rowNo, cells]] of rows.entries()) {
    const damages = listCellDamages(cells, reading.columns)
    if (damages.length > 0) {
      faults.push([place, damages])
      continue
    }
    const data = parseRow(cells, reading)
    const first = groups.firsts.get(findMatchKey(data, matchBy) ?? '')
    const variantOf = groups.variants.get(rowNo)
    if (isMarkedDuplicate(sheet.header, cells, data)) {
      const column = sheet.header.indexOf(DUPLICATE_COLUMN)
      faults.push([place, [buildRepeatedError({ column, ...quoteCell(cells, column) })]])
    } else if (first === undefined || first === rowNo) good.push({ place, cells, data })
    else if (variantOf !== undefined) faults.push([place, [buildVariantError(reading, variantOf)]])
    else {
      const column = sheet.settings.mapping.indexOf(matchBy)
      const at = { column: column < 0 ? null : column, field: matchBy, ...quoteCell(cells, column) }
      faults.push([place, [buildDuplicateError(at, first)]])
    }
  }
  return { good, faults }
}

const findVariant = ({ place }: GoodRow, { rows, groups }: RowContext, error: AppError) => {
  const lacksName = error.details?.some(({ code, path }) => code === 'required' && path[1] === 'productName')
  return lacksName ? groups.variants.get(rows[place]?.[0] ?? -1) : undefined
}

/** A variant of an earlier row that lacks a name gets only that sentence. */
export function explainRefusal(
  error: AppError,
  row: GoodRow,
  context: RowContext,
): { faults: RowError[]; isVariant: boolean } {
  const variantOf = findVariant(row, context, error)
  return variantOf === undefined
    ? { faults: buildRowErrors(error, row.cells, context.reading), isVariant: false }
    : { faults: [buildVariantError(context.reading, variantOf)], isVariant: true }
}
