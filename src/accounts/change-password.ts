/** Changing one's own password: the one before is asked for, so that a browser left open is not enough. */
import { invalid } from '../kernel/errors.ts'
import { findUuid } from '../kernel/ids.ts'
import { auditPerson } from './audit.ts'
import type { OperatorContext } from './context.ts'
import { findPasswordProblem, hashPassword, PASSWORD_PROBLEM_SENTENCES, verifyPassword } from './password.ts'
import type { Session } from './sessions.ts'
import { forgiveAttempts, takeAttempt } from './sign-in-attempts.ts'
import { inTransaction } from './transaction.ts'

export type Checked = { passwordHash: string } | { problem: 'wrong' } | { problem: 'wait'; seconds: number }

/** Whether it is the signed-in person's password; counted like a sign-in. */
export async function checkOwnPassword(
  ctx: OperatorContext,
  session: Session,
  input: { password: string; network: string },
): Promise<Checked> {
  const from = { email: session.email, network: input.network }
  const seconds = await takeAttempt(ctx, from)
  if (seconds !== undefined) return { problem: 'wait', seconds }
  const [person] = await ctx.sql<{ password_hash: string | null }[]>`
    select password_hash from person where id = ${session.personId}`
  const known = person?.password_hash ?? undefined
  if (!(await verifyPassword(input.password, known)) || known === undefined) return { problem: 'wrong' }
  await forgiveAttempts(ctx, from)
  return { passwordHash: known }
}

/** Sets another password and ends all other sessions and links of the person. Throws `validation` for one not taken. */
export async function changePassword(
  ctx: OperatorContext,
  session: Session,
  input: { current: string; password: string; network: string },
): Promise<Checked> {
  const { personId, email } = session
  const problem = findPasswordProblem(input.password, email)
  if (problem !== undefined) {
    const message = PASSWORD_PROBLEM_SENTENCES[problem]
    throw invalid([{ field: 'password', pointer: '/password', code: 'length', message }])
  }
  const checked = await checkOwnPassword(ctx, session, { password: input.current, network: input.network })
  if ('problem' in checked) return checked
  const passwordHash = await hashPassword(input.password)
  return inTransaction(ctx, async tx => {
    const changed = await tx.sql`
      update person set password_hash = ${passwordHash}
      where id = ${personId} and password_hash = ${checked.passwordHash} returning id`
    if (changed.length === 0) return { problem: 'wrong' }
    await tx.sql`delete from one_time_link where person_id = ${personId}`
    await tx.sql`delete from person_session where person_id = ${personId} and id <> ${findUuid(session.id) ?? ''}`
    await auditPerson(tx, personId, 'password_changed', email)
    return { passwordHash }
  })
}
