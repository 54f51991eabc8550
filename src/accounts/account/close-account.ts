/**
 * Closes and reopens an account. While it is closed, its keys are refused and its people can only read.
 * Public pages stay, because the codes printed on products must keep working.
 */

import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from './context.ts'

/** Without an actor, the operator acts. */
type Actor = OperatorContext & { actorId?: number }
type ClosedAccount = { id: string; name: string; closed_at: string | null }

/** Closes the account; a second time changes nothing. Throws `not_found`. */
export const closeAccount = (ctx: Actor, accountId: number) => setClosed(ctx, accountId, true)

/** Reopens a closed account. Throws `not_found`, and `validation` while it is moved. */
export const reopenAccount = (ctx: Actor, accountId: number) => setClosed(ctx, accountId, false)

async function setClosed(ctx: Actor, accountId: number, close: boolean): Promise<ClosedAccount> {
  return withTransaction(ctx, async tx => {
    const [account] = await tx.sql<{ name: string; closed_at: Date | null; move_shard: number | null }[]>`
      select name, closed_at, move_shard from account where id = ${accountId} for update`
    if (account === undefined) throw notFound('account')
    const { name, closed_at: before, move_shard: moving } = account
    if (!close && moving !== null) throw movingError()
    const isDone = (before !== null) === close
    const after = close ? (before ?? tx.clock.now()) : null
    if (!isDone) {
      await tx.sql`update account set closed_at = ${after} where id = ${accountId}`
      await audit(await withActor(tx, accountId), close ? 'account_closed' : 'account_reopened', name)
    }
    return { id: String(accountId), name, closed_at: after?.toISOString() ?? null }
  })
}

const movingError = () =>
  new AppError(
    'validation',
    'The account is being moved to another shard. Reopen it when "carnet accounts move" has ended; if that was interrupted, run it again.',
  )

/** Requests that began before the account was closed have ended then. */
const MIN_CLOSED_MS = 60_000

/** For commands during which nobody may write to the account. Throws `validation`. */
export function requireClosedForAWhile(clock: Clock, closedAt: Date | null): void {
  if (closedAt !== null && clock.now().getTime() - closedAt.getTime() >= MIN_CLOSED_MS) return
  throw new AppError(
    'validation',
    'Requests may still be changing this account. Close it with "carnet accounts close", and repeat this command a minute later; its public pages stay.',
  )
}

/** Background jobs ask before they write. */
export async function isAccountOpen(ctx: AccountContext): Promise<boolean> {
  const open = await ctx.sql`select from account where id = ${ctx.accountId} and closed_at is null`
  return open.length === 1
}

/** SQL condition: the account with the id `account` is open. */
export const accountIsOpen = (sql: Sql, account: Fragment): Fragment =>
  sql`exists (select 1 from account a where a.id = ${account} and a.closed_at is null)`
