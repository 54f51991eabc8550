/** The audit log: who did what and when, written with the change. It has no network addresses. */

import { idFromUuid, newUuid, parseId } from '../../kernel/crypto/ids.ts'
import { byIdDescending, forEachShardOf, readAllShards } from './account-shard.ts'
import type { ActorKind } from './actors.ts'
import type { AccountContext, OperatorContext } from './context.ts'
import { noteSettingChange } from './setting-changes.ts'

/** The types of records, which an account keeps beside its passports: `records/record.ts`. */
export type RecordId = 'offer'

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
  | 'browser_link_asked'
  | 'browser_link_made'
  | 'browser_made_known'
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
  | `${RecordId}_${'added' | 'changed' | 'deleted'}`
  | 'file_deleted'
  | 'file_withdrawn'
  | 'withdrawal_asked'
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
  | 'product_recalled'
  | 'recall_changed'
  | 'recall_ended'
  | 'event_corrected'
  | 'gtin_released'
  | 'dpp_id_released'
  | 'scans_switched'
  | 'readiness_changed'
  | 'audience_profile_changed'
  | 'signing_switched_on'
  | 'signing_switched_off'
  | 'signing_key_rotated'
  | 'signing_key_revoked'
  | 'registry_switched_on'
  | 'registry_switched_off'
  | 'backup_url_changed'
  | 'credential_revoked'
  | 'account_verified'
  | 'verification_withdrawn'
  | 'verification_asked'
  | 'verification_declined'
  | 'verification_request_withdrawn'
  | 'verification_request_approved'
  | 'verification_request_declined'
  | 'operator_account_on'
  | 'operator_account_off'

/**
 * Writes an entry by the context's actor. Call it inside the transaction of the change: every setting has an
 * entry, so after its commit nothing older that is cached of the account counts.
 */
export async function audit(ctx: AccountContext, action: AuditAction, subject: string): Promise<void> {
  const now = ctx.clock.now()
  await ctx.sql`
    insert into audit_entry (account_id, actor, id, at, action, subject)
    values (${ctx.accountId}, ${ctx.actorId}, ${newUuid(now.getTime())}, ${now}, ${action}, ${subject})`
  noteSettingChange(ctx.sql, ctx.accountId)
}

/** Writes an entry to every account of a person, for changes of their password, passkeys or sessions. */
export async function auditPerson(
  ctx: OperatorContext,
  personId: string,
  action: AuditAction,
  subject: string,
): Promise<void> {
  const now = ctx.clock.now()
  await forEachShardOf(ctx, personId, async ({ sql }, shard) => {
    await sql`
      with author as materialized (
        select m.account_id, m.actor_id from membership m join account a on a.id = m.account_id
        where m.person_id = ${personId} and a.shard is not distinct from ${shard}
      )
      insert into audit_entry (account_id, actor, id, at, action, subject)
      select account_id, actor_id, ${newUuid(now.getTime())}::uuid, ${now}::timestamptz, ${action}::text, ${subject}::text
      from author`
  })
}

export type AuditEntry = {
  at: string
  who: string
  kind: ActorKind
  action: AuditAction
  subject: string
}

/** `next` is the cursor of the next, older page; undefined on the last page. */
type AuditPage = { entries: AuditEntry[]; next: string | undefined }

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** At most `limit` entries older than the cursor `before`. An invalid cursor is ignored. */
export async function listAuditEntries(
  ctx: AccountContext,
  page: { before: string; limit: number },
): Promise<AuditPage> {
  const rows = await readAllShards(
    ctx,
    byIdDescending,
    async ({ sql }) => sql<(Omit<AuditEntry, 'at'> & { id: string; at: Date })[]>`
      select e.id, e.at, a.label as who, a.kind, e.action, e.subject
      from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
      where e.account_id = ${ctx.accountId} and e.id < ${parseId(page.before) ?? MAX_UUID}
      order by e.id desc limit ${page.limit + 1}`,
  )
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ id: _, at, ...entry }) => ({ ...entry, at: at.toISOString() })),
    next: rows.length > page.limit && last !== undefined ? idFromUuid(last.id) : undefined,
  }
}
