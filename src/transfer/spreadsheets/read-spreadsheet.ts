/** A file of unknown kind as rows of cells: what it is shows in its first bytes, not in its name. Everything is bounded. */

import { type EncodedText, type Encoding, readText } from './decode-text.ts'
import { type CsvManner, csvRows, readCsvManner } from './read-csv.ts'
import { xlsxRows, xlsxSheets } from './read-xlsx.ts'
import { SheetFault } from './spreadsheet-error.ts'
import { LONGEST_CELL, MAX_FILE_BYTES, MOST_COLUMNS, MOST_ROWS, type SheetRow } from './spreadsheet-limits.ts'

const SAMPLE_LENGTH = 64 * 1024

export type OpenSheet = {
  kind: 'csv' | 'xlsx'
  /** Of a CSV file. */
  encoding?: Encoding
  separator?: CsvManner['separator']
  /** Of a workbook: the sheets there are to choose from, and the one that is read. */
  sheets?: string[]
  sheet?: string
  header: string[]
  /** Throws `SheetFault` where the file is wrong. */
  rows: AsyncIterable<SheetRow>
}

/** Reads as far as the header; of a workbook the sheet of that name, else the first. Throws `SheetFault`. */
export async function openSheet(bytes: Buffer, wanted?: string | null): Promise<OpenSheet> {
  if (bytes.length === 0) throw new SheetFault('empty')
  if (bytes.length > MAX_FILE_BYTES) throw new SheetFault('too_large')
  const source = await sourceOf(bytes, wanted ?? undefined)
  const rows = bounded(source.rows)[Symbol.asyncIterator]()
  const header = await headerOf(rows)
  const rest: AsyncIterable<SheetRow> = { [Symbol.asyncIterator]: () => rows }
  return { ...source.kind, header, rows: rest }
}

type Source = {
  kind: Pick<OpenSheet, 'kind' | 'encoding' | 'separator' | 'sheets' | 'sheet'>
  rows: AsyncIterable<SheetRow>
}

const startsWith = (bytes: Buffer, ...start: number[]) => start.every((byte, place) => bytes[place] === byte)

async function sourceOf(bytes: Buffer, wanted: string | undefined): Promise<Source> {
  if (startsWith(bytes, 0x50, 0x4b)) return workbook(bytes, wanted)
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw new SheetFault('old_excel')
  const text = await readText(bytes)
  const sample = takeSample(text)
  if (/^\s*(?:<|[{[]\s*["{[\]}])/.test(sample)) throw new SheetFault('markup')
  const manner = readCsvManner(sample)
  const { encoding } = text
  return {
    kind: { kind: 'csv', encoding, separator: manner.separator },
    rows: csvRows(text.decode(), manner),
  }
}

/** As much of the beginning as tells what the text is. */
function takeSample({ decode }: EncodedText): string {
  let sample = ''
  for (const piece of decode()) {
    sample += piece
    if (sample.length >= SAMPLE_LENGTH) break
  }
  return sample
}

async function workbook(bytes: Buffer, wanted: string | undefined): Promise<Source> {
  const parts = await xlsxSheets(bytes)
  const chosen = parts.find(({ name }) => name === wanted) ?? parts[0]
  if (chosen === undefined) throw new SheetFault('broken')
  const kind = { kind: 'xlsx', sheets: parts.map(({ name }) => name), sheet: chosen.name } as const
  return { kind, rows: xlsxRows(bytes, chosen.path) }
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
