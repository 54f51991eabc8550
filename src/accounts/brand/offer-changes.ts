/** Pages learn of changed offers as they learn of a changed brand: by a version that is read with it. */
import { afterCommit } from '../../kernel/db/transaction.ts'
import type { AccountContext } from '../context.ts'
import { invalidateBrand } from './brand.ts'

/** Call it in the transaction that changes the account's offers. */
export async function announceOfferChange({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<void> {
  await sql`update account set offers_version = offers_version + 1 where id = ${accountId}`
  afterCommit(sql, pool => invalidateBrand(pool, accountId))
}
