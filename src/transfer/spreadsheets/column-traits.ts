/** Traits of columns that only the cells show, collected while the rows are stored. */
import { type Cell, isEmptyCell } from './cell.ts'
import { splitAmount } from './measurement-units.ts'

/** Indexes of columns. */
export type ColumnTraits = {
  /** All cells are between 0 and 1, and not all are 0: shares may be fractions. */
  fractions: readonly number[]
  /** Some cell is outside 0 to 1. */
  others: readonly number[]
  /** Every non-empty cell has a unit after its number. */
  withUnits: readonly number[]
  /** Every non-empty cell begins with `https://`. */
  addresses: readonly number[]
}

export const NO_TRAITS: ColumnTraits = { fractions: [], others: [], withUnits: [], addresses: [] }

const FRACTION_CELL = /^(?:0?[.,]\d+|[01](?:[.,]0+)?)$/

const isFraction = (cell: Cell): boolean =>
  typeof cell === 'number' ? cell >= 0 && cell <= 1 : FRACTION_CELL.test(String(cell).trim())

type TraitState = { isFraction: boolean; isZero: boolean; hasUnits: boolean; isAddress: boolean }

export function collectTraits() {
  const columns: (TraitState | undefined)[] = []
  const places = (has: (one: TraitState) => boolean) =>
    columns.flatMap((one, place) => (one !== undefined && has(one) ? [place] : []))
  return {
    add(cells: readonly Cell[]): void {
      for (const [place, cell] of cells.entries()) {
        let one = columns[place]
        // Most columns have no trait after their first cell.
        if (one !== undefined && !one.isFraction && !one.hasUnits && !one.isAddress) continue
        if (isEmptyCell(cell)) continue
        one ??= { isFraction: true, isZero: true, hasUnits: true, isAddress: true }
        columns[place] = one
        one.isFraction &&= isFraction(cell)
        one.isZero &&= !/[1-9]/.test(String(cell))
        one.hasUnits &&= typeof cell === 'string' && splitAmount(cell) !== undefined
        one.isAddress &&= /^\s*https:\/\//i.test(String(cell))
      }
    },
    traits: (): ColumnTraits => ({
      fractions: places(one => one.isFraction && !one.isZero),
      others: places(one => !one.isFraction),
      withUnits: places(one => one.hasUnits),
      addresses: places(one => one.isAddress),
    }),
  }
}
