/** Whether a draft names a file. */
import { atHome } from '../../accounts/account-shard.ts'
import type { AccountContext } from '../../accounts/context.ts'

/** `id`: 64 hexadecimal digits, which stand in no data by chance. */
export async function isNamedInDraft(ctx: AccountContext, id: string): Promise<boolean> {
  const { sql, accountId } = atHome(ctx)
  const rows = await sql`
    select 1 from draft where account_id = ${accountId} and position(${id} in data::text) > 0 limit 1`
  return rows.length > 0
}
