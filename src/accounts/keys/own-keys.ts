/** Changes of API keys, with entries in the account's audit log. */

import { requireUuid } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { withActor } from '../account/actors.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../account/context.ts'
import { createKey, type KeyRecord, type NewKey, revokeKey } from './keys.ts'
import { lockKey, type RotatedKey, type Rotation, replaceKey } from './rotate-key.ts'

const describe = ({ name, last4 }: { name: string; last4: string }) => `${name} (…${last4})`

/** The `key` in the answer is its only copy. */
export const createOwnKey = (
  ctx: AccountContext,
  input: Omit<NewKey, 'accountId'>,
): Promise<KeyRecord & { key: string }> =>
  withTransaction(ctx, async tx => {
    const key = await createKey(tx, { ...input, accountId: ctx.accountId })
    await audit(tx, 'key_created', describe(key))
    return key
  })

/** Revokes a key; a second time changes nothing. Throws `not_found`, also for another account's key. */
export const revokeOwnKey = (ctx: AccountContext, id: string): Promise<KeyRecord> =>
  withTransaction(ctx, async tx => {
    const own = await lockKey(tx, id, ctx.accountId)
    if (own.revoked_at === null) await audit(tx, 'key_revoked', describe(own))
    return revokeKey(tx, id)
  })

/** Replaces a key of the account as `rotateKey` does. Throws `not_found`, also for another account's key. */
export const rotateOwnKey = (ctx: AccountContext, input: Rotation): Promise<RotatedKey> =>
  withTransaction(ctx, async tx => {
    const own = await lockKey(tx, input.id, ctx.accountId)
    const key = await replaceKey(tx, input, own)
    await audit(tx, 'key_rotated', describe(own))
    await audit(tx, 'key_created', describe(key))
    return key
  })

/** Revokes a key of any account; a second time changes nothing. Throws `not_found`. */
export async function revokeKeyByOperator(ctx: OperatorContext, id: string): Promise<KeyRecord> {
  const [key] = await ctx.sql<{ account_id: number }[]>`
    select account_id from api_key where id = ${requireUuid(id, 'key')}`
  if (key === undefined) throw notFound('key')
  return revokeOwnKey(await withActor(ctx, key.account_id), id)
}
