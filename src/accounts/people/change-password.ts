/** Checks a signed-in person's password again, and changes it: an open browser alone must not be enough. */
import { parseId } from '../../kernel/crypto/ids.ts'
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { type AttemptContext, attemptSignIn, clearAttempts } from './attempt-limits.ts'
import type { Throttled } from './network-attempts.ts'
import { endPasswordLinks } from './one-time-links.ts'
import { hashPassword, requireValidPassword, verifyPassword } from './password.ts'
import { recordFailedSignIn } from './record-failed-sign-in.ts'
import { renewSession, type Session } from './sessions.ts'

/** `token` replaces the session's token. */
type PasswordCheck = { token: string; passwordHash: string } | { problem: 'wrong' } | Throttled

/** Checks the signed-in person's password. Attempts are counted for their session, which nobody else has. */
export async function checkOwnPassword(
  ctx: AttemptContext,
  session: Session,
  input: { password: string; network: string },
): Promise<PasswordCheck> {
  const source = { email: session.email, network: input.network, known: `session ${session.id}` }
  const checked = await attemptSignIn(ctx, source, () => verify(ctx, session, input.password))
  if ('token' in checked) await clearAttempts(ctx, source)
  return checked
}

async function verify(ctx: OperatorContext, session: Session, password: string): Promise<PasswordCheck> {
  const [person] = await ctx.sql<{ password_hash: string | null }[]>`
    select password_hash from person where id = ${session.personId}`
  const known = person?.password_hash ?? undefined
  if (!(await verifyPassword(password, known)) || known === undefined) {
    await recordFailedSignIn(ctx, session.email)
    return { problem: 'wrong' }
  }
  const token = await renewSession(ctx, session)
  return token === undefined ? { problem: 'wrong' } : { token, passwordHash: known }
}

/** Sets a new password and ends all other sessions and links of the person. Throws `validation`. */
export async function changePassword(
  ctx: AttemptContext,
  session: Session,
  input: { current: string; password: string; network: string },
): Promise<PasswordCheck> {
  const { personId, email } = session
  requireValidPassword(input.password, email)
  const checked = await checkOwnPassword(ctx, session, { password: input.current, network: input.network })
  if ('problem' in checked) return checked
  const passwordHash = await hashPassword(input.password)
  return withTransaction(ctx, async tx => {
    const changed = await tx.sql`
      update person set password_hash = ${passwordHash}
      where id = ${personId} and password_hash = ${checked.passwordHash} returning id`
    if (changed.length === 0) return { problem: 'wrong' }
    await endPasswordLinks(tx, personId)
    await tx.sql`delete from person_session where person_id = ${personId} and id <> ${parseId(session.id) ?? ''}`
    await auditPerson(tx, personId, 'password_changed', email)
    return { token: checked.token, passwordHash }
  })
}
