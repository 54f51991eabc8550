/** Sessions of signed-in people: a random token in the browser, and its hash here. */
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { idFromUuid, newUuid, parseId } from '../../kernel/crypto/ids.ts'
import { explainDatabaseError, type Fragment } from '../../kernel/db/database.ts'
import { type AccountPlace, placeColumns, toHome } from '../account/account-shard.ts'
import { withActor } from '../account/actors.ts'
import type { AudienceProfile } from '../account/audience-profile.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../account/context.ts'
import { createToken, isToken } from './one-time-links.ts'
import type { Role } from './people.ts'

/** Counted from the last use. */
export const SESSION_LIFETIME_MS = 14 * 86_400_000
/** Counted from the last proof of identity, however much the session is used. */
export const MAX_SESSION_AGE_MS = 30 * 86_400_000
/** How long a proof of identity counts. */
export const PROOF_LIFETIME_MS = 10 * 60_000
/** One more ends the session that was unused for longest. */
export const MAX_SESSIONS_PER_PERSON = 20
/** A session is extended at most this often, so that reading pages writes next to nothing. */
const SLIDES_AFTER_MS = 3_600_000

export type Session = {
  id: string
  personId: string
  email: string
  /** In a closed account everyone is a viewer: nothing there can be changed. */
  role: Role
  actorId: number
  account: AccountPlace & {
    id: number
    name: string
    plan: string
    planHasApi: boolean
    audienceProfile: AudienceProfile
    /** The readiness settings as stored; null: none. */
    readiness: unknown
    closedAt: Date | null
    /** Its owners answer requests for verification. */
    isOperator: boolean
  }
  /** When the person last proved who they are, by their password or a passkey. */
  provenAt: Date
  /** This look-up has extended the session, so the browser's cookie needs extending too. */
  isMoved: boolean
}

/** How the person proved who they are: with the password that has this hash, or with this passkey. */
type Proof = { passwordHash: string } | { passkeyId: string }

export type NewSession = { token: string; email: string }

/**
 * Creates a session in the person's oldest account, and ends the one that the browser had. Undefined if the
 * person has no account or the proof no longer counts.
 */
export async function createSession(
  ctx: OperatorContext,
  input: Proof & { personId: string; replaces: string | undefined },
): Promise<NewSession | undefined> {
  const token = createToken()
  const now = ctx.clock.now()
  const passwordHash = 'passwordHash' in input ? input.passwordHash : null
  const passkeyId = 'passkeyId' in input ? input.passkeyId : null
  return withTransaction(ctx, async tx => {
    const [home] = await tx.sql<{ account_id: number; actor_id: number; email: string }[]>`
      with home as materialized (
        select m.account_id, m.actor_id, p.email from membership m join person p on p.id = m.person_id
        where m.person_id = ${input.personId} and (p.password_hash = ${passwordHash}::text
          or exists (select from passkey k where k.id = ${passkeyId}::uuid and k.person_id = p.id))
        order by m.created_at, m.account_id limit 1
      ), ended as (
        delete from person_session where hash = ${sha256Hex(input.replaces ?? '')} or hash in (
          select hash from person_session where expires_at <= ${now} limit 100 for update skip locked)
          or hash in (
            select hash from person_session where person_id = ${input.personId}
            order by expires_at desc, id desc offset ${MAX_SESSIONS_PER_PERSON - 1})
      ), started as (
        insert into person_session (hash, id, person_id, account_id, created_at, proven_at, expires_at)
        select ${sha256Hex(token)}, ${newUuid(now.getTime())}::uuid, ${input.personId}::uuid, account_id, ${now}::timestamptz,
          ${now}::timestamptz, ${endFrom(now)}::timestamptz
        from home
      )
      select account_id, actor_id, email from home`
    if (home === undefined) return undefined
    const account = await withActor({ ...tx, actorId: home.actor_id }, home.account_id)
    await audit(account, 'signed_in', home.email)
    return { token, email: home.email }
  })
}

const endFrom = (now: Date) => new Date(now.getTime() + SESSION_LIFETIME_MS)

/** SQL condition on `person_session s`: the session has not ended. */
export const isLive = (ctx: OperatorContext): Fragment => {
  const now = ctx.clock.now()
  const oldest = new Date(now.getTime() - MAX_SESSION_AGE_MS)
  return ctx.sql`s.expires_at > ${now} and coalesce(s.proven_at, s.created_at) > ${oldest}`
}

/** Replaces a session's token after a proof of identity. Undefined if the session has ended. */
export async function renewSession(
  ctx: OperatorContext,
  { id, personId }: Pick<Session, 'id' | 'personId'>,
): Promise<string | undefined> {
  const token = createToken()
  const now = ctx.clock.now()
  const renewed = await ctx.sql`
    update person_session s set hash = ${sha256Hex(token)}, proven_at = ${now}, expires_at = ${endFrom(now)}
    where s.id = ${parseId(id) ?? ''} and s.person_id = ${personId} and ${isLive(ctx)} returning s.id`
  return renewed.length === 1 ? token : undefined
}

export const isRecentlyProven = ({ provenAt }: Pick<Session, 'provenAt'>, now: Date): boolean =>
  provenAt.getTime() + PROOF_LIFETIME_MS > now.getTime()

/** The session with the person's current role; undefined if it has ended. */
export async function findSession(ctx: OperatorContext, token: string): Promise<Session | undefined> {
  if (!isToken(token)) return undefined
  const now = ctx.clock.now()
  const hash = sha256Hex(token)
  const [row] = await ctx.sql<SessionRow[]>`
    select s.id, s.person_id as "personId", p.email, m.role, m.actor_id as "actorId", s.account_id, a.name, a.plan, a.audience_profile as "audienceProfile", a.readiness, ${placeColumns(ctx.sql)},
      plan.api as "planHasApi", a.closed_at, a.is_operator as "isOperator", s.expires_at, coalesce(s.proven_at, s.created_at) as "provenAt"
    from person_session s
    join person p on p.id = s.person_id
    join membership m on m.account_id = s.account_id and m.person_id = s.person_id
    join account a on a.id = s.account_id
    join plan on plan.id = a.plan
    where s.hash = ${hash} and ${isLive(ctx)} and ${isAdmitted(ctx)}`
  if (!row) return undefined
  const {
    account_id,
    name,
    plan,
    planHasApi,
    audienceProfile,
    readiness,
    closed_at: closedAt,
    isOperator,
    expires_at,
    ...session
  } = row
  const { shard, shards, modelShards } = row
  const isDue = endFrom(now).getTime() - expires_at.getTime() >= SLIDES_AFTER_MS
  const isMoved = isDue && (await extendSession(ctx, hash, endFrom(now)))
  return {
    ...session,
    id: idFromUuid(row.id),
    role: closedAt === null ? row.role : 'viewer',
    account: {
      id: account_id,
      name,
      plan,
      planHasApi,
      audienceProfile,
      readiness,
      shard,
      shards,
      modelShards,
      closedAt,
      isOperator,
    },
    isMoved,
  }
}

/** Returns false while the database cannot be written to: a later request extends the session. */
async function extendSession({ sql }: OperatorContext, hash: string, end: Date): Promise<boolean> {
  try {
    await sql`update person_session set expires_at = ${end} where hash = ${hash}`
    return true
  } catch (error) {
    if (explainDatabaseError(error)?.code === 'unavailable') return false
    throw error
  }
}

type SessionRow = Omit<Session, 'account' | 'isMoved'> &
  Omit<Session['account'], 'id' | 'closedAt'> & {
    account_id: number
    closed_at: Date | null
    expires_at: Date
  }

/** SQL condition on `person_session s`, `membership m`: owners have not ended the person's sessions. */
const isAdmitted = ({ sql }: OperatorContext): Fragment =>
  sql`coalesce(m.sessions_ended_at, '-infinity') <= coalesce(s.proven_at, s.created_at)`

/** Ends the session with this token at once. Does nothing for an unknown token. */
export async function endSession(ctx: OperatorContext, token: string): Promise<void> {
  await ctx.sql`delete from person_session where hash = ${sha256Hex(token)}`
}

export const listPersonAccounts = (ctx: OperatorContext, personId: string) =>
  ctx.sql<{ id: number; name: string }[]>`
    select a.id, a.name from membership m join account a on a.id = m.account_id
    where m.person_id = ${personId} order by a.id`

/**
 * Switches a session to another account of the same person. `unknown` if they do not belong to it, `unproven`
 * if its owners have ended their sessions since the last proof.
 */
export async function switchAccount(
  ctx: OperatorContext,
  input: { token: string; accountId: number },
): Promise<'done' | 'unknown' | 'unproven'> {
  const { sql } = ctx
  const hash = sha256Hex(input.token)
  const [found] = await sql<{ is_turned: boolean }[]>`
    with own as materialized (
      select m.account_id, ${isAdmitted(ctx)} as is_admitted
      from person_session s join membership m on m.person_id = s.person_id and m.account_id = ${input.accountId}
      where s.hash = ${hash}
    ), turned as (
      update person_session s set account_id = own.account_id from own where s.hash = ${hash} and own.is_admitted
      returning s.hash
    )
    select exists (select from turned) as is_turned from own`
  if (found === undefined) return 'unknown'
  return found.is_turned ? 'done' : 'unproven'
}

/**
 * For each query, in order: whether the token's session is live and its person belongs to the account. Scans
 * by an account's own people are not counted.
 */
export async function areMembers(
  ctx: OperatorContext,
  queries: readonly { token: string; accountId: number }[],
): Promise<boolean[]> {
  const { sql } = ctx
  const wellFormed = queries.filter(query => isToken(query.token))
  if (wellFormed.length === 0) return queries.map(() => false)
  const hashes = wellFormed.map(query => sha256Hex(query.token))
  const rows = await sql<{ hash: string; account_id: number }[]>`
    select k.hash, k.account_id
    from unnest(${hashes}::text[], ${wellFormed.map(query => query.accountId)}::int[]) as k(hash, account_id)
    join person_session s on s.hash = k.hash and ${isLive(ctx)}
    join membership m on m.person_id = s.person_id and m.account_id = k.account_id`
  const own = new Set(rows.map(row => `${row.hash} ${row.account_id}`))
  return queries.map(query => own.has(`${sha256Hex(query.token)} ${query.accountId}`))
}

export const toAccountContext = (ctx: OperatorContext, session: Session): AccountContext => ({
  ...toHome(ctx.sql, session.account),
  clock: ctx.clock,
  accountId: session.account.id,
  actorId: session.actorId,
  readiness: session.account.readiness,
})
