/**
 * Models as a sheet that can be changed and brought back: read a page at a time and sent as it is read, however many
 * there are. They are read twice, because the header comes first and only the data say how many columns it has.
 */
import type { AccountContext } from '../../accounts/context.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { type Addresses, passportUrl } from '../../passports/core/record.ts'
import { effectiveData, readStatesInBatches } from '../../passports/core/state.ts'
import { type ListFilter, listPassports } from '../../passports/read/list.ts'
import type { Cell } from './cell.ts'
import { listColumns } from './columns.ts'
import { EXTRA_COLUMNS } from './mapping.ts'
import { buildRow, LayoutCollector } from './passport-to-row.ts'
import type { SpreadsheetFormat } from './template.ts'
import { BYTE_ORDER_MARK, type CsvSeparator, formatCsvLine } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

export type ModelExportOptions = {
  category: CompleteCategory
  status: ListFilter['status']
  q: string | undefined
  format: SpreadsheetFormat
  separator: CsvSeparator
  addresses: Addresses
  /** What the sheet is called inside an XLSX file. */
  title: string
}

/** The pieces of the file. */
export function exportModels(ctx: AccountContext, wish: ModelExportOptions): AsyncGenerator<Buffer> {
  const rows = sheetRows(ctx, wish)
  return wish.format === 'xlsx' ? writeXlsx([{ name: wish.title, rows }]) : writeCsv(rows, wish.separator)
}

const PIECE = 64 * 1024

/** Rows as a CSV file, in pieces. */
export async function* writeCsv(
  rows: AsyncIterable<readonly Cell[]>,
  separator: CsvSeparator,
): AsyncGenerator<Buffer> {
  let text = BYTE_ORDER_MARK
  for await (const cells of rows) {
    text += formatCsvLine(cells, separator)
    if (text.length < PIECE) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

async function* sheetRows(ctx: AccountContext, wish: ModelExportOptions): AsyncGenerator<Cell[]> {
  const breadth = new LayoutCollector(wish.category)
  for await (const { data } of models(ctx, wish)) breadth.add(data)
  const columns = listColumns(wish.category, breadth.layout)
  const [address] = EXTRA_COLUMNS
  yield [...columns.map(({ name }) => name), address]
  for await (const { uuid, data } of models(ctx, wish)) {
    yield [...buildRow(data, columns), passportUrl(wish.addresses, idFromUuid(uuid))]
  }
}

const A_PAGE = 100

/** Newest first, as the list of products is. */
async function* models(ctx: AccountContext, { category, status, q }: ModelExportOptions) {
  const filter: ListFilter = { levels: ['m'], category: category.id, status, q }
  let after: string | undefined
  for (;;) {
    const window = after === undefined ? { limit: A_PAGE, page: 1 } : { limit: A_PAGE, after }
    const { rows } = await listPassports(ctx, filter, window)
    const ids = rows.map(row => row.id)
    for await (const states of readStatesInBatches(ctx, ids)) {
      for (const state of states) yield { uuid: state.row.id, data: effectiveData(state) }
    }
    after = rows.at(-1)?.id
    if (after === undefined || rows.length < A_PAGE) return
  }
}
