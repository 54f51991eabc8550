/** Renames an account. Its pages and invitation e-mails show the name. */
import { notFound } from '../kernel/errors.ts'
import { audit } from './audit.ts'
import type { AccountContext } from './context.ts'
import { withTransaction } from './transaction.ts'

export const MAX_ACCOUNT_NAME_LENGTH = 200

/** `name` is one line; the door has checked it. Throws `not_found`. */
export async function renameAccount(ctx: AccountContext, name: string): Promise<void> {
  await withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ before: string }[]>`
      update account a set name = ${name}
      from (select id, name as before from account where id = ${ctx.accountId} for update) b
      where a.id = b.id returning b.before`
    if (row === undefined) throw notFound('account')
    if (row.before !== name) await audit(tx, 'account_renamed', `${row.before} → ${name}`)
  })
}
