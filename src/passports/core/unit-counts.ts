/** Counts the units of contents, for the reach of a correction. Functions that write units add to them. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

export async function countUnitsWithContents(sql: Sql, accountId: number, ids: Fragment): Promise<number> {
  const [found] = await sql<{ n: number }[]>`
    select coalesce(sum(n), 0)::bigint as n from content_units
    where account_id = ${accountId} and content_id = any(array(${ids}))`
  return found?.n ?? 0
}
