/** How much all accounts have stored, for the operator. */
import type { Sql } from '../../kernel/db/database.ts'
import { listShards } from '../../kernel/db/shards.ts'

/** `bytes`: as they were sent. `waiting`: files that are still fetched from an address. */
export type MediaTotals = { files: number; bytes: number; waiting: number }

export async function countMedia(sql: Sql): Promise<MediaTotals> {
  const totals: MediaTotals = { files: 0, bytes: 0, waiting: 0 }
  for (const shard of listShards(sql)) {
    const [stored] = await shard<Omit<MediaTotals, 'waiting'>[]>`
      select coalesce(sum(files), 0)::bigint as files, coalesce(sum(bytes), 0)::bigint as bytes from media_usage`
    const [fetched] = await shard<{ waiting: number }[]>`
      select count(*)::bigint as waiting from media_fetch where status = 'f'`
    totals.files += stored?.files ?? 0
    totals.bytes += stored?.bytes ?? 0
    totals.waiting += fetched?.waiting ?? 0
  }
  return totals
}
