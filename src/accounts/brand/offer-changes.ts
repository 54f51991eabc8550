/** Pages learn of changed offers as they learn of a changed brand: by a version that is read with it. */
import type { AccountContext } from '../account/context.ts'
import { noteSettingChange } from '../account/setting-changes.ts'

/** Call it in the transaction that changes the account's offers. */
export async function announceOfferChange({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<void> {
  await sql`update account set offers_version = offers_version + 1 where id = ${accountId}`
  noteSettingChange(sql, accountId)
}
