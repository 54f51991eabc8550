/** A person's own sessions: when each began and was last used. Networks are not stored. */

import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { isLive, SESSION_LIFETIME_MS } from './sessions.ts'

/** `last_used_at` is exact to the hour: a session is extended once an hour at most. */
export type SessionRecord = { id: string; account: string; created_at: string; last_used_at: string }

/** The sessions that have not ended, last used first. */
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

/** Ends one session of the person. False if it is not theirs or has ended. */
export async function endOneSession(ctx: OperatorContext, owner: Owner, id: string): Promise<boolean> {
  const uuid = parseId(id)
  return uuid !== undefined && (await endSessions(ctx, owner, ctx.sql`id = ${uuid}`)) === 1
}

/** Ends all sessions of the person but the one with this id. Returns how many. */
export const endOtherSessions = (ctx: OperatorContext, owner: Owner, keptId: string): Promise<number> =>
  endSessions(ctx, owner, ctx.sql`id <> ${parseId(keptId) ?? ''}`)

const endSessions = (ctx: OperatorContext, { personId, email }: Owner, which: Fragment): Promise<number> =>
  withTransaction(ctx, async tx => {
    const ended = await tx.sql`
      delete from person_session where person_id = ${personId} and ${which} returning id`
    if (ended.length > 0) await auditPerson(tx, personId, 'sessions_ended', email)
    return ended.length
  })
