/** What the cells of a sheet say about its columns, gathered while its rows are stored. */
import { type Cell, isEmptyCell } from './cell.ts'
import { hasUnit } from './measurement-units.ts'

/** Places of columns. */
export type ColumnTraits = {
  /** All cells are between 0 and 1, and not all are 0: shares may be fractions of one. */
  fractions: readonly number[]
  /** Some cell is something else. */
  others: readonly number[]
  /** Every cell that says anything has its unit behind the number. */
  withUnits: readonly number[]
}

export const NO_TRAITS: ColumnTraits = { fractions: [], others: [], withUnits: [] }

const FRACTION_CELL = /^(?:0?[.,]\d+|[01](?:[.,]0+)?)$/

const isFraction = (cell: Cell): boolean =>
  typeof cell === 'number' ? cell >= 0 && cell <= 1 : FRACTION_CELL.test(String(cell).trim())

type TraitState = { isFraction: boolean; isZero: boolean; isWithUnits: boolean }

export function collectTraits() {
  const columns: (TraitState | undefined)[] = []
  const places = (has: (one: TraitState) => boolean) =>
    Array.from(columns, (one, place) => (one !== undefined && has(one) ? place : -1)).filter(n => n >= 0)
  return {
    add(cells: readonly Cell[]): void {
      for (const [place, cell] of cells.entries()) {
        let one = columns[place]
        // Most columns are known to be neither after their first cell.
        if (one !== undefined && !one.isFraction && !one.isWithUnits) continue
        if (cell === null || isEmptyCell(cell)) continue
        one ??= { isFraction: true, isZero: true, isWithUnits: true }
        columns[place] = one
        one.isFraction &&= isFraction(cell)
        one.isZero &&= !/[1-9]/.test(String(cell))
        one.isWithUnits &&= typeof cell === 'string' && hasUnit(cell)
      }
    },
    traits: (): ColumnTraits => ({
      fractions: places(one => one.isFraction && !one.isZero),
      others: places(one => !one.isFraction),
      withUnits: places(one => one.isWithUnits),
    }),
  }
}
