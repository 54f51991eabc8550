/**
 * Closes and reopens an account. While it is closed, its keys are refused and its people can only read.
 * Public pages stay, because the codes printed on products must keep working.
 */
import type { Fragment, Sql } from '../kernel/db/database.ts'
import { notFound } from '../kernel/errors.ts'
import { withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from './context.ts'

/** Without an actor, the operator acts. */
type Actor = OperatorContext & { actorId?: number }
type ClosedAccount = { id: string; name: string; closed_at: string | null }

/** Closes the account; a second time changes nothing. Throws `not_found`. */
export const closeAccount = (ctx: Actor, accountId: number) => setClosed(ctx, accountId, true)

/** Reopens a closed account. Throws `not_found`. */
export const reopenAccount = (ctx: Actor, accountId: number) => setClosed(ctx, accountId, false)

async function setClosed(ctx: Actor, accountId: number, close: boolean): Promise<ClosedAccount> {
  return withTransaction(ctx, async tx => {
    const [account] = await tx.sql<{ name: string; closed_at: Date | null }[]>`
      select name, closed_at from account where id = ${accountId} for update`
    if (account === undefined) throw notFound('account')
    const { name, closed_at: before } = account
    const isDone = (before !== null) === close
    const after = close ? (before ?? tx.clock.now()) : null
    if (!isDone) {
      await tx.sql`update account set closed_at = ${after} where id = ${accountId}`
      await audit(await withActor(tx, accountId), close ? 'account_closed' : 'account_reopened', name)
    }
    return { id: String(accountId), name, closed_at: after?.toISOString() ?? null }
  })
}

/** Background jobs ask before they write. */
export async function isAccountOpen(ctx: AccountContext): Promise<boolean> {
  const open = await ctx.sql`select from account where id = ${ctx.accountId} and closed_at is null`
  return open.length === 1
}

/** SQL condition: the account with the id `account` is open. */
export const accountIsOpen = (sql: Sql, account: Fragment): Fragment =>
  sql`exists (select 1 from account a where a.id = ${account} and a.closed_at is null)`
