/** The audit log: who did what and when, written with the change. It has no network addresses. */
import type { Fragment } from '../kernel/db/database.ts'
import { newUuid } from '../kernel/ids.ts'
import type { AccountContext, OperatorContext } from './context.ts'

export type AuditAction =
  | 'account_set_up'
  | 'account_created'
  | 'account_renamed'
  | 'account_closed'
  | 'account_reopened'
  | 'account_export_started'
  | 'account_exported'
  | 'plan_changed'
  | 'indexing_changed'
  | 'person_added'
  | 'person_invited_again'
  | 'person_removed'
  | 'role_changed'
  | 'password_link_made'
  | 'password_link_asked'
  | 'password_set'
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_renamed'
  | 'passkey_removed'
  | 'signed_in'
  | 'sign_in_failed'
  | 'sessions_ended'
  | 'sessions_ended_by_owner'
  | 'key_created'
  | 'key_rotated'
  | 'key_revoked'
  | 'brand_changed'
  | 'webhook_added'
  | 'webhook_changed'
  | 'webhook_paused'
  | 'webhook_resumed'
  | 'webhook_removed'
  | 'webhook_secret_rotated'
  | 'webhook_secret_activated'
  | 'webhook_tested'
  | 'webhook_events_sent_again'
  | 'webhook_switched_off'
  | 'access_link_created'
  | 'access_link_revoked'
  | 'import_started'
  | 'import_done'
  | 'import_stopped'
  | 'product_archived'
  | 'product_restored'
  | 'gtin_released'
  | 'scans_switched'

/**
 * An insert without its `from …`, so that the statement of a change also writes its entries, one for each row. Without
 * `by`, the rows have `account_id` and `actor_id`. Entries of several accounts may share the id.
 */
export function insertAuditEntries(
  { sql, clock }: OperatorContext,
  action: AuditAction,
  subject: Fragment,
  by?: Pick<AccountContext, 'accountId' | 'actorId'>,
): Fragment {
  const now = clock.now()
  const actor = by ? sql`${by.accountId}::int, ${by.actorId}::int` : sql`account_id, actor_id`
  return sql`
    insert into audit_entry (account_id, actor, id, at, action, subject)
    select ${actor}, ${newUuid(now.getTime())}::uuid, ${now}::timestamptz, ${action}::text, ${subject}`
}

/** Writes one entry in the name of the context's actor. Call it inside the transaction of the change. */
export async function audit(ctx: AccountContext, action: AuditAction, subject: string): Promise<void> {
  await ctx.sql`${insertAuditEntries(ctx, action, ctx.sql`${subject}::text`, ctx)}`
}

/** Writes an entry to every account of a person, for changes of their password, passkeys or sessions. */
export async function auditPerson(
  ctx: OperatorContext,
  personId: string,
  action: AuditAction,
  subject: string,
): Promise<void> {
  await ctx.sql`
    ${insertAuditEntries(ctx, action, ctx.sql`${subject}::text`)} from membership where person_id = ${personId}`
}
