/**
 * The decimal mark of each column. A column shows it by its own numbers, or a person must choose: "1,800" is
 * 1800 or 1.8, and other columns of the file may be written by another program.
 */
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import type { DecimalMark } from '../files/cell.ts'
import type { ColumnTraits } from './column-traits.ts'
import { type Column, findColumn } from './columns.ts'
import type { ColumnMapping } from './mapping.ts'

/** The mark that a column's own numbers show; undefined if they show none, or both. */
function findOwnMark({ points, commas }: ColumnTraits, place: number): DecimalMark | undefined {
  const [isPoint, isComma] = [points.includes(place), commas.includes(place)]
  if (isPoint === isComma) return undefined
  return isPoint ? 'point' : 'comma'
}

/** Adds the mark to each column whose numbers show it. */
export const withOwnMarks = (
  columns: readonly (Column | undefined)[],
  traits: ColumnTraits,
): (Column | undefined)[] =>
  columns.map((column, place) => {
    const mark = column?.field.type === 'number' ? findOwnMark(traits, place) : undefined
    return column === undefined || mark === undefined ? column : { ...column, mark }
  })

export type AmbiguousColumn = { place: number; example: string }

/** Columns with numbers of two values, whatever they are mapped to. */
export const listAmbiguousColumns = (traits: ColumnTraits): AmbiguousColumn[] =>
  traits.ambiguous.flatMap(([place, example]) =>
    findOwnMark(traits, place) === undefined ? [{ place, example }] : [],
  )

/** Those that are mapped to a number, so that a person must choose. */
export const listMarksToChoose = (
  category: CompleteCategory,
  traits: ColumnTraits,
  mapping: ColumnMapping,
): AmbiguousColumn[] =>
  listAmbiguousColumns(traits).filter(
    ({ place }) => findColumn(category, mapping[place] ?? '')?.field.type === 'number',
  )
