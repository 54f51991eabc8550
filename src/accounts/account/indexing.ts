/** Stores if search engines may list an account's products. The account decides; the default is yes. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { afterCommit } from '../../kernel/db/transaction.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from './context.ts'

/** How often this process has changed the choice of an account: sitemaps list what all of them chose. */
const changes = perSharedDatabase((_sql: Sql) => ({ count: 0 }))
export const countIndexingChanges = (sql: Sql): number => changes(sql).count

/** Throws `not_found`. */
export async function setIndexing(
  ctx: OperatorContext & { actorId?: number },
  input: { accountId: number; indexable: boolean },
): Promise<{ id: string; name: string; indexable: boolean }> {
  const { accountId, indexable } = input
  return withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ name: string; before: boolean }[]>`
      update account a set indexable = ${indexable}
      from (select id, indexable as before from account where id = ${accountId} for update) b
      where a.id = b.id returning a.name, b.before`
    if (!row) throw notFound('account')
    if (row.before !== indexable) {
      await audit(await withActor(tx, accountId), 'indexing_changed', indexable ? 'yes' : 'no')
      afterCommit(tx.sql, pool => void changes(pool).count++)
    }
    return { id: String(accountId), name: row.name, indexable }
  })
}

/** Throws `not_found`. */
export async function isIndexable(ctx: AccountContext): Promise<boolean> {
  const [row] = await ctx.sql<{ indexable: boolean }[]>`
    select indexable from account where id = ${ctx.accountId}`
  if (!row) throw notFound('account')
  return row.indexable
}

/** SQL condition on `passport p`: search engines may list the products of its account. */
export const accountIsIndexable = (sql: Sql): Fragment =>
  sql`exists (select 1 from account a where a.id = p.account_id and a.indexable)`
