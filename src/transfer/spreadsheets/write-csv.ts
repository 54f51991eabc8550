/** Rows as CSV that Excel opens as it is: UTF-8 with its mark, CRLF (RFC 4180), a comma or a semicolon between cells. */
import type { Cell } from './cell.ts'

export const BYTE_ORDER_MARK = '\ufeff'
export type CsvSeparator = ',' | ';'

/** With semicolons numbers have a decimal comma, as where Excel expects both. */
export function formatCsvLine(cells: readonly Cell[], separator: CsvSeparator = ','): string {
  const texts = cells.map(cell => {
    if (cell === null) return ''
    const text = typeof cell === 'number' && separator === ';' ? String(cell).replace('.', ',') : String(cell)
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${texts.join(separator)}\r\n`
}
