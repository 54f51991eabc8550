/** The rows of a sheet that could not be taken, as they were sent, each with what is wrong with it: to mend and send again. */
import type { AccountContext } from '../../accounts/context.ts'
import { type Cell, defused } from './cell.ts'
import { csvFile } from './export-models.ts'
import { TOLD_COLUMNS } from './mapping.ts'
import { isRepetition, type RowFault } from './row-errors.ts'
import { rowData } from './row-to-passport.ts'
import type { ChunkFaults } from './run-import.ts'
import { readingOf, type SheetImport } from './spreadsheet-import.ts'
import type { SheetRow } from './spreadsheet-limits.ts'
import type { SheetFormat } from './template.ts'
import type { CsvSeparator } from './write-csv.ts'
import { keyOf } from './write-rows.ts'
import { letters, xlsxFile } from './write-xlsx.ts'

export type BadRow = { no: number; cells: SheetRow['cells']; faults: RowFault[] }

/** In the order of the sheet. */
export async function* badRows({ sql, accountId }: AccountContext, uuid: string): AsyncGenerator<BadRow> {
  let before = -1
  for (;;) {
    const [chunk] = await sql<{ no: number; rows: string; faults: string }[]>`
      select no, rows, faults from sheet_chunk
      where account_id = ${accountId} and import_id = ${uuid} and no > ${before} and faults is not null
      order by no limit 1`
    if (chunk === undefined) return
    before = chunk.no
    const rows = JSON.parse(chunk.rows) as [number, SheetRow['cells']][]
    for (const [place, faults] of JSON.parse(chunk.faults) as ChunkFaults) {
      const [no, cells] = rows[place] ?? [0, []]
      yield { no, cells, faults }
    }
  }
}

/** "F": the column as spreadsheet programs call it. */
export const columnLetters = ({ column }: RowFault): string => (column === null ? '' : letters(column))

export type ErrorFileWish = {
  format: SheetFormat
  separator: CsvSeparator
  title: string
  /** What a field without a column is called. */
  name: (fault: RowFault) => string
  sentence: (fault: RowFault) => string
}

export function errorFile(
  ctx: AccountContext,
  sheet: SheetImport,
  wish: ErrorFileWish,
): AsyncGenerator<Buffer> {
  const rows = errorRows(ctx, sheet, wish)
  return wish.format === 'xlsx' ? xlsxFile([{ name: wish.title, rows }]) : csvFile(rows, wish.separator)
}

async function* errorRows(
  ctx: AccountContext,
  sheet: SheetImport,
  { name, sentence }: ErrorFileWish,
): AsyncGenerator<Cell[]> {
  const { id, header, settings } = sheet
  const [, told, repeats] = TOLD_COLUMNS
  const shown = header.map((title, place) => (title === told || title === repeats ? -1 : place))
  const places = shown.filter(place => place >= 0)
  const reading = readingOf(sheet)
  const hasRepeated = await hasRepetitions(ctx, id)
  const heads = places.map(place => guarded(header[place] ?? ''))
  yield [...heads, told, ...(hasRepeated ? [repeats] : [])]
  for await (const { no, cells, faults } of badRows(ctx, id)) {
    const sentences = faults.map(fault => {
      const title = header[fault.column ?? -1] ?? name(fault)
      const where = [columnLetters(fault), title].filter(part => part !== '').join(' ')
      return where === '' ? sentence(fault) : `${where}: ${sentence(fault)}`
    })
    const isRepeated = faults.some(isRepetition)
    const key = isRepeated ? (keyOf(rowData(cells, reading), settings.matchBy) ?? null) : null
    yield [
      ...places.map(place => guarded(cells[place] ?? null)),
      defused(`(${no}) ${sentences.join(' | ')}`),
      ...(hasRepeated ? [key === null ? null : defused(key)] : []),
    ]
  }
}

async function hasRepetitions({ sql, accountId }: AccountContext, uuid: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from sheet_chunk where account_id = ${accountId} and import_id = ${uuid}
        and faults ~ '"(twice|repeated|row_twice)"'
    ) as found`
  return row?.found === true
}

/** Cells are given back as they came; a text that was marked as none of a formula's already is not marked twice. */
const guarded = (cell: Cell): Cell =>
  typeof cell === 'string' && /^[=+\-@\t\r＝＋－＠]/.test(cell) ? defused(cell) : cell
