/** Which audiences an account has chosen for the fields of its passports. The default is `contract`. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from './context.ts'

/** `contract`: the audiences of the field table; `law`: those that the law names. */
export const AUDIENCE_PROFILES = ['contract', 'law'] as const
export type AudienceProfile = (typeof AUDIENCE_PROFILES)[number]

/** Throws `not_found`. */
export async function setAudienceProfile(
  ctx: OperatorContext & { actorId?: number },
  input: { accountId: number; profile: AudienceProfile },
): Promise<{ id: string; name: string; audience_profile: AudienceProfile }> {
  const { accountId, profile } = input
  return withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ name: string; before: AudienceProfile }[]>`
      update account a set audience_profile = ${profile},
        registry_round = registry_round + case when b.before <> ${profile} then 1 else 0 end
      from (select id, audience_profile as before from account where id = ${accountId} for update) b
      where a.id = b.id returning a.name, b.before`
    if (!row) throw notFound('account')
    if (row.before !== profile) {
      await audit(await withActor(tx, accountId), 'audience_profile_changed', profile)
    }
    return { id: String(accountId), name: row.name, audience_profile: profile }
  })
}

/** Throws `not_found`. */
export async function readAudienceProfile({ sql, accountId }: AccountContext): Promise<AudienceProfile> {
  const [row] = await sql<{ audience_profile: AudienceProfile }[]>`
    select audience_profile from account where id = ${accountId}`
  if (!row) throw notFound('account')
  return row.audience_profile
}

/** SQL value for `passport p`: the profile of its account. */
export const selectAudienceProfile = (sql: Sql): Fragment =>
  sql`(select a.audience_profile from account a where a.id = p.account_id)`
