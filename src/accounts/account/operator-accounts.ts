/** Accounts of the operator's own people. Only the command line marks them; no export carries the mark. */
import { notFound } from '../../kernel/errors/errors.ts'
import { withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type OperatorContext, withTransaction } from './context.ts'

/** Throws `not_found`. */
export async function setOperatorAccount(
  ctx: OperatorContext,
  { accountId, isOperator }: { accountId: number; isOperator: boolean },
): Promise<{ id: string; name: string; operator: boolean }> {
  return withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ name: string; before: boolean }[]>`
      update account a set is_operator = ${isOperator}
      from (select id, is_operator as before from account where id = ${accountId} for update) b
      where a.id = b.id returning a.name, b.before`
    if (row === undefined) throw notFound('account')
    if (row.before !== isOperator)
      await audit(
        await withActor(tx, accountId),
        isOperator ? 'operator_account_on' : 'operator_account_off',
        row.name,
      )
    return { id: String(accountId), name: row.name, operator: isOperator }
  })
}

/** Returns the account's name. Throws `not_found` unless it is an open account of the operator. */
export async function requireOperatorAccount({ sql }: OperatorContext, accountId: number): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select name from account where id = ${accountId} and is_operator and closed_at is null for key share`
  if (row === undefined) throw notFound('account')
  return row.name
}
