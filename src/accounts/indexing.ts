/** Whether an account's products may be found with a search engine: the account decides, and the usual answer is yes. */
import type { Fragment, Sql } from '../kernel/db.ts'
import { notFound } from '../kernel/errors.ts'
import type { OperatorContext } from './context.ts'

/** Lets search engines list the models of an account, or asks them not to. Throws `not_found`. */
export async function setIndexing(
  ctx: OperatorContext,
  input: { accountId: number; indexable: boolean },
): Promise<{ id: string; name: string; indexable: boolean }> {
  const [row] = await ctx.sql<{ name: string }[]>`
    update account set indexable = ${input.indexable} where id = ${input.accountId} returning name`
  if (!row) throw notFound('account')
  return { id: String(input.accountId), name: row.name, indexable: input.indexable }
}

/** For a statement with `passport p`: whether search engines may list what its account has. */
export const mayBeIndexed = (sql: Sql): Fragment =>
  sql`exists (select 1 from account a where a.id = p.account_id and a.indexable)`
