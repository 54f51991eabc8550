/** Remembers the fields that an account's people chose for column titles. */
import type { AccountContext } from '../../../accounts/account/context.ts'

/** The name from `buildMappingName` for each column, or null if it is left out. */
export type ColumnMapping = readonly (string | null)[]

/** Columns of our own files that are not fields. */
export const EXTRA_COLUMNS = ['passport_url', 'what_is_wrong', 'repeats_product'] as const

/** True if this is one of our exports: its titles are paths, and numbers are in the fields' own units. */
export function isOwnExport(header: readonly string[]): boolean {
  const [address, faults] = EXTRA_COLUMNS
  const titles = header.map(title => title.trim())
  // An error file has the titles of the uploaded spreadsheet instead.
  return titles.includes(address) && !titles.includes(faults)
}

/** In an error file, the SKU or GTIN of a duplicate row, which is rejected again while it has this key. */
export const DUPLICATE_COLUMN = EXTRA_COLUMNS[2]

/** The key under which a title is remembered. */
export const normalizeTitle = (title: string): string =>
  title.normalize('NFKC').trim().toLowerCase().slice(0, 200)

type Remembered = {
  /** The choices by title. */
  columns: ReadonlyMap<string, string | null>
  sheet: string | null
  constants: Readonly<Record<string, string>>
}

/** The last choices for the category. */
export async function loadRemembered(
  { sql, accountId }: AccountContext,
  category: string,
): Promise<Remembered> {
  const [row] = await sql<(Omit<Remembered, 'columns'> & { columns: Record<string, string | null> })[]>`
    select columns, sheet, constants from sheet_mapping
    where account_id = ${accountId} and category = ${category}`
  return {
    columns: new Map(Object.entries(row?.columns ?? {})),
    sheet: row?.sheet ?? null,
    constants: row?.constants ?? {},
  }
}

const MAX_REMEMBERED_TITLES = 2_000

type MappedSheet = {
  category: string
  header: readonly string[]
  sheet: string | null
  traits: { filled?: readonly number[] | undefined }
}

/** Saves the choices and keeps those for other titles. `sheet`: the chosen sheet, if there was a choice. */
export async function saveMapping(
  ctx: AccountContext,
  { category, header, sheet, traits }: MappedSheet,
  mapping: ColumnMapping,
): Promise<void> {
  const known = new Map((await loadRemembered(ctx, category)).columns)
  for (const [place, title] of header.entries()) {
    const key = normalizeTitle(title)
    const isEmpty = traits.filled?.includes(place) === false
    // A column without values may have some in the next spreadsheet.
    if (key === '' || (isEmpty && (mapping[place] ?? null) === null)) continue
    known.delete(key)
    known.set(key, mapping[place] ?? null)
  }
  const columns = JSON.stringify(Object.fromEntries([...known].slice(-MAX_REMEMBERED_TITLES)))
  await ctx.sql`
    insert into sheet_mapping as m (account_id, category, columns, sheet)
    values (${ctx.accountId}, ${category}, ${columns}::text::json, ${sheet})
    on conflict (account_id, category) do update set columns = excluded.columns, sheet = coalesce(excluded.sheet, m.sheet)`
}
