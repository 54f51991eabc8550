/** Creates passports that keep the identifier they had in another system. */
import { type AccountContext, withTransaction } from '../../accounts/context.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { invalidField } from '../../kernel/errors.ts'
import { HEADER_MEMBER } from '../../standards/en18223/names.ts'
import { atPassport } from '../read/find.ts'
import { findByAlias } from '../read/find-alias.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'

/** `key`: the identifier in its normal form. */
export type Alias = { dppId: string; key: string }

/**
 * Creates a passport and its alias, or neither. `create` returns the UUID. Throws `validation` if the
 * identifier belongs to another passport, and what `create` throws.
 */
export async function createWithAlias(
  ctx: AccountContext,
  alias: Alias,
  create: (ctx: AccountContext) => Promise<string>,
): Promise<string> {
  if ((await findByAlias(ctx.sql, alias.key)) !== undefined) throw aliasTakenError(alias)
  const work = async (tx: AccountContext) => {
    const id = await create(tx)
    if (!(await claimAlias(tx, alias, id))) throw aliasTakenError(alias)
    const { sql, accountId } = await atPassport(tx, id)
    await sql`update passport set dpp_id = ${alias.dppId} where id = ${id} and account_id = ${accountId}`
    dropCachedMetadata(sql, id)
    return id
  }
  // A nested transaction could not explain why a statement of `create` was refused.
  return isTransaction(ctx.sql) ? work(ctx) : withTransaction(ctx, work)
}

export const aliasTakenError = ({ dppId }: Pick<Alias, 'dppId'>) =>
  invalidField(
    [HEADER_MEMBER.id],
    'duplicate',
    `${HEADER_MEMBER.id} ${dppId} already belongs to a passport here. Send another one, or none to get a new one.`,
  )

/** False if the identifier belongs to another passport; waits for a transaction that claims it. */
async function claimAlias(
  { sql, clock, accountId }: AccountContext,
  { key }: Alias,
  id: string,
): Promise<boolean> {
  const kept = await getShard(sql, null)`
    insert into dpp_alias (key, account_id, passport_id, created_at)
    values (${key}, ${accountId}, ${id}, ${clock.now()}) on conflict do nothing returning key`
  return kept.length > 0
}
