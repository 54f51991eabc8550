/** Archives and restores passports. The status has its own log; addresses keep working. */
import { insertAuditEntries } from '../../accounts/audit.ts'
import type { AccountContext } from '../../accounts/context.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { findRefusalReason, withRetries } from '../../kernel/db/database.ts'
import { idFromUuid, newUuid } from '../../kernel/ids.ts'
import { buildPassportEvent, insertEvents } from '../../webhooks/insert-events.ts'
import type { PassportRow, StatusLetter } from '../core/record.ts'
import { addPassportCounts } from '../core/unit-counts.ts'
import { getPassport } from '../read/find.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'
import { type ExpectedVersion, requireExpectedVersion, retryUntilWritten } from './change-queue.ts'
import { explainTakenGtin } from './find-matches.ts'
import { claimGtins } from './write-versions.ts'

type StatusChange = ExpectedVersion & { uuid: string; status: StatusLetter }

/**
 * Sets the status and writes its event, or nothing if it is set already. Restoring claims a released GTIN
 * again. Throws `not_found`, `version_conflict`, `gtin_taken`.
 */
export function setStatus(ctx: AccountContext, change: StatusChange): Promise<PassportRow> {
  const { uuid, status } = change
  return retryUntilWritten(ctx.sql, uuid, async () => {
    const current = await getPassport(ctx, uuid)
    requireExpectedVersion(current, change)
    if (current.status === status) return current
    const isWritten = await withRetries(() => writeStatus(ctx, current, status))
    dropCachedMetadata(ctx.sql, uuid)
    return isWritten ? getPassport(ctx, uuid) : undefined
  })
}

/** False if another process changed its version or status meanwhile. */
async function writeStatus(
  ctx: AccountContext,
  current: PassportRow,
  status: StatusLetter,
): Promise<boolean> {
  const { sql, accountId } = ctx
  const now = ctx.clock.now()
  const type = status === 'x' ? 'product.archived' : 'product.restored'
  const event = JSON.stringify(buildPassportEvent(current))
  const action = status === 'x' ? 'product_archived' : 'product_restored'
  try {
    const written = await sql`
      with changed_passport as (
        update passport set status = ${status}::text::"char", stored_at = greatest(stored_at, now()),
          updated_at = greatest(${now}::timestamptz, updated_at + interval '1 millisecond')
        where id = ${current.id} and account_id = ${accountId} and status <> ${status}::text::"char"
          and version_no = ${current.version_no}
        returning id, level, category, gtin14, updated_at
      ), claimed_gtin as (
        ${claimGtins(sql, sql`select gtin14, ${accountId}::int, id, updated_at from changed_passport where gtin14 is not null`)}
      ), new_counts as (
        ${addPassportCounts(
          sql,
          sql`select ${accountId}::int, level, delta.status, category, delta.n
            from changed_passport, (values ('a'::"char", ${status === 'a' ? 1 : -1}::int), ('x', ${status === 'a' ? -1 : 1}::int)) delta(status, n)`,
        )}
      ), new_status_entry as (
        insert into passport_status (changed_at, account_id, changed_by, passport_id, status)
        select updated_at, ${accountId}::int, ${ctx.actorId}::int, id, ${status}::text::"char" from changed_passport
      ), new_audit_entry as (
        ${insertAuditEntries(ctx, action, sql`${idFromUuid(current.id)}::text`, ctx)} from changed_passport
      ), new_event as (
        ${insertEvents(sql)}
        select updated_at, ${accountId}::int, ${newUuid(now.getTime())}::uuid, ${type}::text, ${event}::text::jsonb from changed_passport
      )
      select case when gtin14 is not null and not exists (select 1 from claimed_gtin) then carnet_refuse('gtin_taken') end
      from changed_passport`
    return written.length > 0
  } catch (error) {
    if (findRefusalReason(error) !== 'gtin_taken') throw error
    throw await explainTakenGtin(ctx, current.gtin === null ? null : toGtin14(current.gtin))
  }
}
