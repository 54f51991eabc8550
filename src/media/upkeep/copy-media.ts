/** Each shard of an account knows its files, so that a reference is checked where its passport is. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getShard } from '../../kernel/db/shards.ts'

const PAGE_ROWS = 1_000

/** Copies the rows of ready files from the account's home: of one file, or of all with those withdrawn. */
export async function copyMedia(
  { sql, accountId }: AccountContext,
  shards: readonly number[],
  id?: string,
): Promise<void> {
  if (shards.length === 0) return
  if (id === undefined) await copyWithdrawals({ sql, accountId }, shards)
  for (let last = '', isLast = false; !isLast; ) {
    const rows = await sql<{ id: string; file: string }[]>`
      select encode(m.id, 'hex') as id, to_jsonb(m)::text as file from media m
      where m.account_id = ${accountId} and m.status = 'r' and m.id > decode(${last}, 'hex')
        ${id === undefined ? sql`` : sql`and m.id = decode(${id}, 'hex')`}
      order by m.id limit ${PAGE_ROWS}`
    last = rows.at(-1)?.id ?? last
    isLast = rows.length < PAGE_ROWS
    for (const shard of rows.length === 0 ? [] : shards) {
      await getShard(sql, shard)`
        insert into media
        select r.* from jsonb_populate_recordset(null::media, ${`[${rows.map(({ file }) => file)}]`}::text::jsonb) r
        on conflict do nothing`
    }
  }
}

/** Few, because a person decides about each. Only the home clears the store. */
async function copyWithdrawals(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  shards: readonly number[],
): Promise<void> {
  const rows = await sql<{ file: string }[]>`
    select (to_jsonb(w) || jsonb_build_object('cleared_at', w.withdrawn_at))::text as file from withdrawn_media w
    where w.account_id = ${accountId}`
  for (const shard of rows.length === 0 ? [] : shards) {
    await getShard(sql, shard)`
      insert into withdrawn_media
      select r.* from jsonb_populate_recordset(null::withdrawn_media, ${`[${rows.map(({ file }) => file)}]`}::text::jsonb) r
      on conflict do nothing`
  }
}
