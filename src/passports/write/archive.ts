/** Archives and restores passports. The status has its own log; addresses keep working. */
import type { AuditAction } from '../../accounts/account/audit.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { idFromUuid, newUuid } from '../../kernel/crypto/ids.ts'
import { findRejectReason, withRetries } from '../../kernel/db/database.ts'
import { buildPassportEvent, type EVENT_TYPES } from '../../webhooks/insert-events.ts'
import type { PassportRow, StatusLetter } from '../core/record.ts'
import { getPassport } from '../read/find.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'
import { type ExpectedVersion, requireExpectedVersion, retryUntilWritten } from './change-queue.ts'
import { explainTakenGtin } from './find-matches.ts'

type StatusChange = ExpectedVersion & { uuid: string; status: StatusLetter }

/**
 * Sets the status and writes its event, or nothing if it is set already. Restoring claims a released GTIN
 * again. Throws `not_found`, `version_conflict`, `gtin_taken`.
 */
export function setStatus(ctx: AccountContext, change: StatusChange): Promise<PassportRow> {
  const { uuid, status } = change
  return retryUntilWritten(ctx, uuid, async at => {
    const current = await getPassport(at, uuid)
    requireExpectedVersion(current, change)
    if (current.status === status) return current
    const isWritten = await withRetries(() => writeStatus(at, current, status))
    dropCachedMetadata(at.sql, uuid)
    return isWritten ? getPassport(at, uuid) : undefined
  })
}

/** False if another process changed its version or status meanwhile. */
async function writeStatus(
  ctx: AccountContext,
  current: PassportRow,
  status: StatusLetter,
): Promise<boolean> {
  const { sql, accountId, actorId } = ctx
  const now = ctx.clock.now()
  const entry: { type: (typeof EVENT_TYPES)[number]; action: AuditAction } =
    status === 'x'
      ? { type: 'product.archived', action: 'product_archived' }
      : { type: 'product.restored', action: 'product_restored' }
  try {
    const [written] = await sql<{ done: boolean }[]>`
      select public.carnet_set_status(${accountId}, ${actorId}, ${current.id}, ${current.version_no}, ${status}::text::"char",
        ${now}, ${newUuid(now.getTime())}, ${entry.type}, ${JSON.stringify(buildPassportEvent(current))}::text::jsonb,
        ${newUuid(now.getTime())}, ${entry.action}, ${idFromUuid(current.id)}) as done`
    return written?.done === true
  } catch (error) {
    if (findRejectReason(error) !== 'gtin_taken') throw error
    throw await explainTakenGtin(ctx, current.gtin === null ? null : toGtin14(current.gtin))
  }
}
