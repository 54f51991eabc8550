/** Look-ups of passports: small ones that are requested at once share a statement, large ones do not. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { dropFreeFormKeys, mergeOwn } from '../core/columns.ts'
import type { PassportRow } from '../core/record.ts'

/** `data` is null if it is large and was not read. */
export type Loaded<R extends PassportRow> = Omit<R, 'data'> & { data: string | null }

export type Load<K, R extends PassportRow> = (keys: readonly K[]) => Promise<(Loaded<R> | undefined)[]>

/**
 * Small rows share statements, with about 4 MB in flight. Large data, which `loadSmall` leaves null, is read
 * afterwards, two rows at a time, each with its own statement.
 */
export function createLookUp<K, R extends PassportRow>(
  loadSmall: Load<K, R>,
  loadLarge: Load<K, R>,
  options: { maxInFlight?: number } = {},
): (key: K) => Promise<R | undefined> {
  const findSmall = createBatchLoader(loadSmall, options)
  const findLarge = createBatchLoader(loadLarge, { maxBatch: 1 })
  return async key => {
    const row = await findSmall(key)
    return (row?.data === null ? await findLarge(key) : row) as R | undefined
  }
}

export const MAX_SMALL_BYTES = 32_768
/** Compressed size, known without reading the data. The text may be ninety times as long. */
export const MAX_SMALL_STORED_BYTES = 8_192

/** All data of content `c` with the `own` data of a unit, or null if it is large. */
export const selectSmallData = (sql: Sql, own: Fragment = sql`p.own`): Fragment => sql`
  case when pg_column_size(c.data) + coalesce(pg_column_size(${own}), 0) <= ${MAX_SMALL_STORED_BYTES} then (
    select whole.text from (select ${mergeOwn(sql, own)}::text as text offset 0) whole
    where octet_length(whole.text) <= ${MAX_SMALL_BYTES}) end`

export const selectAllData = (sql: Sql, own: Fragment = sql`p.own`): Fragment =>
  sql`${mergeOwn(sql, own)}::text`

/** Without free-form keys. */
export const selectDisclosableData = (sql: Sql, own: Fragment = sql`p.own`): Fragment =>
  dropFreeFormKeys(sql, mergeOwn(sql, own))
