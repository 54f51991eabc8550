/**
 * Exports models as a spreadsheet that can be edited and imported again. Reads them twice, because the header
 * comes first and depends on all data.
 */
import type { AccountContext } from '../../../accounts/account/context.ts'
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import { idFromUuid } from '../../../kernel/crypto/ids.ts'
import type { DataObject } from '../../../kernel/values/data-object.ts'
import { buildPictureUrl } from '../../../media/files/media-file.ts'
import { findFiles } from '../../../media/upkeep/list-media.ts'
import { locatePassports } from '../../../passports/core/passport-shard.ts'
import { type Addresses, passportUrl } from '../../../passports/core/record.ts'
import { effectiveData, readStatesInBatches } from '../../../passports/core/state.ts'
import { listPassportIds } from '../../../passports/read/list.ts'
import type { ListFilter } from '../../../passports/read/list-filter.ts'
import { isPicturesColumn, listColumns } from '../columns/columns.ts'
import { EXTRA_COLUMNS } from '../columns/mapping.ts'
import { buildRow, collectLayout } from '../columns/passport-to-row.ts'
import { listPictureIds } from '../columns/pictures.ts'
import type { Cell, CellRows } from '../files/cell.ts'
import { type CsvSeparator, writeCsv } from '../files/write-csv.ts'
import { writeXlsx } from '../files/write-xlsx.ts'
import type { SpreadsheetFormat } from './template.ts'

/** `title`: name of the sheet in an XLSX file. */
export type FileOptions = { format: SpreadsheetFormat; separator: CsvSeparator; title: string }

type ModelExportOptions = FileOptions & {
  category: CompleteCategory
  status: ListFilter['status']
  q: string | undefined
  addresses: Addresses
}

export const exportModels = (ctx: AccountContext, options: ModelExportOptions): AsyncGenerator<Buffer> =>
  writeSpreadsheet(readRows(ctx, options), options)

/** Yields rows as a file in chunks. */
export const writeSpreadsheet = (
  rows: CellRows,
  { format, separator, title }: FileOptions,
): AsyncGenerator<Buffer> =>
  format === 'xlsx' ? writeXlsx([{ name: title, rows }]) : writeCsv(rows, separator)

async function* readRows(ctx: AccountContext, options: ModelExportOptions): AsyncGenerator<Cell[]> {
  const collected = collectLayout(options.category)
  for await (const page of readPages(ctx, options)) for (const { data } of page) collected.add(data)
  const columns = listColumns(options.category, collected.layout())
  const [address] = EXTRA_COLUMNS
  yield [...columns.map(({ name }) => name), address]
  const isPicture = columns.some(isPicturesColumn)
  for await (const page of readPages(ctx, options)) {
    const find = isPicture ? await findPictureAddresses(ctx, page, options.addresses) : undefined
    for (const { uuid, data } of page)
      yield [...buildRow(data, columns, find), passportUrl(options.addresses, idFromUuid(uuid))]
  }
}

/** People can open an address, and an import takes the id from it. */
async function findPictureAddresses(
  ctx: AccountContext,
  page: readonly { data: DataObject }[],
  { publicUrl }: Addresses,
): Promise<(id: string) => string> {
  const files = await findFiles(ctx, [...new Set(page.flatMap(({ data }) => listPictureIds(data)))])
  return id => {
    const width = files.get(id)?.width
    return typeof width === 'number' ? buildPictureUrl(publicUrl, { id, width }) : id
  }
}

const PAGE_ROWS = 100

/** Newest first, like the product list. */
async function* readPages(ctx: AccountContext, { category, status, q }: ModelExportOptions) {
  const filter: ListFilter = { levels: ['m'], category: category.id, status, q }
  let after: string | undefined
  for (;;) {
    const window = after === undefined ? { limit: PAGE_ROWS, page: 1 } : { limit: PAGE_ROWS, after }
    const ids = await listPassportIds(ctx, filter, window)
    for (const [at, some] of await groupByShard(ctx, ids)) {
      for await (const states of readStatesInBatches(at, some)) {
        yield states.map(state => ({ uuid: state.row.id, data: effectiveData(state) }))
      }
    }
    after = ids.at(-1)
    if (after === undefined || ids.length < PAGE_ROWS) return
  }
}

/** Neighbours on one shard together, so that the order stays. */
async function groupByShard(
  ctx: AccountContext,
  ids: readonly string[],
): Promise<[AccountContext, string[]][]> {
  if (ctx.spread === undefined) return [[ctx, [...ids]]]
  const places = await locatePassports(ctx, ids)
  const groups: [AccountContext, string[]][] = []
  for (const id of ids) {
    const at = places.find(place => place.ids.has(id))?.at ?? ctx
    const last = groups.at(-1)
    if (last?.[0] === at) last[1].push(id)
    else groups.push([at, [id]])
  }
  return groups
}
