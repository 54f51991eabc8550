/** Traits of columns that only the cells show, collected while the rows are stored. */
import { type Cell, classifyNumber, type DecimalMark, isEmptyCell } from '../files/cell.ts'
import type { HeaderChoice } from '../files/find-header.ts'
import { splitAmount } from './measurement-units.ts'

/** Indexes of columns. */
export type ColumnTraits = {
  /** Which row has the titles, if a person should look. */
  head?: HeaderChoice | undefined
  /** All cells are between 0 and 1, and not all are 0: shares may be fractions. */
  fractions: readonly number[]
  /** Some cell is outside 0 to 1. */
  others: readonly number[]
  /** Every non-empty cell has a unit after its number. */
  withUnits: readonly number[]
  /** Every non-empty cell begins with `https://`. */
  addresses: readonly number[]
  /** Some cell has a value; undefined if that is not known. */
  filled?: readonly number[] | undefined
  /** Some number can only have a decimal point, or a decimal comma. */
  points: readonly number[]
  commas: readonly number[]
  /** The first number of each column that has two values, such as "1,800". */
  ambiguous: readonly (readonly [place: number, example: string])[]
}

export const NO_TRAITS: ColumnTraits = {
  fractions: [],
  others: [],
  withUnits: [],
  addresses: [],
  points: [],
  commas: [],
  ambiguous: [],
}

const FRACTION_CELL = /^(?:0?[.,]\d+|[01](?:[.,]0+)?)$/

const isFraction = (cell: Cell): boolean =>
  typeof cell === 'number' ? cell >= 0 && cell <= 1 : FRACTION_CELL.test(String(cell).trim())

type TraitState = { isFraction: boolean; isZero: boolean; hasUnits: boolean; isAddress: boolean }

/** The first number of each kind in a column. */
type NumberKinds = Partial<Record<DecimalMark | 'either', string>>

function collectNumberKinds() {
  const columns: NumberKinds[] = []
  const places = (mark: DecimalMark) =>
    columns.flatMap((kinds, place) => (kinds?.[mark] === undefined ? [] : [place]))
  return {
    add(place: number, cell: Cell): void {
      if (typeof cell !== 'string') return
      const kind = classifyNumber(cell)
      if (kind === undefined) return
      const kinds = columns[place] ?? {}
      kinds[kind] ??= cell.trim()
      columns[place] = kinds
    },
    traits: (): Pick<ColumnTraits, 'points' | 'commas' | 'ambiguous'> => ({
      points: places('point'),
      commas: places('comma'),
      ambiguous: columns.flatMap((kinds, place) =>
        kinds?.either === undefined ? [] : [[place, kinds.either] as const],
      ),
    }),
  }
}

export function collectTraits() {
  const numbers = collectNumberKinds()
  const columns: (TraitState | undefined)[] = []
  const places = (has: (one: TraitState) => boolean) =>
    columns.flatMap((one, place) => (one !== undefined && has(one) ? [place] : []))
  return {
    add(cells: readonly Cell[]): void {
      for (const [place, cell] of cells.entries()) {
        numbers.add(place, cell)
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
      filled: places(() => true),
      ...numbers.traits(),
    }),
  }
}
