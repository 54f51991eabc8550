/** The two ways to a first password, both by a one-time link: a person the operator made, and the owner at set-up. */

import { sha256Hex } from '../../kernel/crypto.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { newUuid } from '../../kernel/ids.ts'
import { createAccount } from '../accounts.ts'
import { audit, insertAuditEntries } from '../audit.ts'
import type { OperatorContext } from '../context.ts'
import { withTransaction } from '../transaction.ts'
import { clearEmailAttempts } from './attempt-limits.ts'
import { parseEmail } from './email.ts'
import { findPasswordLink, isSetUpLink } from './one-time-links.ts'
import { findPasswordProblem, hashPassword, PASSWORD_PROBLEM_SENTENCES } from './password.ts'
import { addMember } from './people.ts'

/** Whoever has a password now; `passwordHash` is what `createSession` asks for. */
type PersonWithPassword = { personId: string; email: string; passwordHash: string }

/** The plan of an account that its owner sets up. */
const FIRST_PLAN = 'beta'

/**
 * Sets the password of the link's person and ends all their sessions and links. Throws `not_found` for a
 * link that is not good any more and `validation` for a password that is not taken.
 */
export async function setPassword(
  ctx: OperatorContext,
  input: { token: string; password: string },
): Promise<PersonWithPassword> {
  const link = await findPasswordLink(ctx, input.token)
  if (link === undefined) throw notFound('link')
  requirePassword(input.password, link.email)
  const passwordHash = await hashPassword(input.password)
  const { sql } = ctx
  const now = ctx.clock.now()
  const hash = sha256Hex(input.token)
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
      from used where id = used.person_id returning id, email
    ), ended as (
      delete from person_session where person_id in (select person_id from used)
    ), noted as (
      ${insertAuditEntries(ctx, 'password_set', sql`email`)} from p join membership m on m.person_id = p.id
    )
    select id from p`
  if (person === undefined) throw notFound('link')
  await clearEmailAttempts(ctx, link.email)
  return { personId: person.id, email: link.email, passwordHash }
}

type FirstOwner = { token: string; accountName: string; email: string; password: string }

/**
 * The first account with its owner; the set-up link is used up. Throws `not_found` for a link that is not good any
 * more, as none is once there is an account, and `validation` for an e-mail or password that is not taken.
 */
export async function setUpOwner(ctx: OperatorContext, input: FirstOwner): Promise<PersonWithPassword> {
  if (!(await isSetUpLink(ctx, input.token))) throw notFound('link')
  const email = parseEmail(input.email)
  if (email === undefined) throw refusedEmail('format', 'That is not an e-mail address.')
  requirePassword(input.password, email)
  const passwordHash = await hashPassword(input.password)
  return withTransaction(ctx, async tx => {
    // An account that is being made elsewhere is waited for: whether there is one is then known.
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
      throw refusedEmail('duplicate', `There is a person with the e-mail ${email} already.`)
    const account = await createAccount(tx, { name: input.accountName, plan: FIRST_PLAN })
    const accountId = Number(account.id)
    const actorId = await addMember(tx, { accountId, personId: person.id, email, role: 'owner' })
    const owner = { ...tx, accountId, actorId }
    await audit(owner, 'account_set_up', input.accountName)
    await audit(owner, 'password_set', email)
    return { personId: person.id, email, passwordHash }
  })
}

const refusedEmail = (code: 'format' | 'duplicate', message: string) =>
  invalid([{ field: 'email', pointer: '/email', code, message }])

function requirePassword(password: string, email: string): void {
  const problem = findPasswordProblem(password, email)
  if (problem === undefined) return
  const message = PASSWORD_PROBLEM_SENTENCES[problem]
  throw invalid([{ field: 'password', pointer: '/password', code: 'length', message }])
}
