/** Signing in: the same work and the same answer for a wrong password as for an e-mail nobody has here. */
import type { OperatorContext } from './context.ts'
import { findEmail } from './email.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password.ts'
import { createSession } from './sessions.ts'
import { forgiveAttempts, takeAttempt } from './sign-in-attempts.ts'

export type SignIn = {
  email: string
  password: string
  /** The address the request came from. */
  network: string
  /** Token of the session the browser had before; it ends. */
  replaces: string | undefined
}

export type SignedIn = { token: string } | { problem: 'wrong' } | { problem: 'wait'; seconds: number }

/** A new session for the right e-mail and password. Throws `unavailable` when too many sign in at this moment. */
export async function signIn(ctx: OperatorContext, input: SignIn): Promise<SignedIn> {
  const email = findEmail(input.email) ?? input.email.trim().toLowerCase()
  const from = { email, network: input.network }
  const seconds = await takeAttempt(ctx, from)
  if (seconds !== undefined) return { problem: 'wait', seconds }
  const [person] = await ctx.sql<{ id: string; password_hash: string | null }[]>`
    select id, password_hash from person where email = ${findEmail(email) ?? ''}`
  const known = person?.password_hash ?? undefined
  const isRight = await verifyPassword(input.password, known)
  if (!isRight || person === undefined || known === undefined) return { problem: 'wrong' }
  const passwordHash = isOutdatedHash(known) ? await rehash(ctx, person.id, known, input.password) : known
  const token = await createSession(ctx, { personId: person.id, passwordHash, replaces: input.replaces })
  if (token === undefined) return { problem: 'wrong' }
  await forgiveAttempts(ctx, from)
  return { token }
}

/** Parameters were raised since: the password is at hand now, and only now. */
async function rehash(ctx: OperatorContext, personId: string, known: string, password: string) {
  const raised = await hashPassword(password)
  await ctx.sql`update person set password_hash = ${raised} where id = ${personId} and password_hash = ${known}`
  return raised
}
