/** Links for forgotten passwords. The page's answer never reveals whether the address is known. */
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { parseEmail } from './email.ts'
import { createPasswordLink } from './one-time-links.ts'

/**
 * Returns undefined for an unknown e-mail and for a person without an account. A person without a
 * password gets none either, because they have an invitation.
 */
export async function createResetLink(
  ctx: OperatorContext,
  text: string,
): Promise<{ email: string; token: string } | undefined> {
  const email = parseEmail(text)
  if (email === undefined) return undefined
  return withTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string }[]>`
      select p.id from person p where p.email = ${email} and p.password_hash is not null
        and exists (select from membership m where m.person_id = p.id) for update`
    if (person === undefined) return undefined
    await auditPerson(tx, person.id, 'password_link_asked', email)
    return { email, token: await createPasswordLink(tx, person.id, { purpose: 'reset' }) }
  })
}
