/** Writes CSV for Excel: UTF-8 with a byte order mark, CRLF (RFC 4180), commas or semicolons. */
import type { Cell, CellRows } from './cell.ts'

const BYTE_ORDER_MARK = '\ufeff'
const CHUNK_LENGTH = 64 * 1024

export type CsvSeparator = ',' | ';'

/** With semicolons, numbers have a decimal comma: Excel's locales use both together. */
export function formatCsvLine(cells: readonly Cell[], separator: CsvSeparator = ','): string {
  const texts = cells.map(cell => {
    if (cell === null) return ''
    const text = typeof cell === 'number' && separator === ';' ? String(cell).replace('.', ',') : String(cell)
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${texts.join(separator)}\r\n`
}

export async function* writeCsv(rows: CellRows, separator: CsvSeparator): AsyncGenerator<Buffer> {
  let text = BYTE_ORDER_MARK
  for await (const cells of rows) {
    text += formatCsvLine(cells, separator)
    if (text.length < CHUNK_LENGTH) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
