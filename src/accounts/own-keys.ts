/** API keys in the hands of an account's people: never another account's, and every one made or ended is in the audit log. */
import { notFound } from '../kernel/errors.ts'
import { findUuid } from '../kernel/ids.ts'
import { audit } from './audit.ts'
import type { AccountContext } from './context.ts'
import { createKey, type KeyRecord, type NewKey, revokeKey } from './keys.ts'
import { type RotatedKey, type Rotation, replaceKey } from './rotate-key.ts'
import { inTransaction } from './transaction.ts'

/** Creates a key of the account. The `key` in the answer is the only copy there will ever be. */
export async function createOwnKey(
  ctx: AccountContext,
  input: Omit<NewKey, 'accountId'>,
): Promise<KeyRecord & { key: string }> {
  return inTransaction(ctx, async tx => {
    const key = await createKey(tx, { ...input, accountId: ctx.accountId })
    await audit(tx, 'key_created', key.id)
    return key
  })
}

/** Revokes a key of the account; a second time changes nothing. Throws `not_found`, for another account's key too. */
export async function revokeOwnKey(ctx: AccountContext, id: string): Promise<KeyRecord> {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('key')
  return inTransaction(ctx, async tx => {
    const own = await lockOwn(tx, uuid)
    if (!own.revoked) await audit(tx, 'key_revoked', id)
    return revokeKey(tx, id)
  })
}

/** Replaces a key of the account as `rotateKey` does. Throws `not_found`, for another account's key too. */
export async function rotateOwnKey(ctx: AccountContext, input: Rotation): Promise<RotatedKey> {
  const uuid = findUuid(input.id)
  if (uuid === undefined) throw notFound('key')
  return inTransaction(ctx, async tx => {
    await lockOwn(tx, uuid)
    const key = await replaceKey(tx, input)
    await audit(tx, 'key_rotated', input.id)
    await audit(tx, 'key_created', key.id)
    return key
  })
}

async function lockOwn(ctx: AccountContext, uuid: string): Promise<{ revoked: boolean }> {
  const [own] = await ctx.sql<{ revoked: boolean }[]>`
    select revoked_at is not null as revoked from api_key
    where account_id = ${ctx.accountId} and id = ${uuid} for update`
  if (own === undefined) throw notFound('key')
  return own
}
