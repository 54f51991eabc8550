/** Revokes the credentials of a passport that were issued in error. */
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { requireNotMoving, type StatusPlace } from './credential-status.ts'

/** `isNew`: false if they had been revoked before. */
export type RevokedCredential = StatusPlace & { versionNo: number; isNew: boolean }

/**
 * Revokes the credentials of this version and all before it; a later version gets a new place. `ctx` is at
 * the account's home. Throws `not_found` if the passport has none.
 */
export async function revokeCredential(
  ctx: AccountContext,
  passport: { id: string; version_no: number },
): Promise<RevokedCredential> {
  await requireNotMoving(ctx.sql, ctx.accountId)
  return withTransaction(ctx, async tx => {
    const rows = await tx.sql<{ first_version: number; list_no: number; list_index: number }[]>`
      update credential_status set revoked_at = ${tx.clock.now()}, last_version = ${passport.version_no}
      where account_id = ${tx.accountId} and passport_id = ${passport.id} and revoked_at is null
        and first_version <= ${passport.version_no}
      returning first_version, list_no, list_index`
    const row = rows.toSorted((a, b) => b.first_version - a.first_version)[0]
    if (row === undefined) return requireRevoked(tx, passport.id)
    await audit(tx, 'credential_revoked', `${idFromUuid(passport.id)}, version ${passport.version_no}`)
    return { listNo: row.list_no, index: row.list_index, versionNo: passport.version_no, isNew: true }
  })
}

async function requireRevoked({ sql, accountId }: AccountContext, uuid: string): Promise<RevokedCredential> {
  const [row] = await sql<{ list_no: number; list_index: number; last_version: number }[]>`
    select list_no, list_index, last_version from credential_status
    where account_id = ${accountId} and passport_id = ${uuid} and last_version is not null
    order by first_version desc limit 1`
  if (row !== undefined)
    return { listNo: row.list_no, index: row.list_index, versionNo: row.last_version, isNew: false }
  throw new AppError(
    'not_found',
    'This passport has no credential: nobody has read one, so there is nothing to revoke.',
  )
}
