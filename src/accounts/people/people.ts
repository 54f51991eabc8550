/** Creates people and memberships. A person has one e-mail and one password for all accounts. */

import { idFromUuid, newUuid } from '../../kernel/crypto/ids.ts'
import { AppError, assert } from '../../kernel/errors/errors.ts'
import { requireAccount } from '../account/accounts.ts'
import { createActor, withActor } from '../account/actors.ts'
import { audit } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { invalidEmail, requireQuotedEmail } from './email.ts'
import { createPasswordLink } from './one-time-links.ts'

export const ROLES = ['owner', 'editor', 'viewer'] as const
export type Role = (typeof ROLES)[number]

type NewPerson = { accountId: number; email: string; role: Role }

/**
 * Adds a person to an account and creates a link to set their password. Throws `not_found` and `validation`.
 */
export async function createPerson(
  ctx: OperatorContext,
  input: NewPerson,
): Promise<{ id: string; email: string; token: string }> {
  const email = requireQuotedEmail(input.email)
  await requireAccount(ctx, input.accountId)
  return withTransaction(ctx, async tx => {
    const { id: personId, vouchedBy } = await findOrCreatePerson(tx, email)
    if (vouchedBy !== null && vouchedBy !== input.accountId) throw vouchedError(email, vouchedBy)
    await addMember(tx, { ...input, personId, email })
    const token = await createPasswordLink(tx, personId, { purpose: 'operator' })
    await audit(await withActor(tx, input.accountId), 'person_added', email)
    return { id: idFromUuid(personId), email, token }
  })
}

/** Creates a link to set a password. The old one works until the link is used. Throws `not_found`. */
export async function resetPassword(
  ctx: OperatorContext,
  input: { email: string },
): Promise<{ email: string; token: string }> {
  const email = requireQuotedEmail(input.email)
  return withTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string }[]>`select id from person where email = ${email} for update`
    if (!person) throw new AppError('not_found', `There is no person with the e-mail ${email}.`)
    const accounts = await tx.sql<{ account_id: number }[]>`
      select account_id from membership where person_id = ${person.id}`
    for (const one of accounts) await audit(await withActor(tx, one.account_id), 'password_link_made', email)
    return { email, token: await createPasswordLink(tx, person.id, { purpose: 'operator' }) }
  })
}

/**
 * `vouchedBy`: an owner of this account has seen the link for the person's first password, so that owner
 * could sign in as the person. Null once the person alone has received a link.
 */
export type KnownPerson = { id: string; hasPassword: boolean; vouchedBy: number | null }

/** The person with this e-mail, created if needed. The row stays locked until the transaction ends. */
export async function findOrCreatePerson(ctx: OperatorContext, email: string): Promise<KnownPerson> {
  const now = ctx.clock.now()
  const [row] = await ctx.sql<KnownPerson[]>`
    insert into person (id, email, created_at) values (${newUuid(now.getTime())}, ${email}, ${now})
    on conflict (email) do update set email = excluded.email
    returning id, password_hash is not null as "hasPassword", vouched_by as "vouchedBy"`
  assert(row, 'an upsert returns its row')
  return row
}

/**
 * Adds a membership and its actor, and returns the actor's id. Throws `validation` for an existing member.
 */
export async function addMember(
  ctx: OperatorContext,
  member: NewPerson & { personId: string },
): Promise<number> {
  const { accountId, personId, email, role } = member
  const existing = await ctx.sql`
    select from membership where account_id = ${accountId} and person_id = ${personId}`
  if (existing.length > 0)
    throw invalidEmail('duplicate', `${email} belongs to account ${accountId} already.`)
  const actorId = await createActor(ctx, { accountId, kind: 'person', label: email })
  await ctx.sql`
    insert into membership (account_id, person_id, role, actor_id, created_at)
    values (${accountId}, ${personId}, ${role}, ${actorId}, ${ctx.clock.now()})`
  return actorId
}

function vouchedError(email: string, accountId: number): AppError {
  const message = `The password of ${email} was set with a link that an owner of account ${accountId} has also seen, so that owner may know it. Run "carnet users reset-password --email ${email}", give the new link only to that person, and add them after they have used it.`
  return invalidEmail('duplicate', message)
}
