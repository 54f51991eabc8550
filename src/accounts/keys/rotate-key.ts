/** Replaces a key without a gap: the old one still works for a while. */

import { requireUuid } from '../../kernel/crypto/ids.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { createKey, type KeyRecord, type Scope } from './keys.ts'

export const KEY_OVERLAP_MS = 24 * 3_600_000

/** `overlapMs`: how long the old key still works, but never longer than it would have. */
export type Rotation = { id: string; overlapMs: number; createdBy: string }

/** `key` is the only copy of the new key; `replaced` is the old key with its new expiry time. */
export type RotatedKey = KeyRecord & { key: string; replaced: { id: string; expires_at: string } }

/**
 * Replaces a key by a new one with the same name and scope; the old one ends after the overlap. If the old
 * key had an expiry date, the new one is valid for as long, from now on. Throws `not_found`, and `archived`
 * for a key that has ended.
 */
export const rotateKey = (ctx: OperatorContext, input: Rotation): Promise<RotatedKey> =>
  withTransaction(ctx, async tx => replaceKey(tx, input, await lockKey(tx, input.id)))

/** Replaces a key in a transaction that has locked it. */
export async function replaceKey(
  tx: OperatorContext,
  { id, overlapMs, createdBy }: Rotation,
  old: LockedKey,
): Promise<RotatedKey> {
  const { account_id: accountId, name, scope } = old
  const now = tx.clock.now().getTime()
  const end = old.expires_at?.getTime() ?? Number.POSITIVE_INFINITY
  if (old.revoked_at !== null || end <= now) {
    const what = old.revoked_at === null ? 'has expired' : 'is revoked'
    const message = `The key "${name}" ${what}: there is nothing to replace. Create a new key.`
    throw new AppError('archived', message)
  }
  const over = new Date(Math.min(now + overlapMs, end))
  await tx.sql`
    update api_key set expires_at = ${over} where account_id = ${accountId} and id = ${requireUuid(id, 'key')}`
  const expiresAt = old.expires_at ? new Date(now + end - old.created_at.getTime()) : undefined
  const made = await createKey(tx, { accountId, name, scope, expiresAt, createdBy })
  return { ...made, replaced: { id, expires_at: over.toISOString() } }
}

type LockedKey = {
  account_id: number
  name: string
  last4: string
  scope: Scope
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

/** Locks a key, so that it is replaced only once; of any account if none is given. Throws `not_found`. */
export async function lockKey({ sql }: OperatorContext, id: string, accountId?: number): Promise<LockedKey> {
  const own = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`
  const [row] = await sql<LockedKey[]>`
    select account_id, name, last4, scope, created_at, expires_at, revoked_at from api_key
    where id = ${requireUuid(id, 'key')} ${own} for update`
  if (row === undefined) throw notFound('key')
  return row
}
