/** Reading the audit log, newest first: who did what, when. */
import { findUuid, idFromUuid } from '../kernel/ids.ts'
import type { ActorKind } from './actors.ts'
import type { AuditAction } from './audit.ts'
import type { AccountContext } from './context.ts'

export type AuditEntry = {
  at: string
  who: string
  kind: ActorKind
  action: AuditAction
  subject: string
}

/** `next`: pass it as `before` for the older ones; undefined when there are none. */
export type AuditPage = { entries: AuditEntry[]; next: string | undefined }

const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** At most `limit` entries older than `before`; one that is no cursor is as if it were not there. */
export async function listAuditEntries(
  ctx: AccountContext,
  page: { before: string; limit: number },
): Promise<AuditPage> {
  const rows = await ctx.sql<
    { id: string; at: Date; action: AuditAction; subject: string; label: string; kind: ActorKind }[]
  >`
    select e.id, e.at, e.action, e.subject, a.label, a.kind
    from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
    where e.account_id = ${ctx.accountId} and e.id < ${findUuid(page.before) ?? LAST}
    order by e.id desc limit ${page.limit + 1}`
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ at, action, subject, label, kind }) => ({
      at: at.toISOString(),
      who: label,
      kind,
      action,
      subject,
    })),
    next: rows.length > page.limit && last !== undefined ? idFromUuid(last.id) : undefined,
  }
}
