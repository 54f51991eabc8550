/** What people of an account chose for the columns of earlier sheets. */
import type { AccountContext } from '../../accounts/context.ts'

/** For each column of the sheet its `mappingName`, or null for one that is left out. */
export type ColumnMapping = readonly (string | null)[]

/** Columns that our own files have and that are no field. */
export const EXTRA_COLUMNS = ['passport_url', 'what_is_wrong', 'repeats_product'] as const

/** Whether a sheet is one of our exports: its titles are paths of fields, and its numbers are in the fields' own units. */
export function isOwnExport(header: readonly string[]): boolean {
  const [address, faults] = EXTRA_COLUMNS
  const titles = header.map(title => title.trim())
  // The titles of a file of errors are those of the sheet it came from.
  return titles.includes(address) && !titles.includes(faults)
}

/**
 * In a file of errors the SKU or GTIN of a row that repeated another one: while it stands there and is the row's own, the
 * row stays refused, because the other one has been imported since.
 */
export const DUPLICATE_COLUMN = EXTRA_COLUMNS[2]

/** How a title is remembered. */
export const normalizeTitle = (title: string): string =>
  title.normalize('NFKC').trim().toLowerCase().slice(0, 200)

/** What people of this account chose for the titles of earlier sheets. */
export async function loadMapping(
  { sql, accountId }: AccountContext,
  category: string,
): Promise<ReadonlyMap<string, string | null>> {
  const [row] = await sql<{ columns: string }[]>`
    select columns::text from sheet_mapping where account_id = ${accountId} and category = ${category}`
  return new Map(Object.entries(JSON.parse(row?.columns ?? '{}') as Record<string, string | null>))
}

/** Which sheet of their workbooks they last chose. */
export async function loadSheetName(
  { sql, accountId }: AccountContext,
  category: string,
): Promise<string | null> {
  const [row] = await sql<{ sheet: string | null }[]>`
    select sheet from sheet_mapping where account_id = ${accountId} and category = ${category}`
  return row?.sheet ?? null
}

/** Titles remembered for a category; the oldest are forgotten beyond this. */
const MAX_REMEMBERED_TITLES = 2_000

/** Keeps what was chosen; titles that this sheet does not have stay as they were. `sheet` where there was a choice. */
export async function saveMapping(
  ctx: AccountContext,
  { category, header, sheet }: { category: string; header: readonly string[]; sheet: string | null },
  mapping: ColumnMapping,
): Promise<void> {
  const known = new Map(await loadMapping(ctx, category))
  for (const [place, title] of header.entries()) {
    const key = normalizeTitle(title)
    if (key === '') continue
    known.delete(key)
    known.set(key, mapping[place] ?? null)
  }
  const columns = JSON.stringify(Object.fromEntries([...known].slice(-MAX_REMEMBERED_TITLES)))
  await ctx.sql`
    insert into sheet_mapping as m (account_id, category, columns, sheet)
    values (${ctx.accountId}, ${category}, ${columns}::text::json, ${sheet})
    on conflict (account_id, category) do update set columns = excluded.columns, sheet = coalesce(excluded.sheet, m.sheet)`
}
