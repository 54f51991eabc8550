/** The rows of files in a database that is backed up or restored. */
import { isStoryPicture } from '../../accounts/brand/story.ts'
import type { Sql } from '../../kernel/db/database.ts'

/** Older databases have none. */
export async function hasMediaTable(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass('media') is not null as exists`
  return row?.exists === true
}

/**
 * In the current schema. The clean-up then deletes their rows, and what they count against quotas. A file
 * that a version or a block “From the brand” refers to stays, so that `doctor --verify` names it.
 */
export async function discardMedia(
  sql: Sql,
  files: readonly { account: number; id: string }[],
): Promise<void> {
  if (files.length === 0) return
  await sql`
    update media m set status = 'd' where (m.account_id, m.id) in (
      select f.account_id, decode(f.id, 'hex')
      from unnest(${files.map(one => one.account)}::int[], ${files.map(one => one.id)}::text[]) as f(account_id, id))
      and not exists (select 1 from media_use u where u.account_id = m.account_id and u.media_id = m.id)
      and not ${isStoryPicture(sql)}`
}
