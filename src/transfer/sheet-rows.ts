/** A file of unknown kind as rows of cells: what it is shows in its first bytes, not in its name. Everything is bounded. */
import type { Cell } from './cell.ts'
import { type CsvManner, csvRows, readCsvManner } from './csv-rows.ts'
import { decodeText, type Encoding } from './decode-text.ts'
import { SheetFault } from './sheet-fault.ts'
import { xlsxRows } from './xlsx-rows.ts'

/** Security bounds. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024
export const MOST_ROWS = 100_000
export const MOST_COLUMNS = 1_000
/** Excel's own bound; the longest field has 10,000 characters. */
export const LONGEST_CELL = 32_767

/** `no` as spreadsheet programs number rows; empty cells at the end are left out, empty rows too. */
export type SheetRow = { no: number; cells: Cell[] }

export type OpenSheet = {
  kind: 'csv' | 'xlsx'
  /** Of a CSV file. */
  encoding?: Encoding
  separator?: CsvManner['separator']
  header: string[]
  /** Throws `SheetFault` where the file is wrong. */
  rows: AsyncIterable<SheetRow>
}

/** Reads as far as the header. Throws `SheetFault`. */
export async function openSheet(bytes: Buffer): Promise<OpenSheet> {
  if (bytes.length === 0) throw new SheetFault('empty')
  if (bytes.length > MAX_FILE_BYTES) throw new SheetFault('too_large')
  const source = sourceOf(bytes)
  const rows = bounded(source.rows)[Symbol.asyncIterator]()
  const header = await headerOf(rows)
  const rest: AsyncIterable<SheetRow> = { [Symbol.asyncIterator]: () => rows }
  return { ...source.kind, header, rows: rest }
}

type Source = { kind: Pick<OpenSheet, 'kind' | 'encoding' | 'separator'>; rows: AsyncIterable<SheetRow> }

const startsWith = (bytes: Buffer, ...start: number[]) => start.every((byte, place) => bytes[place] === byte)

function sourceOf(bytes: Buffer): Source {
  if (startsWith(bytes, 0x50, 0x4b)) return { kind: { kind: 'xlsx' }, rows: xlsxRows(bytes) }
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw new SheetFault('old_excel')
  const { text, encoding } = decodeText(bytes)
  const start = text.trimStart()
  if (start === '') throw new SheetFault('empty')
  if (/^(?:<|[{[]\s*["{[\]}])/.test(start)) throw new SheetFault('markup')
  const manner = readCsvManner(text)
  return { kind: { kind: 'csv', encoding, separator: manner.separator }, rows: csvRows(text, manner) }
}

/** Lines before the header that begin with `#` explain the sheet. */
async function headerOf(rows: AsyncIterator<SheetRow>): Promise<string[]> {
  for (;;) {
    const { value, done } = await rows.next()
    if (done) throw new SheetFault('no_header')
    const cells = (value as SheetRow).cells.map(cell => String(cell ?? '').trim())
    if (cells[0]?.startsWith('#')) continue
    return cells
  }
}

async function* bounded(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
  let count = 0
  for await (const { no, cells } of rows) {
    while (cells.length > 0 && (cells.at(-1) === null || cells.at(-1) === '')) cells.pop()
    if (cells.length === 0) continue
    if (cells.length > MOST_COLUMNS) throw new SheetFault('too_many_columns')
    // The header and lines that explain come on top.
    if (++count > MOST_ROWS + 100) throw new SheetFault('too_many_rows')
    for (const cell of cells) {
      if (typeof cell === 'string' && cell.length > LONGEST_CELL) throw new SheetFault('too_long')
    }
    yield { no, cells }
  }
}
