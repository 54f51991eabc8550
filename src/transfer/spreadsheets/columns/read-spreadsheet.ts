/** Reads an uploaded file as rows of cells. Its first bytes show the format; all sizes are limited. */

import { type Cell, isEmptyCell } from '../files/cell.ts'
import { type EncodedText, readText, type TextEncoding } from '../files/decode-text.ts'
import {
  findHeader,
  type HeaderChoice,
  type HeaderOptions,
  isComment,
  MAX_TOP_ROWS,
  readTitles,
} from '../files/find-header.ts'
import { type CsvDialect, detectCsvDialect, readCsvRows } from '../files/read-csv.ts'
import { listXlsxSheets, readXlsxRows } from '../files/read-xlsx.ts'
import {
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_ROWS,
  MAX_SPREADSHEET_BYTES,
  type SheetRow,
  SpreadsheetError,
} from '../files/spreadsheet-error.ts'
import { unwrapQuotedFormula } from './cell-damage.ts'

const SAMPLE_LENGTH = 64 * 1024

export type OpenSpreadsheet = {
  /** Only for a CSV file. */
  encoding?: TextEncoding
  separator?: CsvDialect['separator']
  /** Only for a workbook: the sheets to choose from, and the one that is read. */
  sheets?: string[]
  sheet?: string
  header: string[]
  /** Only if a person should look which row has the titles. */
  choice?: HeaderChoice | undefined
  /** Throws `SpreadsheetError` at the first invalid row. */
  rows: AsyncIterable<SheetRow>
}

type OpenOptions = HeaderOptions & { sheet?: string | null }

/** Reads the header of the named sheet, by default the first. Throws `SpreadsheetError`. */
export async function openSpreadsheet(
  bytes: Buffer,
  { sheet: wanted, ...options }: OpenOptions = {},
): Promise<OpenSpreadsheet> {
  if (bytes.length === 0) throw new SpreadsheetError('empty')
  if (bytes.length > MAX_SPREADSHEET_BYTES) throw new SpreadsheetError('too_large')
  const source = await openSource(bytes, wanted)
  const rows = limitRows(source.rows)[Symbol.asyncIterator]()
  const top = await readTopRows(rows)
  const found = findHeader(top, options)
  if (found === undefined) throw new SpreadsheetError('no_header')
  const below = top.slice(top.indexOf(found.row) + 1)
  return { ...source, header: readTitles(found.row), choice: found.choice, rows: joinRows(below, rows) }
}

type Source = Omit<OpenSpreadsheet, 'header'>

const startsWith = (bytes: Buffer, ...start: number[]) => start.every((byte, place) => bytes[place] === byte)

async function openSource(bytes: Buffer, wanted: string | null | undefined): Promise<Source> {
  if (startsWith(bytes, 0x50, 0x4b)) {
    const sheets = await listXlsxSheets(bytes)
    const chosen = sheets.find(({ name }) => name === wanted) ?? sheets[0]
    if (chosen === undefined) throw new SpreadsheetError('broken')
    const rows = readXlsxRows(bytes, chosen.path)
    return { sheets: sheets.map(({ name }) => name), sheet: chosen.name, rows }
  }
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw new SpreadsheetError('old_excel')
  const text = await readText(bytes)
  const sample = takeSample(text)
  if (/^\s*(?:<|[{[]\s*["{[\]}])/.test(sample)) throw new SpreadsheetError('markup')
  const dialect = detectCsvDialect(sample)
  const { encoding } = text
  const rows = readCsvRows(text.decode(), dialect)
  return { encoding, separator: dialect.separator, rows }
}

/** As much of the beginning as the format detection needs. */
function takeSample({ decode }: EncodedText): string {
  let sample = ''
  for (const piece of decode()) {
    sample += piece
    if (sample.length >= SAMPLE_LENGTH) break
  }
  return sample
}

async function readTopRows(rows: AsyncIterator<SheetRow>): Promise<SheetRow[]> {
  const top: SheetRow[] = []
  while (top.length < MAX_TOP_ROWS) {
    const row = await rows.next()
    if (row.done) break
    if (top.length > 0 || !isComment(row.value)) top.push(row.value)
  }
  return top
}

async function* joinRows(
  first: readonly SheetRow[],
  rest: AsyncGenerator<SheetRow>,
): AsyncGenerator<SheetRow> {
  yield* first
  yield* rest
}

async function* limitRows(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
  let count = 0
  for await (const { no, cells } of rows) {
    while (cells.length > 0 && isEmptyCell(cells.at(-1))) cells.pop()
    if (cells.length === 0) continue
    if (cells.length > MAX_COLUMNS) throw new SpreadsheetError('too_many_columns')
    // The header and comment lines are added to the rows.
    if (++count > MAX_ROWS + 100) throw new SpreadsheetError('too_many_rows')
    for (const cell of cells) {
      if (typeof cell === 'string' && cell.length > MAX_CELL_LENGTH) throw new SpreadsheetError('too_long')
    }
    yield { no, cells: cells.map(readCell) }
  }
}

const readCell = (cell: Cell): Cell => (typeof cell === 'string' ? unwrapQuotedFormula(cell) : cell)
