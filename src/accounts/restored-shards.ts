/** Places the accounts of a restored database on its shards. */
import type { Sql } from '../kernel/db/database.ts'

/** The accounts, those with most passports in the tables of `public` first. */
export const listAccountSizes = (sql: Sql) =>
  sql<{ id: number; passports: number }[]>`
    select a.id, coalesce(sum(u.used), 0)::bigint as passports
    from account a left join account_usage u on u.account_id = a.id group by a.id order by passports desc, a.id`

/** What was on the shard `from` is on the shard `to`. */
export async function renameShards(
  sql: Sql,
  moves: readonly { from: number; to: number | null }[],
): Promise<void> {
  await sql`
    update account a set shard = m."to"
    from jsonb_to_recordset(${JSON.stringify(moves)}::text::jsonb) as m("from" smallint, "to" smallint)
    where a.shard = m."from"`
}

export async function setShard(sql: Sql, accounts: readonly number[], shard: number): Promise<void> {
  await sql`update account set shard = ${shard}::smallint where id = any(${[...accounts]}::int[])`
}

/** Accounts with rows in these tables of a shard, although they are on another one or do not exist. */
export async function listForeignAccounts(sql: Sql, shard: number | null): Promise<number[]> {
  const rows = await sql<{ account_id: number }[]>`
    select distinct u.account_id from account_usage u
    where not exists (
      select from account a where a.id = u.account_id and a.shard is not distinct from ${shard}::smallint)`
  return rows.map(row => row.account_id)
}

export async function deleteForeignActors(sql: Sql): Promise<void> {
  await sql`delete from actor where account_id not in (select id from account)`
}
