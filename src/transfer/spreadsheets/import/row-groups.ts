/** Finds rows about the same product: repeated keys, and variants of a product above them. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { normalizeName } from '../../../categories/names/name-lookup.ts'
import { MATCH_BY } from '../../../passports/sync/parse-row.ts'
import { listCellDamages } from '../columns/cell-damage.ts'
import { GROUP_TITLES } from '../columns/guess-mapping.ts'
import { DUPLICATE_COLUMN } from '../columns/mapping.ts'
import { type ParsedRow, parseRow, type RowOptions } from '../columns/row-to-passport.ts'
import { type Cell, isEmptyCell, parseCellText } from '../files/cell.ts'
import { type ChunkRow, getChunkRows, type SpreadsheetImport } from './spreadsheet-import.ts'
import { findMatchKey } from './write-rows.ts'

export type RowGroups = {
  /** For each key of several rows, the number of its first row. */
  firsts: ReadonlyMap<string, number>
  /** For the number of a variant's row, that of the product's row. */
  variants: ReadonlyMap<number, number>
}

export async function findRowGroups(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  reading: RowOptions,
): Promise<RowGroups> {
  const { matchBy } = sheet.settings
  const seen = new Map<string, number>()
  const firsts = new Map<string, number>()
  const collected = collectVariants(sheet.header, reading)
  const key = { ...reading, columns: reading.columns.map(one => (one?.name === matchBy ? one : undefined)) }
  for (let no = 0; no < sheet.chunkCount; no++) {
    for (const [rowNo, cells] of await getChunkRows(ctx, sheet.id, no)) {
      collected.add(rowNo, cells)
      if (listCellDamages(cells, reading.columns).length > 0) continue
      const data = parseRow(cells, key)
      const own = findMatchKey(data, matchBy)
      if (own === undefined || isMarkedDuplicate(sheet.header, cells, data)) continue
      const first = seen.get(own)
      if (first === undefined) seen.set(own, rowNo)
      else firsts.set(own, first)
    }
  }
  return { firsts, variants: collected.variants }
}

/** Shops write a product's name only in its first row. Rows of its variants and pictures have its handle. */
function collectVariants(header: readonly string[], { columns }: RowOptions) {
  const group = header.findIndex(title => GROUP_TITLES.has(normalizeName(title)))
  const name = columns.findIndex(column => column?.path[0] === 'productName')
  const products = new Map<string, number>()
  const variants = new Map<number, number>()
  return {
    variants,
    add(rowNo: number, cells: readonly Cell[]): void {
      if (group < 0 || name < 0 || isEmptyCell(cells[group])) return
      const key = parseCellText(String(cells[group]))
      const product = products.get(key)
      if (!isEmptyCell(cells[name])) products.set(key, product ?? rowNo)
      else if (product !== undefined) variants.set(rowNo, product)
    },
  }
}

/** True if an error file marks a row as a duplicate that still has that SKU or GTIN. */
export function isMarkedDuplicate(header: readonly string[], cells: ChunkRow[1], row: ParsedRow): boolean {
  const mark = cells[header.indexOf(DUPLICATE_COLUMN)]
  if (isEmptyCell(mark)) return false
  const text = parseCellText(String(mark))
  return MATCH_BY.some(by => {
    const key = findMatchKey(row, by)
    return key !== undefined && key === findMatchKey({ ...row, data: { [by]: text } }, by)
  })
}
