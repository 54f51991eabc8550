/** How much stands below a passport, at whatever depth: lists know their own level alone. */
import type { AccountContext } from '../accounts/context.ts'
import type { Level } from './list.ts'

export type Below = { batches: number; items: number }

/** Batches and items below a model, items below a batch; each counted up to one more than `most`. */
export async function countBelow(
  { sql, accountId }: AccountContext,
  { id, level }: { id: string; level: Level },
  most: number,
): Promise<Below> {
  if (level === 'i') return { batches: 0, items: 0 }
  const isModel = level === 'm'
  const items = isModel
    ? sql`select 1 from passport p where p.account_id = ${accountId} and p.model_id = ${id} and p.serial is not null`
    : sql`select 1 from passport p where p.account_id = ${accountId} and p.parent_id = ${id} and p.level = 'i'`
  const batches = sql`
    select 1 from passport p where p.account_id = ${accountId} and p.parent_id = ${id} and p.level = 'b'`
  const [row] = await sql<Below[]>`
    select (select count(*) from (${items} limit ${most + 1}) i)::int as items,
      ${isModel ? sql`(select count(*) from (${batches} limit ${most + 1}) b)::int` : sql`0`} as batches`
  return row ?? { batches: 0, items: 0 }
}
