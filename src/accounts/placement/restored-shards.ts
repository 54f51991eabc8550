/** Places the accounts of a restored database on its shards. */
import type { Sql } from '../../kernel/db/database.ts'

/** The accounts, those with most passports in the tables of `public` first. */
export const listAccountSizes = (sql: Sql) =>
  sql<{ id: number; passports: number }[]>`
    select a.id, coalesce(sum(u.used), 0)::bigint as passports
    from account a left join account_usage u on u.account_id = a.id group by a.id order by passports desc, a.id`

type SpreadPlace = { id: number; shards: number[]; model_shards: number[] }

/** The accounts that were spread, some of them over one shard only. */
export const listSpreadAccounts = (sql: Sql) =>
  sql<SpreadPlace[]>`select id, shards, model_shards from account where shards is not null order by id`

/** Rows of the shard `from` are on the shard `to`. No account has two shards that become one. */
export async function renameShards(
  sql: Sql,
  moves: readonly { from: number; to: number | null }[],
): Promise<void> {
  const rename = (shards: readonly number[]) => {
    const renamed = shards.flatMap(shard => moves.find(({ from }) => from === shard)?.to ?? [])
    return renamed.length === 0 ? null : renamed
  }
  const spread = (await listSpreadAccounts(sql)).map(({ id, shards, model_shards }) => {
    const renamed = rename(shards)
    return { id, shard: renamed?.[0] ?? null, shards: renamed, model_shards: renamed && rename(model_shards) }
  })
  await sql`
    update account a set shard = m."to"
    from jsonb_to_recordset(${JSON.stringify(moves)}::text::jsonb) as m("from" smallint, "to" smallint)
    where a.shard = m."from" and a.shards is null`
  if (spread.length === 0) return
  await sql`
    update account a set shard = m.shard, shards = m.shards, model_shards = m.model_shards
    from jsonb_to_recordset(${JSON.stringify(spread)}::text::jsonb)
      as m(id int, shard smallint, shards smallint[], model_shards smallint[])
    where a.id = m.id`
}

export async function setShard(sql: Sql, accounts: readonly number[], shard: number): Promise<void> {
  await sql`update account set shard = ${shard}::smallint where id = any(${[...accounts]}::int[])`
}

/** Accounts with rows in these tables of a shard, although they are on another one or do not exist. */
export async function listForeignAccounts(sql: Sql, shard: number | null): Promise<number[]> {
  const rows = await sql<{ account_id: number }[]>`
    select distinct u.account_id from account_usage u
    where not exists (
      select from account a where a.id = u.account_id
        and (a.shard is not distinct from ${shard}::smallint or ${shard}::smallint = any(a.shards)))`
  return rows.map(row => row.account_id)
}

/** An account on one shard may use its whole quota there. */
export async function dropQuotaParts(sql: Sql): Promise<void> {
  await sql`
    update account_usage u set part = null where u.part is not null
      and not exists (select from account a where a.id = u.account_id and a.shards is not null)`
}

export async function deleteForeignActors(sql: Sql): Promise<void> {
  await sql`delete from actor where account_id not in (select id from account)`
}
