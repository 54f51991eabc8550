/** Finds the row with the column titles, which may stand below a title, a date or notes. */
import type { Cell } from './cell.ts'
import type { SheetRow } from './spreadsheet-error.ts'

/** A person may choose between these rows. Absent if the first row has known titles. */
export type HeaderChoice = {
  /** The row whose cells are read as titles. */
  no: number
  rows: readonly (readonly [no: number, text: string])[]
}

/** How many columns a category knows by these titles. */
export type CountKnownTitles = (titles: readonly string[]) => number

export type HeaderOptions = {
  /** The row that a person chose. */
  no?: number | undefined
  countKnown?: CountKnownTitles | undefined
}

/** The header is looked for in so many rows. */
export const MAX_TOP_ROWS = 20
/** Security bounds: looking up a title takes long, and this is done for each row. */
const MAX_COUNTED_TITLES = 100
const MAX_TITLE_LENGTH = 60
const MAX_SHOWN_TITLES = 6
const MAX_SHOWN_LENGTH = 120
/** One known title may be a word by chance. */
const MIN_KNOWN_TITLES = 2

const toText = (cell: Cell): string => String(cell ?? '').trim()
export const readTitles = ({ cells }: SheetRow): string[] => cells.map(toText)

const listShortTitles = (row: SheetRow): string[] =>
  readTitles(row)
    .slice(0, MAX_COUNTED_TITLES)
    .map(title => (title.length > MAX_TITLE_LENGTH ? '' : title))

/** Lines before the header that begin with `#` are comments. */
export const isComment = ({ cells }: SheetRow): boolean => toText(cells[0] ?? null).startsWith('#')

/** `rows`: the first rows of the spreadsheet without comments. */
export function findHeader(
  rows: readonly SheetRow[],
  { no, countKnown }: HeaderOptions,
): { row: SheetRow; choice?: HeaderChoice } | undefined {
  const [first] = rows
  if (first === undefined || countKnown === undefined) return first && { row: first }
  const known = rows.map(row => countKnown(listShortTitles(row)))
  const chosen = rows.find(row => row.no === no)
  const row = chosen ?? rows[findByTitles(known) ?? findByWidth(rows)] ?? first
  const isCertain = row === first && (known[0] ?? 0) > 0 && chosen === undefined
  if (isCertain || rows.length < 2) return { row }
  return { row, choice: { no: row.no, rows: rows.map(one => [one.no, describe(one)]) } }
}

/** The row with most known titles; the first of several. */
function findByTitles(known: readonly number[]): number | undefined {
  const most = Math.max(...known)
  const isFirst = most > 0 && known[0] === most
  return most >= MIN_KNOWN_TITLES || isFirst ? known.indexOf(most) : undefined
}

/** The first row that fills at least half as many columns as the widest one. */
function findByWidth(rows: readonly SheetRow[]): number {
  const widths = rows.map(row => readTitles(row).filter(title => title !== '').length)
  return widths.findIndex(width => width >= Math.max(...widths) / 2)
}

function describe(row: SheetRow): string {
  const titles = readTitles(row).filter(title => title !== '')
  const text = titles.slice(0, MAX_SHOWN_TITLES).join(' · ')
  const isWhole = titles.length <= MAX_SHOWN_TITLES && text.length <= MAX_SHOWN_LENGTH
  return isWhole ? text : `${text.slice(0, MAX_SHOWN_LENGTH)} …`
}
