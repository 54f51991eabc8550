/** Lists, renames and removes a person's passkeys. Only the public key of each is stored here. */

import { idFromUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import { notFound, requireById } from '../../kernel/errors/errors.ts'
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'

export const MAX_PASSKEY_NAME_LENGTH = 100
/** A browser gets the whole list of a person's passkeys. */
export const MAX_PASSKEYS_PER_PERSON = 20

export type PasskeyRecord = { id: string; name: string; created_at: string; last_used_at: string | null }
type Owner = { personId: string }

/** Newest first. */
export async function listPasskeys(ctx: OperatorContext, { personId }: Owner): Promise<PasskeyRecord[]> {
  const rows = await ctx.sql<{ id: string; name: string; created_at: Date; last_used_at: Date | null }[]>`
    select id, name, created_at, last_used_at from passkey where person_id = ${personId} order by id desc`
  return rows.map(row => ({
    id: idFromUuid(row.id),
    name: row.name,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Throws `not_found`, also for another person's passkey. */
export async function getPasskey(ctx: OperatorContext, owner: Owner, id: string): Promise<PasskeyRecord> {
  return requireById(await listPasskeys(ctx, owner), id, 'passkey')
}

/** Throws `not_found`. */
export async function renamePasskey(
  ctx: OperatorContext,
  owner: Owner,
  input: { id: string; name: string },
): Promise<void> {
  await withTransaction(ctx, async tx => {
    const renamed = await tx.sql`
      update passkey set name = ${input.name} where id = ${requireUuid(input.id, 'passkey')} and person_id = ${owner.personId} returning id`
    if (renamed.length === 0) throw notFound('passkey')
    await auditPerson(tx, owner.personId, 'passkey_renamed', input.name)
  })
}

/** Removes a passkey. Sessions that it started continue. Throws `not_found`. */
export async function removePasskey(ctx: OperatorContext, owner: Owner, id: string): Promise<void> {
  await withTransaction(ctx, async tx => {
    const [removed] = await tx.sql<{ name: string }[]>`
      delete from passkey where id = ${requireUuid(id, 'passkey')} and person_id = ${owner.personId} returning name`
    if (removed === undefined) throw notFound('passkey')
    await auditPerson(tx, owner.personId, 'passkey_removed', removed.name)
  })
}
