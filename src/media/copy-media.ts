/** Each shard of an account knows its files, so that a reference is checked where its passport is. */
import type { AccountContext } from '../accounts/context.ts'
import { getShard } from '../kernel/db/shards.ts'

const PAGE_ROWS = 1_000

/** Copies the rows of ready files from the account's home: of one file, or of all. */
export async function copyMedia(
  { sql, accountId }: AccountContext,
  shards: readonly number[],
  id?: string,
): Promise<void> {
  if (shards.length === 0) return
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
