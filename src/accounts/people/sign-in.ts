/** Signs in. A wrong password and an unknown e-mail cost the same work and get the same answer. */
import type { OperatorContext } from '../account/context.ts'
import { type AttemptContext, attemptSignIn, clearAttempts } from './attempt-limits.ts'
import { parseEmail } from './email.ts'
import type { Throttled } from './network-attempts.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password.ts'
import { recordFailedSignIn } from './record-failed-sign-in.ts'
import { createSession, type NewSession } from './sessions.ts'

type SignIn = {
  email: string
  password: string
  network: string
  /** The person's mark in this browser. */
  device: string | undefined
  /** Token of the browser's earlier session, which ends. */
  replaces: string | undefined
}

type SignInResult = NewSession | { problem: 'wrong' } | Throttled

/** The e-mail that an attempt counts for, valid or not. */
export const normalizeSignInEmail = (text: string): string => parseEmail(text) ?? text.trim().toLowerCase()

/** Throws `unavailable` while too many people sign in. */
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

/** Stores a hash with today's parameters: the password is known only now. */
async function rehash(ctx: OperatorContext, personId: string, known: string, password: string) {
  const raised = await hashPassword(password)
  await ctx.sql`update person set password_hash = ${raised} where id = ${personId} and password_hash = ${known}`
  return raised
}
