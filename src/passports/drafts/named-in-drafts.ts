/** Which drafts name a file. A draft keeps its files: they can be neither cleaned up nor deleted. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Draft } from './draft.ts'
import { getDrafts } from './store-drafts.ts'

/** Those of these ids that a draft names. An id of 64 hexadecimal digits stands in no data by chance. */
export async function findNamedInDrafts(ctx: AccountContext, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { sql, accountId } = atHome(ctx)
  const rows = await sql<{ id: string }[]>`
    select i as id from unnest(${[...ids]}::text[]) i
    where exists (select from draft d where d.account_id = ${accountId} and position(i in d.data::text) > 0)`
  return new Set(rows.map(({ id }) => id))
}

export const isNamedInDraft = async (ctx: AccountContext, id: string): Promise<boolean> =>
  (await findNamedInDrafts(ctx, [id])).has(id)

/** The drafts that name the file, newest first; at most `limit`. */
export async function listDraftsNaming(ctx: AccountContext, id: string, limit: number): Promise<Draft[]> {
  const { sql, accountId } = atHome(ctx)
  const rows = await sql<{ id: string }[]>`
    select id from draft where account_id = ${accountId} and position(${id} in data::text) > 0
    order by id desc limit ${limit}`
  return getDrafts(
    ctx,
    rows.map(row => row.id),
  )
}
