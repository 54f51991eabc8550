/** Signing in: the same work and the same answer for a wrong password as for an e-mail nobody has here. */
import type { OperatorContext } from '../context.ts'
import { type AttemptContext, attemptSignIn, clearAttempts, type Throttled } from './attempt-limits.ts'
import { parseEmail } from './email.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password.ts'
import { recordFailedSignIn } from './record-failed-sign-in.ts'
import { createSession, type NewSession } from './sessions.ts'

type SignIn = {
  email: string
  password: string
  /** The address the request came from. */
  network: string
  /** The person's mark in this browser, if it has one. */
  device: string | undefined
  /** Token of the session the browser had before; it ends. */
  replaces: string | undefined
}

type SignInResult = NewSession | { problem: 'wrong' } | Throttled

/** The e-mail that a sign-in counts for, whether it is one or not. */
export const normalizeSignInEmail = (text: string): string => parseEmail(text) ?? text.trim().toLowerCase()

/** A new session for the right e-mail and password. Throws `unavailable` when too many sign in at this moment. */
export async function signIn(ctx: AttemptContext, input: SignIn): Promise<SignInResult> {
  const email = normalizeSignInEmail(input.email)
  const source = { email, network: input.network, known: input.device }
  const signedIn = await attemptSignIn(ctx, source, () => verify(ctx, email, input))
  if ('token' in signedIn) await clearAttempts(ctx, source)
  return signedIn
}

async function verify(
  ctx: OperatorContext,
  email: string,
  { password, replaces }: SignIn,
): Promise<NewSession | { problem: 'wrong' }> {
  const [person] = await ctx.sql<{ id: string; password_hash: string | null }[]>`
    select id, password_hash from person where email = ${parseEmail(email) ?? ''}`
  const known = person?.password_hash ?? undefined
  const isRight = await verifyPassword(password, known)
  if (!isRight || person === undefined || known === undefined) {
    await recordFailedSignIn(ctx, parseEmail(email) ?? '')
    return { problem: 'wrong' }
  }
  const passwordHash = isOutdatedHash(known) ? await rehash(ctx, person.id, known, password) : known
  return (await createSession(ctx, { personId: person.id, passwordHash, replaces })) ?? { problem: 'wrong' }
}

/** Parameters were raised since: the password is at hand now, and only now. */
async function rehash(ctx: OperatorContext, personId: string, known: string, password: string) {
  const raised = await hashPassword(password)
  await ctx.sql`update person set password_hash = ${raised} where id = ${personId} and password_hash = ${known}`
  return raised
}
