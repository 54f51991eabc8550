/**
 * Counts the units of each content, for the reach of a correction, and passports, for the totals of lists.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** Body of a CTE. `deltas` selects (account_id, content_id, n); n is negative for units that left. */
export const addUnitCounts = (sql: Sql, deltas: Fragment): Fragment => sql`
  insert into content_units (account_id, content_id, n) ${deltas}
  on conflict (account_id, content_id) do update set n = content_units.n + excluded.n`

/** Body of a CTE. `deltas` selects (account_id, level, status, category, n). */
export const addPassportCounts = (sql: Sql, deltas: Fragment): Fragment => sql`
  insert into passport_count (account_id, level, status, category, n) ${deltas}
  on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n`

export async function countUnitsWithContents(sql: Sql, accountId: number, ids: Fragment): Promise<number> {
  const [found] = await sql<{ n: number }[]>`
    select coalesce(sum(n), 0)::bigint as n from content_units
    where account_id = ${accountId} and content_id = any(array(${ids}))`
  return found?.n ?? 0
}
