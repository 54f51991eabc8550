/** Sessions of signed-in people: a random token in the browser, its hash here, fourteen days from the last use. */
import { sha256Hex } from '../kernel/crypto.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import { auditColumns, auditValues } from './audit.ts'
import type { AccountContext, OperatorContext } from './context.ts'
import { isToken, newToken } from './one-time-links.ts'
import type { Role } from './people.ts'

export const SESSION_LIFETIME_MS = 14 * 86_400_000
/** A session is moved on at most this often, so that reading pages writes next to nothing. */
const SLIDES_AFTER_MS = 3_600_000

export type Session = {
  id: string
  personId: string
  email: string
  /** In a closed account everyone is a viewer: nothing there can be changed. */
  role: Role
  actorId: number
  account: { id: number; name: string; plan: string; planHasApi: boolean; closedAt: Date | null }
  /** Its end has been moved by this look-up, so the browser's copy wants moving too. */
  isMoved: boolean
}

/** How the person proved who they are: by the password of this hash, or with this passkey. */
export type Proof = { passwordHash: string } | { passkeyId: string }

/**
 * A new session in the account the person has belonged to for longest, and the end of the one the browser had. Returns
 * its token, or undefined when the person belongs to no account or the proof is no longer good.
 */
export async function createSession(
  ctx: OperatorContext,
  input: Proof & { personId: string; replaces: string | undefined },
): Promise<string | undefined> {
  const { sql } = ctx
  const now = ctx.clock.now()
  const token = newToken()
  const passwordHash = 'passwordHash' in input ? input.passwordHash : null
  const passkeyId = 'passkeyId' in input ? input.passkeyId : null
  const entry = {
    account: sql`account_id`,
    actor: sql`actor_id`,
    now,
    action: 'signed_in',
    subject: sql`email`,
  } as const
  const made = await sql`
    with home as materialized (
      select m.account_id, m.actor_id, p.email from membership m join person p on p.id = m.person_id
      where m.person_id = ${input.personId} and (p.password_hash = ${passwordHash}::text
        or exists (select from passkey k where k.id = ${passkeyId}::uuid and k.person_id = p.id))
      order by m.created_at, m.account_id limit 1
    ), ended as (
      delete from person_session where hash = ${sha256Hex(input.replaces ?? '')} or hash in (
        select hash from person_session where expires_at <= ${now} limit 100 for update skip locked)
    ), noted as (
      insert into audit_entry (${auditColumns(sql)}) select ${auditValues(sql, entry)} from home
    )
    insert into person_session (hash, id, person_id, account_id, created_at, expires_at)
    select ${sha256Hex(token)}, ${newUuid(now.getTime())}::uuid, ${input.personId}::uuid, account_id, ${now}::timestamptz, ${endFrom(now)}::timestamptz
    from home returning hash`
  return made.length === 1 ? token : undefined
}

const endFrom = (now: Date) => new Date(now.getTime() + SESSION_LIFETIME_MS)

/** The person behind a session's token with their role of this moment, or undefined when it has ended. */
export async function findSession(ctx: OperatorContext, token: string): Promise<Session | undefined> {
  if (!isToken(token)) return undefined
  const now = ctx.clock.now()
  const hash = sha256Hex(token)
  const [row] = await ctx.sql<SessionRow[]>`
    select s.id, s.person_id, p.email, m.role, m.actor_id, s.account_id, a.name, a.plan, plan.api, a.closed_at, s.expires_at
    from person_session s
    join person p on p.id = s.person_id
    join membership m on m.account_id = s.account_id and m.person_id = s.person_id
    join account a on a.id = s.account_id
    join plan on plan.id = a.plan
    where s.hash = ${hash} and s.expires_at > ${now}`
  if (!row) return undefined
  const isMoved = endFrom(now).getTime() - row.expires_at.getTime() >= SLIDES_AFTER_MS
  if (isMoved) await ctx.sql`update person_session set expires_at = ${endFrom(now)} where hash = ${hash}`
  return {
    id: idFromUuid(row.id),
    personId: row.person_id,
    email: row.email,
    role: row.closed_at === null ? row.role : 'viewer',
    actorId: row.actor_id,
    account: {
      id: row.account_id,
      name: row.name,
      plan: row.plan,
      planHasApi: row.api,
      closedAt: row.closed_at,
    },
    isMoved,
  }
}

type SessionRow = {
  id: string
  person_id: string
  email: string
  role: Role
  actor_id: number
  account_id: number
  name: string
  plan: string
  api: boolean
  closed_at: Date | null
  expires_at: Date
}

export async function endSession(ctx: OperatorContext, token: string): Promise<void> {
  await ctx.sql`delete from person_session where hash = ${sha256Hex(token)}`
}

/** The accounts a person belongs to, the first one first. */
export async function listAccountsOf(
  ctx: OperatorContext,
  personId: string,
): Promise<{ id: number; name: string }[]> {
  return ctx.sql<{ id: number; name: string }[]>`
    select a.id, a.name from membership m join account a on a.id = m.account_id
    where m.person_id = ${personId} order by a.id`
}

/** Turns a session to another account of the same person. False when they do not belong to it: nothing changes. */
export async function switchAccount(
  ctx: OperatorContext,
  input: { token: string; accountId: number },
): Promise<boolean> {
  const turned = await ctx.sql`
    update person_session s set account_id = m.account_id from membership m
    where s.hash = ${sha256Hex(input.token)} and m.person_id = s.person_id and m.account_id = ${input.accountId}
    returning s.hash`
  return turned.length === 1
}

/** What a signed-in person's verbs are told. */
export const contextOf = (ctx: OperatorContext, session: Session): AccountContext => ({
  sql: ctx.sql,
  clock: ctx.clock,
  accountId: session.account.id,
  actorId: session.actorId,
})
