/**
 * Limits of uploaded spreadsheets, and their errors. They protect the server: the uploader chooses the size.
 */
import { AppError } from '../../../kernel/errors/errors.ts'
import type { Cell } from './cell.ts'

/** In English; other languages use `reason`. */
const MESSAGES = {
  empty: 'The file is empty. Choose the spreadsheet that contains your products.',
  no_rows: 'The spreadsheet has a header but no rows below it.',
  no_header: 'No header row was found: one row must name the columns.',
  too_large: 'The file is larger than 25 MB. Split it, or save it as XLSX, which is smaller.',
  too_much:
    'When unpacked, the file is larger than a spreadsheet of 100,000 rows can be. Split it, and save it without pictures.',
  too_many_rows: 'The spreadsheet has more than 100,000 rows. Split it into several files.',
  too_many_columns:
    'The spreadsheet has more than 1,000 columns. Keep only the columns that describe your products, and try again.',
  too_long:
    'A cell or a row of the spreadsheet is longer than any field may be. Is a quotation mark missing?',
  broken:
    'The file is damaged, or is not a spreadsheet. Open it in your spreadsheet program and save it again.',
  quotes:
    'A quotation mark is opened and not closed, or is in the middle of a cell. Save the file again as CSV.',
  old_excel:
    'This is the old format of Excel (XLS), or one with a password. Save it as XLSX without a password.',
  other_zip:
    'This archive is not an XLSX spreadsheet. In your spreadsheet program choose XLSX or CSV when you save.',
  not_text:
    'This is neither an XLSX file nor a text file. In your spreadsheet program choose XLSX or CSV when you save.',
  encoding: 'The file begins as one encoding and continues in another. Save it as “CSV UTF-8”.',
  markup: 'This is a web page or a data file (HTML, XML or JSON), not a spreadsheet. Save it as XLSX or CSV.',
} as const

export type SpreadsheetErrorReason = keyof typeof MESSAGES

export class SpreadsheetError extends AppError {
  readonly reason: SpreadsheetErrorReason
  constructor(fault: SpreadsheetErrorReason) {
    super(fault === 'too_large' ? 'payload_too_large' : 'validation', MESSAGES[fault])
    this.reason = fault
  }
}

export const MAX_SPREADSHEET_BYTES = 25 * 1024 * 1024
export const MAX_ROWS = 100_000
export const MAX_COLUMNS = 1_000
/** Excel's limit, including empty rows: a file of 600 kB can have 60,000,000 empty rows. */
export const MAX_RAW_ROWS = 1_048_576
export const MAX_RAW_COLUMNS = 16_384
/** Excel's limit; the longest field has 10,000 characters. */
export const MAX_CELL_LENGTH = 32_767

/** `no`: the row's number in spreadsheet programs. Empty rows and trailing empty cells are left out. */
export type SheetRow = { no: number; cells: Cell[] }
