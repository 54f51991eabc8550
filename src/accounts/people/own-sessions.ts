/** A person's sessions as they see them: when each began and was last used. Where from is not known, because it is not stored. */
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import { auditPerson } from '../audit.ts'
import type { OperatorContext } from '../context.ts'
import { withTransaction } from '../transaction.ts'
import { isLive, SESSION_LIFETIME_MS } from './sessions.ts'

/** `last_used_at` is told to the hour: so often at most a session is moved on. */
export type SessionRecord = { id: string; account: string; created_at: string; last_used_at: string }

/** The sessions of a person that have not ended, the one used last first. */
export async function listSessions(ctx: OperatorContext, personId: string): Promise<SessionRecord[]> {
  const rows = await ctx.sql<{ id: string; name: string; created_at: Date; expires_at: Date }[]>`
    select s.id, a.name, s.created_at, s.expires_at
    from person_session s
    join membership m on m.account_id = s.account_id and m.person_id = s.person_id
    join account a on a.id = s.account_id
    where s.person_id = ${personId} and ${isLive(ctx)}
    order by s.expires_at desc, s.id desc`
  return rows.map(row => ({
    id: idFromUuid(row.id),
    account: row.name,
    created_at: row.created_at.toISOString(),
    last_used_at: new Date(row.expires_at.getTime() - SESSION_LIFETIME_MS).toISOString(),
  }))
}

type Owner = { personId: string; email: string }

/** Ends one session of the person. False when it is not theirs or has ended: nothing changes. */
export async function endOneSession(ctx: OperatorContext, owner: Owner, id: string): Promise<boolean> {
  const uuid = findUuid(id)
  if (uuid === undefined) return false
  return withTransaction(ctx, async tx => {
    const ended = await tx.sql`
      delete from person_session where person_id = ${owner.personId} and id = ${uuid} returning id`
    if (ended.length === 1) await auditPerson(tx, owner.personId, 'sessions_ended', owner.email)
    return ended.length === 1
  })
}

/** Ends all sessions of the person but the one with this id. Returns how many. */
export async function endOtherSessions(ctx: OperatorContext, owner: Owner, keptId: string): Promise<number> {
  return withTransaction(ctx, async tx => {
    const ended = await tx.sql`
      delete from person_session where person_id = ${owner.personId} and id <> ${findUuid(keptId) ?? ''} returning id`
    if (ended.length > 0) await auditPerson(tx, owner.personId, 'sessions_ended', owner.email)
    return ended.length
  })
}
