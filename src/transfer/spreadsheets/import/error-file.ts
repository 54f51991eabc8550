/** Writes the rejected rows as uploaded, with their errors, to be corrected and uploaded again. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { EXTRA_COLUMNS } from '../columns/mapping.ts'
import { isDuplicateError, type RowError } from '../columns/row-errors.ts'
import { parseRow } from '../columns/row-to-passport.ts'
import { type FileOptions, writeSpreadsheet } from '../export/export-models.ts'
import { type Cell, escapeFormula } from '../files/cell.ts'
import { formatColumnLetters } from '../files/write-xlsx.ts'
import { readResults } from './import-results.ts'
import { buildRowOptions, type SpreadsheetImport } from './spreadsheet-import.ts'
import { findMatchKey } from './write-rows.ts'

/** "F": the column's name in spreadsheet programs. */
export const getColumnLetters = ({ column }: RowError): string =>
  column === null ? '' : formatColumnLetters(column)

type ErrorFileOptions = FileOptions & {
  /** The label of a field without a column. */
  name: (fault: RowError) => string
  sentence: (fault: RowError) => string
}

export function writeErrorFile(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  options: ErrorFileOptions,
): AsyncGenerator<Buffer> {
  return writeSpreadsheet(errorRows(ctx, sheet, options), options)
}

async function* errorRows(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  { name, sentence }: ErrorFileOptions,
): AsyncGenerator<Cell[]> {
  const { id, header, settings } = sheet
  const [, errorsTitle, duplicateTitle] = EXTRA_COLUMNS
  const places = [...header.keys()].filter(
    place => header[place] !== errorsTitle && header[place] !== duplicateTitle,
  )
  const reading = buildRowOptions(sheet)
  const hasDuplicates = await hasDuplicateErrors(ctx, id)
  const heads = places.map(place => escapeCell(header[place] ?? ''))
  yield [...heads, errorsTitle, ...(hasDuplicates ? [duplicateTitle] : [])]
  for await (const { no, cells, result: faults } of readResults<RowError[]>(ctx, id, 'faults')) {
    const sentences = faults.map(fault => {
      const title = header[fault.column ?? -1] ?? name(fault)
      const where = [getColumnLetters(fault), title].filter(part => part !== '').join(' ')
      return where === '' ? sentence(fault) : `${where}: ${sentence(fault)}`
    })
    const isDuplicate = faults.some(isDuplicateError)
    const key = isDuplicate ? (findMatchKey(parseRow(cells, reading), settings.matchBy) ?? null) : null
    yield [
      ...places.map(place => escapeCell(cells[place] ?? null)),
      escapeFormula(`(${no}) ${sentences.join(' | ')}`),
      ...(hasDuplicates ? [key === null ? null : escapeFormula(key)] : []),
    ]
  }
}

async function hasDuplicateErrors({ sql, accountId }: AccountContext, uuid: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from sheet_chunk where account_id = ${accountId} and import_id = ${uuid}
        and faults ~ '"(twice|repeated|row_twice)"'
    ) as found`
  return row?.found === true
}

/** Escapes formulas, but not a text that already has our apostrophe. */
const escapeCell = (cell: Cell): Cell =>
  typeof cell === 'string' && /^[=+\-@\t\r＝＋－＠]/.test(cell) ? escapeFormula(cell) : cell
