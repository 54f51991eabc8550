/** A key replaced without a gap: the new one is there at once, the old one goes on for a while. */
import { AppError, notFound } from '../../kernel/errors.ts'
import { findUuid } from '../../kernel/ids.ts'
import type { OperatorContext } from '../context.ts'
import { withTransaction } from '../transaction.ts'
import { createKey, type KeyRecord, type Scope } from './keys.ts'

export const KEY_OVERLAP_MS = 24 * 3_600_000

export type Rotation = {
  id: string
  /** How long the old key goes on; 0 ends it at once. It never lives longer than it would have. */
  overlapMs: number
  createdBy: string
}

/** `key` is the only copy of the new one; `replaced` is the old key's record with its new end. */
export type RotatedKey = KeyRecord & { key: string; replaced: { id: string; expires_at: string } }

/**
 * Makes a key with the name and scope of another, and ends that one after the overlap. Where the old one was made to
 * expire, the new one lives as long from now on. Throws `not_found`, and `archived` for a key that is over already.
 */
export async function rotateKey(ctx: OperatorContext, input: Rotation): Promise<RotatedKey> {
  return withTransaction(ctx, tx => replaceKey(tx, input))
}

/** The same for a caller whose `tx` is a transaction already. */
export async function replaceKey(tx: OperatorContext, input: Rotation): Promise<RotatedKey> {
  const uuid = findUuid(input.id)
  if (uuid === undefined) throw notFound('key')
  const old = await lockKey(tx, uuid)
  const now = tx.clock.now().getTime()
  const end = old.expires_at?.getTime()
  const over = new Date(Math.min(now + input.overlapMs, end ?? Number.POSITIVE_INFINITY))
  await tx.sql`update api_key set expires_at = ${over} where account_id = ${old.account_id} and id = ${uuid}`
  const made = await createKey(tx, {
    accountId: old.account_id,
    name: old.name,
    scope: old.scope,
    expiresAt: end === undefined ? undefined : new Date(now + end - old.created_at.getTime()),
    createdBy: input.createdBy,
  })
  return { ...made, replaced: { id: input.id, expires_at: over.toISOString() } }
}

type OldKey = {
  account_id: number
  name: string
  scope: Scope
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

/** The row of a key that is in use, locked: of two that replace it at once, the second replaces nothing that is over. */
async function lockKey(ctx: OperatorContext, uuid: string): Promise<OldKey> {
  const [row] = await ctx.sql<OldKey[]>`
    select account_id, name, scope, created_at, expires_at, revoked_at from api_key where id = ${uuid} for update`
  if (row === undefined) throw notFound('key')
  const isOver = row.expires_at !== null && row.expires_at.getTime() <= ctx.clock.now().getTime()
  if (row.revoked_at === null && !isOver) return row
  const what = row.revoked_at === null ? 'has expired' : 'is revoked'
  throw new AppError(
    'archived',
    `The key "${row.name}" ${what}: there is nothing to replace. Make a new one.`,
  )
}
