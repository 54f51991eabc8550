/** Sets a first password by a one-time link: for an invited person, and for the owner at set-up. */
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { createAccount } from '../account/accounts.ts'
import { withActor } from '../account/actors.ts'
import { audit, auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { nameOnly } from '../identity/identity.ts'
import { verifyAccount } from '../issuer/verify-account.ts'
import { clearEmailAttempts } from './attempt-limits.ts'
import { invalidEmail, requireEmail } from './email.ts'
import { findPasswordLink, isSetUpLink } from './one-time-links.ts'
import { hashPassword, requireValidPassword } from './password.ts'
import { addMember } from './people.ts'

type PersonWithPassword = { personId: string; email: string; passwordHash: string }

/** The plan of an account that its owner sets up. */
const FIRST_PLAN = 'beta'

/** Sets the password of a link's person, ends sessions and links. Throws `not_found`, `validation`. */
export async function setPassword(
  ctx: OperatorContext,
  input: { token: string; password: string },
): Promise<PersonWithPassword> {
  const link = await findPasswordLink(ctx, input.token)
  if (link === undefined) throw notFound('link')
  requireValidPassword(input.password, link.email)
  const passwordHash = await hashPassword(input.password)
  const hash = sha256Hex(input.token)
  const personId = await withTransaction(ctx, async tx => {
    const id = await useLink(tx, hash, passwordHash)
    await auditPerson(tx, id, 'password_set', link.email)
    return id
  })
  await clearEmailAttempts(ctx, link.email)
  return { personId, email: link.email, passwordHash }
}

/** Returns the person whose password it has set. Throws `not_found`. */
async function useLink({ sql, clock }: OperatorContext, hash: string, passwordHash: string): Promise<string> {
  const now = clock.now()
  const [person] = await sql<{ id: string }[]>`
    with own as (
      delete from password_link where hash = ${hash} and expires_at > ${now} returning person_id, purpose
    ), older as (
      delete from one_time_link where hash = ${hash} and purpose = 'set_password' and expires_at > ${now}
      returning person_id
    ), used as materialized (
      select person_id, purpose <> 'invitation' as is_own from own union all select person_id, false from older
    ), others as (
      delete from password_link where person_id in (select person_id from used) and hash <> ${hash}
    ), older_others as (
      delete from one_time_link where person_id in (select person_id from used) and hash <> ${hash}
    ), p as (
      update person set password_hash = ${passwordHash}, vouched_by = case when is_own then null else vouched_by end
      from used where id = used.person_id returning id
    ), ended as (
      delete from person_session where person_id in (select person_id from used)
    )
    select id from p`
  if (person === undefined) throw notFound('link')
  return person.id
}

/** `legalName`: that of the operator, whose account it is; default: the name of the account. */
type FirstOwner = { token: string; accountName: string; legalName?: string; email: string; password: string }

/**
 * Creates the first account with its owner. Whoever sets the server up operates it, so the account is
 * verified. Throws `not_found` if an account exists, and `validation`.
 */
export async function setUpOwner(ctx: OperatorContext, input: FirstOwner): Promise<PersonWithPassword> {
  if (!(await isSetUpLink(ctx, input.token))) throw notFound('link')
  const email = requireEmail(input.email)
  requireValidPassword(input.password, email)
  const passwordHash = await hashPassword(input.password)
  return withTransaction(ctx, async tx => {
    // Waits for an account that is being created elsewhere.
    await tx.sql`lock table account in share row exclusive mode`
    const used = await tx.sql`
      delete from one_time_link
      where hash = ${sha256Hex(input.token)} and purpose = 'set_up' and not exists (select from account)
      returning hash`
    if (used.length === 0) throw notFound('link')
    const now = tx.clock.now()
    const [person] = await tx.sql<{ id: string }[]>`
      insert into person (id, email, password_hash, created_at)
      values (${newUuid(now.getTime())}, ${email}, ${passwordHash}, ${now})
      on conflict (email) do nothing returning id`
    if (person === undefined)
      throw invalidEmail('duplicate', `There is a person with the e-mail ${email} already.`)
    const account = await createAccount(tx, { name: input.accountName, plan: FIRST_PLAN })
    const accountId = Number(account.id)
    const actorId = await addMember(tx, { accountId, personId: person.id, email, role: 'owner' })
    const owner = await withActor({ ...tx, actorId }, accountId)
    await audit(owner, 'account_set_up', input.accountName)
    await audit(owner, 'password_set', email)
    await verifyAccount(owner, nameOnly(input.legalName ?? input.accountName), email)
    return { personId: person.id, email, passwordHash }
  })
}
