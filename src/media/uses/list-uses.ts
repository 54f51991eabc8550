/** Which passports refer to files, in any of their versions. */
import { byIdDescending, listAccountShards, readAllShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'

/** How many passports refer to each of these files; files without any are left out. */
export async function countUses(ctx: AccountContext, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  if (ids.length === 0) return counts
  for (const { sql, accountId } of listAccountShards(ctx)) {
    const rows = await sql<{ id: string; n: number }[]>`
      select encode(u.media_id, 'hex') as id, count(distinct u.passport_id)::int as n from media_use u
      where u.account_id = ${accountId} and u.media_id in (select decode(i, 'hex') from unnest(${[...ids]}::text[]) i)
      group by u.media_id`
    for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + n)
  }
  return counts
}

/** The UUID of the newest passport on this shard that refers to each of these files, if one does. */
export async function listNewestUses(
  { sql, accountId }: AccountContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; passport: string }[]>`
    select distinct on (u.media_id) encode(u.media_id, 'hex') as id, u.passport_id as passport from media_use u
    where u.account_id = ${accountId} and u.media_id in (select decode(i, 'hex') from unnest(${[...ids]}::text[]) i)
    order by u.media_id, u.passport_id desc`
  return new Map(rows.map(row => [row.id, row.passport]))
}

/** UUIDs of passports that refer to the file, newest first; at most `limit`. */
export async function listPassportsUsing(ctx: AccountContext, id: string, limit: number): Promise<string[]> {
  const rows = await readAllShards(ctx, byIdDescending, ({ sql, accountId }) => {
    return sql<{ id: string }[]>`
      select distinct u.passport_id as id from media_use u
      where u.account_id = ${accountId} and u.media_id = decode(${id}, 'hex') order by 1 desc limit ${limit}`
  })
  return rows.slice(0, limit).map(row => row.id)
}
