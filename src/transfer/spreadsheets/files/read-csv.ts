/** Reads CSV with commas, semicolons, tabs or pipes, with or without quotes and Excel's `sep=` line. */
import { once } from 'node:events'
import { CsvError, parse } from 'csv-parse'
import { yieldBetweenRows } from '../../../kernel/concurrency/yield-to-event-loop.ts'
import { MAX_RAW_COLUMNS, MAX_RAW_ROWS, type SheetRow, SpreadsheetError } from './spreadsheet-error.ts'

const SEPARATORS = [',', ';', '\t', '|'] as const
export type CsvDialect = { separator: (typeof SEPARATORS)[number]; start: number; firstRowNumber: number }

/** Security bound: an unclosed quotation mark reads no further than this. */
const MAX_RECORD_LENGTH = 4 * 1024 * 1024

/** Detects the separator from the `sep=` line or the header. `sample` is the beginning of the text. */
export function detectCsvDialect(sample: string): CsvDialect {
  const [line, named] = /^sep=(.)(?:\r\n|\n|\r)/i.exec(sample) ?? []
  const declared = SEPARATORS.find(one => one === named)
  if (line !== undefined && declared !== undefined)
    return { separator: declared, start: line.length, firstRowNumber: 2 }
  return { separator: findSeparator(sample), start: 0, firstRowNumber: 1 }
}

/** The header may stand below a title, so a separator counts only if the next line has it too. */
function findSeparator(sample: string): CsvDialect['separator'] {
  const lines = listFirstLines(sample)
  const found = lines.map(findMostFrequent)
  const isRepeated = (n: number, one: CsvDialect['separator']) => lines[n + 1]?.includes(one) === true
  return found.find((one, n) => one !== undefined && isRepeated(n, one)) ?? found[0] ?? ','
}

function findMostFrequent(line: string): CsvDialect['separator'] | undefined {
  const count = (one: string) => line.split(one).length - 1
  const [best] = SEPARATORS.toSorted((a, b) => count(b) - count(a))
  return best !== undefined && count(best) > 0 ? best : undefined
}

const MAX_LINES = 20

/** Without quoted cells, which may have line breaks, and without empty lines and comments. */
const listFirstLines = (sample: string): string[] =>
  sample
    .replaceAll(/(^|[\n\r,;\t|])"(?!#)(?:[^"]|"")*"/g, '$1')
    .split(/\r\n|\n|\r/)
    .filter(line => line.trim() !== '' && !/^"?#/.test(line))
    .slice(0, MAX_LINES)

/** The parser's unfinished record. Its types lack it; `test/transfer/read-spreadsheet.test.ts` checks it. */
type Parsing = { state: { record: readonly unknown[] } }

/**
 * Throws `SpreadsheetError`. `max_record_size` counts characters, and empty cells have none, so the cells of
 * an unfinished record are counted after each piece.
 */
export async function* readCsvRows(pieces: Iterable<string>, dialect: CsvDialect): AsyncGenerator<SheetRow> {
  let records: string[][] = []
  const parser = parse({
    delimiter: dialect.separator,
    bom: false,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: MAX_RECORD_LENGTH,
    // The queue of a stream would cost more than the parsing.
    on_record: (record: string[]) => {
      records.push(record)
      return null
    },
  })
  parser.on('error', () => undefined)
  const { state } = parser as unknown as Parsing
  // Otherwise the parser creates an unused error for each row of a different length: 10 µs.
  Object.defineProperty(state, 'expectedRecordLength', {
    get: () => state.record.length,
    set: () => undefined,
  })
  const pauseIfDue = yieldBetweenRows()
  const lastNo = dialect.firstRowNumber + MAX_RAW_ROWS
  let no = dialect.firstRowNumber
  let isFirst = true
  const takeRecords = function* () {
    if (state.record.length > MAX_RAW_COLUMNS) throw new SpreadsheetError('too_many_columns')
    for (const cells of records) {
      if (cells.length > MAX_RAW_COLUMNS) throw new SpreadsheetError('too_many_columns')
      if (no >= lastNo) throw new SpreadsheetError('too_many_rows')
      yield { no: no++, cells }
    }
    records = []
    if (parser.errored) throw parser.errored
  }
  try {
    for (const piece of pieces) {
      parser.write(isFirst ? piece.slice(dialect.start) : piece)
      isFirst = false
      yield* takeRecords()
      await pauseIfDue()
    }
    const isFinished = once(parser, 'finish')
    parser.end()
    await isFinished
    yield* takeRecords()
  } catch (error) {
    throw error instanceof CsvError ? toSpreadsheetError(error) : error
  } finally {
    parser.destroy()
  }
}

const toSpreadsheetError = ({ code }: CsvError) =>
  new SpreadsheetError(
    code === 'CSV_MAX_RECORD_SIZE' ? 'too_long' : code.includes('QUOTE') ? 'quotes' : 'broken',
  )
