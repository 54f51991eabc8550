/** Files that public pages show. The same bytes may belong to several accounts: the first is enough. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase, perSharedDatabase } from '../../kernel/db/shards.ts'

/** `width`: pixels of a picture as it was sent, null for a document. `name`: of a document. */
export type PublicMedia = { id: string; accountId: number; width: number | null; name: string }

/** Finds files that somebody asked for before. What was public stays so: pages are shown as of any date. */
export const findPublicMedia = (sql: Sql, id: string): Promise<PublicMedia | undefined> => load(sql)(id)

const load = perSharedDatabase((sql: Sql) =>
  createBatchLoader(async (ids: readonly string[]) => {
    const rows = await sql<PublicMedia[]>`
      select encode(media_id, 'hex') as id, account_id as "accountId", width, name from public_media
      where media_id in (select decode(i, 'hex') from unnest(${[...ids]}::text[]) i)`
    const found = new Map(rows.map(row => [row.id, row]))
    return ids.map(id => found.get(id))
  }),
)

/** Another process may have been faster. */
export async function storePublicMedia(sql: Sql, { id, accountId, width, name }: PublicMedia): Promise<void> {
  await getSharedDatabase(sql)`
    insert into public_media (media_id, account_id, width, name)
    values (decode(${id}, 'hex'), ${accountId}, ${width}, ${name}) on conflict do nothing`
}
