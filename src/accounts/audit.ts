/** Writes the audit log: who did what and when, in the same transaction. It holds no network addresses. */
import type { Fragment, Sql } from '../kernel/db/database.ts'
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

/** `insert into audit_entry (…)`, to be followed by `select ${auditValues(…)}`. Other slices may not name the table. */
export const insertAuditEntries = (sql: Sql): Fragment => sql`insert into audit_entry (${auditColumns(sql)})`

/** Columns of `insert into audit_entry` in the order of `auditValues`. */
export const auditColumns = (sql: Sql): Fragment => sql`account_id, id, at, actor, action, subject`

/**
 * The values of one entry, so that one statement can write the change and its entry. `account` and `actor` are SQL.
 * Entries of several accounts may share the id.
 */
export const auditValues = (
  sql: Sql,
  entry: { account: Fragment; actor: Fragment; now: Date; action: AuditAction; subject: Fragment },
): Fragment => sql`
  ${entry.account}, ${newUuid(entry.now.getTime())}::uuid, ${entry.now}::timestamptz, ${entry.actor},
  ${entry.action}::text, ${entry.subject}`

/** Writes one entry in the name of the context's actor. Call it inside the transaction of the change. */
export async function audit(ctx: AccountContext, action: AuditAction, subject: string): Promise<void> {
  const now = ctx.clock.now()
  await ctx.sql`
    insert into audit_entry (${auditColumns(ctx.sql)})
    values (${ctx.accountId}, ${newUuid(now.getTime())}, ${now}, ${ctx.actorId}, ${action}, ${subject})`
}

/** Writes an entry to every account of a person, for changes of their password, passkeys or sessions. */
export async function auditPerson(
  ctx: OperatorContext,
  personId: string,
  action: AuditAction,
  subject: string,
): Promise<void> {
  const { sql } = ctx
  const entry = {
    account: sql`m.account_id`,
    actor: sql`m.actor_id`,
    now: ctx.clock.now(),
    action,
    subject: sql`${subject}::text`,
  }
  await sql`
    insert into audit_entry (${auditColumns(sql)})
    select ${auditValues(sql, entry)} from membership m where m.person_id = ${personId}`
}
