/** CSV as programs write it: with commas, semicolons or tabs, with Excel's `sep=` line, with or without quotes. */
import { CsvError, parse } from 'csv-parse'
import type { SheetRow } from './sheet-bounds.ts'
import { SheetFault } from './sheet-fault.ts'

const SEPARATORS = [',', ';', '\t', '|'] as const
export type CsvManner = { separator: (typeof SEPARATORS)[number]; begin: number; firstNo: number }

/** Security bound: a quotation mark that is never closed takes in no more than this. */
const LONGEST_RECORD = 4 * 1024 * 1024
const PIECE = 64 * 1024
const SAMPLE = 64 * 1024

/** What separates cells, by the line that says so, or by what stands between the names of the header. */
export function readCsvManner(text: string): CsvManner {
  const [line, named] = /^sep=(.)(?:\r\n|\n|\r)/i.exec(text) ?? []
  const told = SEPARATORS.find(one => one === named)
  if (line !== undefined && told !== undefined) return { separator: told, begin: line.length, firstNo: 2 }
  const header = headerLine(text.slice(0, SAMPLE)).replaceAll(/"(?:[^"]|"")*"/g, '')
  let best: CsvManner['separator'] = ','
  for (const one of SEPARATORS) if (header.split(one).length > header.split(best).length) best = one
  return { separator: best, begin: 0, firstNo: 1 }
}

const headerLine = (sample: string) =>
  sample.split(/\r\n|\n|\r/).find(line => line.trim() !== '' && !/^"?#/.test(line)) ?? ''

/** Throws `SheetFault`. The text is given to the parser in pieces, between which others have their turn. */
export async function* csvRows(text: string, manner: CsvManner): AsyncGenerator<SheetRow> {
  const parser = parse({
    delimiter: manner.separator,
    bom: false,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: LONGEST_RECORD,
  })
  const feed = async () => {
    for (let at = manner.begin; at < text.length && !parser.destroyed; at += PIECE) {
      if (!parser.write(text.slice(at, at + PIECE)))
        await new Promise(resolve => parser.once('drain', resolve))
    }
    parser.end()
  }
  parser.on('error', () => parser.emit('drain'))
  void feed()
  let no = manner.firstNo
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { no: no++, cells }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error
  } finally {
    parser.destroy()
    parser.emit('drain')
  }
}

const faultOf = ({ code }: CsvError) =>
  new SheetFault(code === 'CSV_MAX_RECORD_SIZE' ? 'too_long' : code.includes('QUOTE') ? 'quotes' : 'broken')
