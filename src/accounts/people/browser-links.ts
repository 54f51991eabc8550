/**
 * Links that make a browser known for a person, so that attempts of others do not hold back their sign-in
 * there: by e-mail, or printed for the operator. They sign nobody in. The page's answer never reveals whether
 * the address is known.
 */
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { withActor } from '../account/actors.ts'
import { audit, auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import { parseEmail, requireQuotedEmail } from './email.ts'
import { createToken, isToken } from './one-time-links.ts'

/** Longer than `ATTEMPT_WINDOW_MS`: strangers who use up the e-mails of a window leave a valid link. */
export const BROWSER_LINK_LIFETIME_MS = 30 * 60_000

export const buildBrowserUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/console/known-browser?token=${token}`

/**
 * Ends no earlier link, because a stranger may have asked for this one. Returns undefined for whoever cannot
 * sign in with a password.
 */
export async function createBrowserLink(
  ctx: OperatorContext,
  text: string,
): Promise<{ email: string; token: string } | undefined> {
  const email = parseEmail(text)
  if (email === undefined) return undefined
  return withTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string }[]>`
      select p.id from person p where p.email = ${email} and p.password_hash is not null
        and exists (select from membership m where m.person_id = p.id)`
    if (person === undefined) return undefined
    await auditPerson(tx, person.id, 'browser_link_asked', email)
    return { email, token: await insertBrowserLink(tx, person.id) }
  })
}

/** For the command line. Throws `not_found` for an unknown e-mail and for a person without a password. */
export async function createBrowserLinkByOperator(
  ctx: OperatorContext,
  input: { email: string },
): Promise<{ email: string; token: string }> {
  const email = requireQuotedEmail(input.email)
  return withTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string; hasPassword: boolean }[]>`
      select id, password_hash is not null as "hasPassword" from person where email = ${email}`
    if (!person) throw new AppError('not_found', `There is no person with the e-mail ${email}.`)
    if (!person.hasPassword) throw noPasswordError(email)
    const accounts = await tx.sql<{ account_id: number }[]>`
      select account_id from membership where person_id = ${person.id}`
    for (const one of accounts) await audit(await withActor(tx, one.account_id), 'browser_link_made', email)
    return { email, token: await insertBrowserLink(tx, person.id) }
  })
}

function noPasswordError(email: string): AppError {
  const message = `${email} has not set a password yet. Run "carnet users reset-password --email ${email}".`
  return new AppError('not_found', message)
}

async function insertBrowserLink({ sql, clock }: OperatorContext, personId: string): Promise<string> {
  const token = createToken()
  const now = clock.now()
  await sql`
    with expired as (
      delete from browser_link where hash in (
        select hash from browser_link where expires_at <= ${now} limit 100 for update skip locked)
    )
    insert into browser_link (hash, person_id, expires_at)
    values (${sha256Hex(token)}, ${personId}, ${new Date(now.getTime() + BROWSER_LINK_LIFETIME_MS)})`
  return token
}

/** The e-mail of a link's person. Undefined for a link that is unknown, used or expired. */
export async function findBrowserLink(ctx: OperatorContext, token: string): Promise<string | undefined> {
  if (!isToken(token)) return undefined
  const [person] = await ctx.sql<{ email: string }[]>`
    select p.email from browser_link l join person p on p.id = l.person_id
    where l.hash = ${sha256Hex(token)} and l.expires_at > ${ctx.clock.now()}`
  return person?.email
}

/** Uses up the link. Returns the e-mail for which the browser becomes known. */
export async function consumeBrowserLink(ctx: OperatorContext, token: string): Promise<string | undefined> {
  if (!isToken(token)) return undefined
  return withTransaction(ctx, async tx => {
    const [person] = await tx.sql<{ id: string; email: string }[]>`
      with used as (
        delete from browser_link where hash = ${sha256Hex(token)} and expires_at > ${tx.clock.now()}
        returning person_id
      )
      select p.id, p.email from person p where p.id in (select person_id from used)`
    if (person === undefined) return undefined
    await auditPerson(tx, person.id, 'browser_made_known', person.email)
    return person.email
  })
}
