/** What the operator does to an account from the command line stands in its audit log, as what its own people do. */

import { notFound } from '../kernel/errors.ts'
import { findUuid } from '../kernel/ids.ts'
import { type Account, createAccount, requireAccount } from './accounts.ts'
import { actingIn, operatorActor } from './actors.ts'
import { audit } from './audit.ts'
import type { AccountContext, OperatorContext } from './context.ts'
import type { KeyRecord } from './keys.ts'
import { revokeOwnKey } from './own-keys.ts'
import { inTransaction } from './transaction.ts'

/** The operator, acting in an account. Throws `not_found` unless it exists. */
export async function operatorIn<C extends OperatorContext>(
  ctx: C,
  accountId: number,
): Promise<C & AccountContext> {
  await requireAccount(ctx, accountId)
  return { ...ctx, accountId, actorId: await operatorActor(ctx, accountId) }
}

/** Creates an account with its counters at zero. Throws `not_found` for an unknown plan. */
export async function createAccountByOperator(
  ctx: OperatorContext,
  input: { name: string; plan: string },
): Promise<Account> {
  return inTransaction(ctx, async tx => {
    const account = await createAccount(tx, input)
    await audit(await actingIn(tx, Number(account.id)), 'account_created', input.name)
    return account
  })
}

/** Revokes a key of any account by its id; a second time changes nothing. Throws `not_found`. */
export async function revokeKeyByOperator(ctx: OperatorContext, id: string): Promise<KeyRecord> {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('key')
  const [key] = await ctx.sql<{ account_id: number }[]>`select account_id from api_key where id = ${uuid}`
  if (key === undefined) throw notFound('key')
  return revokeOwnKey(await actingIn(ctx, key.account_id), id)
}
