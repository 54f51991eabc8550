/** API keys in the hands of an account's people: never another account's, and every one made or ended is in the audit log. */
import { notFound } from '../../kernel/errors.ts'
import { findUuid } from '../../kernel/ids.ts'
import { withActor } from '../actors.ts'
import { audit } from '../audit.ts'
import type { AccountContext, OperatorContext } from '../context.ts'
import { withTransaction } from '../transaction.ts'
import { createKey, type KeyRecord, type NewKey, revokeKey } from './keys.ts'
import { type RotatedKey, type Rotation, replaceKey } from './rotate-key.ts'

/** Creates a key of the account. The `key` in the answer is the only copy there will ever be. */
export async function createOwnKey(
  ctx: AccountContext,
  input: Omit<NewKey, 'accountId'>,
): Promise<KeyRecord & { key: string }> {
  return withTransaction(ctx, async tx => {
    const key = await createKey(tx, { ...input, accountId: ctx.accountId })
    await audit(tx, 'key_created', `${key.name} (…${key.last4})`)
    return key
  })
}

/** Revokes a key of the account; a second time changes nothing. Throws `not_found`, for another account's key too. */
export async function revokeOwnKey(ctx: AccountContext, id: string): Promise<KeyRecord> {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('key')
  return withTransaction(ctx, async tx => {
    const own = await lockOwn(tx, uuid)
    if (!own.revoked) await audit(tx, 'key_revoked', `${own.name} (…${own.last4})`)
    return revokeKey(tx, id)
  })
}

/** Replaces a key of the account as `rotateKey` does. Throws `not_found`, for another account's key too. */
export async function rotateOwnKey(ctx: AccountContext, input: Rotation): Promise<RotatedKey> {
  const uuid = findUuid(input.id)
  if (uuid === undefined) throw notFound('key')
  return withTransaction(ctx, async tx => {
    const own = await lockOwn(tx, uuid)
    const key = await replaceKey(tx, input)
    await audit(tx, 'key_rotated', `${own.name} (…${own.last4})`)
    await audit(tx, 'key_created', `${key.name} (…${key.last4})`)
    return key
  })
}

/** Revokes a key of any account by its id; a second time changes nothing. Throws `not_found`. */
export async function revokeKeyByOperator(ctx: OperatorContext, id: string): Promise<KeyRecord> {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('key')
  const [key] = await ctx.sql<{ account_id: number }[]>`select account_id from api_key where id = ${uuid}`
  if (key === undefined) throw notFound('key')
  return revokeOwnKey(await withActor(ctx, key.account_id), id)
}

type Own = { name: string; last4: string; revoked: boolean }

async function lockOwn(ctx: AccountContext, uuid: string): Promise<Own> {
  const [own] = await ctx.sql<Own[]>`
    select name, last4, revoked_at is not null as revoked from api_key
    where account_id = ${ctx.accountId} and id = ${uuid} for update`
  if (own === undefined) throw notFound('key')
  return own
}
