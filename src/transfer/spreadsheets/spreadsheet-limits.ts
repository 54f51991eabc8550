/** How large a sheet may be, and what a row of one is. Security bounds: whoever sends one chooses its size. */
import type { Cell } from './cell.ts'

export const MAX_SPREADSHEET_BYTES = 25 * 1024 * 1024
export const MAX_ROWS = 100_000
export const MAX_COLUMNS = 1_000
/** As many as a sheet of Excel has, empty ones included: a file of 600 kB can hold 60,000,000 empty rows. */
export const MAX_RAW_ROWS = 1_048_576
export const MAX_RAW_COLUMNS = 16_384
/** Excel's own bound; the longest field has 10,000 characters. */
export const MAX_CELL_LENGTH = 32_767

/** `no` as spreadsheet programs number rows; empty cells at the end are left out, empty rows too. */
export type SheetRow = { no: number; cells: Cell[] }
