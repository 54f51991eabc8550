/** Reads the audit log of an account, newest first. */
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

/** `next` is the cursor of the next, older page; undefined on the last page. */
type AuditPage = { entries: AuditEntry[]; next: string | undefined }

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** At most `limit` entries older than the cursor `before`. An invalid cursor is ignored. */
export async function listAuditEntries(
  ctx: AccountContext,
  page: { before: string; limit: number },
): Promise<AuditPage> {
  const rows = await ctx.sql<(Omit<AuditEntry, 'at'> & { id: string; at: Date })[]>`
    select e.id, e.at, a.label as who, a.kind, e.action, e.subject
    from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
    where e.account_id = ${ctx.accountId} and e.id < ${findUuid(page.before) ?? MAX_UUID}
    order by e.id desc limit ${page.limit + 1}`
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ id: _, at, ...entry }) => ({ ...entry, at: at.toISOString() })),
    next: rows.length > page.limit && last !== undefined ? idFromUuid(last.id) : undefined,
  }
}
