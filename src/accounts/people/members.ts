/**
 * How owners manage the people of their account. All members are locked first: two owners cannot remove each
 * other.
 */

import { idFromUuid, newUuid, parseId } from '../../kernel/crypto/ids.ts'
import { AppError, requireById } from '../../kernel/errors/errors.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, withTransaction } from '../account/context.ts'
import { requireEmail } from './email.ts'
import { createPasswordLink } from './one-time-links.ts'
import { addMember, findOrCreatePerson, type KnownPerson, type Role } from './people.ts'

/** Security bound: each invitation sends an e-mail to an address that somebody typed. */
export const MAX_INVITATIONS_PER_DAY = 50
const DAY_MS = 86_400_000

/** `hasPassword` is false until the person has used their link. */
export type Member = { id: string; email: string; role: Role; since: string; hasPassword: boolean }

/** All people of the account: owners first, then by e-mail. */
export async function listMembers(ctx: AccountContext): Promise<Member[]> {
  const rows = await ctx.sql<(Omit<Member, 'since'> & { created_at: Date })[]>`
    select p.id, p.email, m.role, m.created_at, p.password_hash is not null as "hasPassword"
    from membership m join person p on p.id = m.person_id where m.account_id = ${ctx.accountId}
    order by array_position(array['owner', 'editor', 'viewer'], m.role), p.email`
  return rows.map(({ created_at, ...member }) => ({
    ...member,
    id: idFromUuid(member.id),
    since: created_at.toISOString(),
  }))
}

/** A member by id. Throws `not_found`, also for members of other accounts. */
export async function getMember(ctx: AccountContext, id: string): Promise<Member> {
  return requireById(await listMembers(ctx), id, 'person')
}

/**
 * Who receives the link of an invitation: the person by e-mail, or, without a mail server, the inviting
 * owner. An owner who sees the link could sign in as the person. So owners see only links of people without
 * another account, and a person whose link an owner saw cannot join another account until they have received
 * a link that no owner saw.
 */
export type LinkReader = 'person' | 'owner'

/** `token` sets a first password. `elsewhere`: another account has already invited the person. */
export type Invitation = { token: string } | { token: undefined; reason: 'has_password' | 'elsewhere' }

/**
 * Adds a person to the account. `vouched`, without a change, if an owner of another account has seen their
 * link. Throws `validation` for an invalid e-mail or an existing member, and `rate_limited`.
 */
export async function inviteMember(
  ctx: AccountContext,
  input: { email: string; role: Role; reader: LinkReader },
): Promise<(Invitation & { id: string; email: string }) | { problem: 'vouched' }> {
  const email = requireEmail(input.email)
  return withTransaction(ctx, async tx => {
    await lockMembers(tx)
    await requireInvitationsLeft(tx)
    const person = await findOrCreatePerson(tx, email)
    if (person.vouchedBy !== null && person.vouchedBy !== ctx.accountId) return { problem: 'vouched' }
    await addMember(tx, { accountId: ctx.accountId, personId: person.id, email, role: input.role })
    await audit(tx, 'person_added', email)
    return { id: idFromUuid(person.id), email, ...(await createInvitation(tx, person, input.reader)) }
  })
}

async function createInvitation(
  ctx: AccountContext,
  person: KnownPerson,
  reader: LinkReader,
): Promise<Invitation> {
  const { sql, accountId } = ctx
  if (person.hasPassword) return { token: undefined, reason: 'has_password' }
  const [elsewhere] = await sql`
    select from membership where person_id = ${person.id} and account_id <> ${accountId} limit 1`
  if (reader === 'owner' && elsewhere !== undefined) return { token: undefined, reason: 'elsewhere' }
  await sql`update person set vouched_by = ${reader === 'owner' ? accountId : null} where id = ${person.id}`
  return { token: await createPasswordLink(ctx, person.id, { purpose: 'invitation', accountId }) }
}

/** Replaces the link of a member without a password. Throws `not_found` and `rate_limited`. */
export async function inviteAgain(
  ctx: AccountContext,
  input: { id: string; reader: LinkReader },
): Promise<Invitation & { member: Member }> {
  return withTransaction(ctx, async tx => {
    const { member } = await lockMember(tx, input.id)
    if (member.hasPassword) return { member, token: undefined, reason: 'has_password' }
    await requireInvitationsLeft(tx)
    const person = await findOrCreatePerson(tx, member.email)
    await audit(tx, 'person_invited_again', member.email)
    return { member, ...(await createInvitation(tx, person, input.reader)) }
  })
}

/** Ends a member's sessions in this account only. Throws `not_found`. */
export async function endMemberSessions(ctx: AccountContext, id: string): Promise<void> {
  await withTransaction(ctx, async tx => {
    const { uuid, member } = await lockMember(tx, id)
    await tx.sql`
      update membership set sessions_ended_at = ${tx.clock.now()}
      where account_id = ${ctx.accountId} and person_id = ${uuid}`
    await tx.sql`delete from person_session where account_id = ${ctx.accountId} and person_id = ${uuid}`
    await audit(tx, 'sessions_ended_by_owner', member.email)
  })
}

async function requireInvitationsLeft(ctx: AccountContext): Promise<void> {
  const since = new Date(ctx.clock.now().getTime() - DAY_MS)
  // Ids are ordered by time, so this bound keeps the count from reading the whole log.
  const [row] = await ctx.sql<{ n: number }[]>`
    select count(*)::int as n from audit_entry
    where account_id = ${ctx.accountId} and id >= ${newUuid(since.getTime())}
      and action in ('person_added', 'person_invited_again')`
  if ((row?.n ?? 0) < MAX_INVITATIONS_PER_DAY) return
  const message = `At most ${MAX_INVITATIONS_PER_DAY} people can be invited in a day. Try again tomorrow.`
  throw new AppError('rate_limited', message, undefined, 3_600_000)
}

/** Changes a member's role. False, without a change, for the last owner. Throws `not_found`. */
export async function changeRole(ctx: AccountContext, input: { id: string; role: Role }): Promise<boolean> {
  return withTransaction(ctx, async tx => {
    const { uuid, member } = await lockMember(tx, input.id)
    if (member.role === input.role) return true
    if (member.role === 'owner' && !(await hasAnotherOwner(tx, uuid))) return false
    await tx.sql`
      update membership set role = ${input.role} where account_id = ${ctx.accountId} and person_id = ${uuid}`
    await audit(tx, 'role_changed', `${member.email}: ${member.role} → ${input.role}`)
    return true
  })
}

/**
 * Removes a person from the account and ends their sessions in it. A person without any account is deleted;
 * the history keeps the name. False, without a change, for the last owner. Throws `not_found`.
 */
export async function removeMember(ctx: AccountContext, id: string): Promise<boolean> {
  return withTransaction(ctx, async tx => {
    const { uuid, member } = await lockMember(tx, id)
    if (member.role === 'owner' && !(await hasAnotherOwner(tx, uuid))) return false
    await audit(tx, 'person_removed', member.email)
    await tx.sql`delete from membership where account_id = ${ctx.accountId} and person_id = ${uuid}`
    await tx.sql`delete from person_session where account_id = ${ctx.accountId} and person_id = ${uuid}`
    await deletePersonWithoutAccount(tx, uuid)
    return true
  })
}

async function deletePersonWithoutAccount(ctx: AccountContext, personId: string): Promise<void> {
  const { sql } = ctx
  // The id stands in each condition: a plan for small tables would read all rows of all people.
  const isDeleted = sql`person_id = ${personId} and exists (select from deleted)`
  await sql`
    with deleted as (
      delete from person p where p.id = ${personId}
        and not exists (select from membership m where m.person_id = p.id)
      returning p.id
    ), keys as (
      delete from passkey where ${isDeleted}
    ), challenges as (
      delete from passkey_challenge where ${isDeleted}
    ), links as (
      delete from password_link where ${isDeleted}
    ), older_links as (
      delete from one_time_link where ${isDeleted}
    ), browser_links as (
      delete from browser_link where ${isDeleted}
    )
    delete from person_session where ${isDeleted}`
}

/** Locks all memberships of the account in one order, so that changes of members wait for each other. */
async function lockMembers(ctx: AccountContext): Promise<void> {
  await ctx.sql`select from membership where account_id = ${ctx.accountId} order by person_id for update`
}

async function lockMember(ctx: AccountContext, id: string): Promise<{ uuid: string; member: Member }> {
  await lockMembers(ctx)
  const member = await getMember(ctx, id)
  return { uuid: parseId(id) ?? '', member }
}

async function hasAnotherOwner(ctx: AccountContext, personId: string): Promise<boolean> {
  const others = await ctx.sql`
    select from membership where account_id = ${ctx.accountId} and role = 'owner' and person_id <> ${personId} limit 1`
  return others.length > 0
}
