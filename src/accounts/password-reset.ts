/** "Password forgotten?": a link by mail to whoever has the address, and the same answer to who asks for it. */
import { auditPerson } from './audit.ts'
import type { OperatorContext } from './context.ts'
import { findEmail } from './email.ts'
import { createPasswordLink, RESET_LINK_LIFETIME_MS } from './one-time-links.ts'
import { takeReset } from './sign-in-attempts.ts'
import { inTransaction } from './transaction.ts'

/**
 * Counts the asking, whether the address is known or not. Returns the seconds to wait when it is one too many, else
 * undefined: then `findResetLink` may be called, behind the answer.
 */
export const askForReset = (
  ctx: OperatorContext,
  from: { email: string; network: string },
): Promise<number | undefined> => takeReset(ctx, { ...from, email: findEmail(from.email) ?? from.email })

/** The token of a new link for the person with this e-mail; undefined when there is none, or they are in no account. */
export async function findResetLink(
  ctx: OperatorContext,
  text: string,
): Promise<{ email: string; token: string } | undefined> {
  const email = findEmail(text)
  if (email === undefined) return undefined
  return inTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string }[]>`
      select p.id from person p where p.email = ${email}
        and exists (select from membership m where m.person_id = p.id) for update`
    if (person === undefined) return undefined
    await auditPerson(tx, person.id, 'password_link_asked', email)
    return { email, token: await createPasswordLink(tx, person.id, RESET_LINK_LIFETIME_MS) }
  })
}
