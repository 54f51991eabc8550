/** Limits of an uploaded spreadsheet: security bounds, because the uploader chooses the size. */
import type { Cell } from './cell.ts'

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
