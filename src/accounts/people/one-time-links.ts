/** One-time links to set a password. Only a hash of each token is stored. */
import { randomBase62, sha256Hex } from '../../kernel/crypto/crypto.ts'
import type { OperatorContext } from '../account/context.ts'

/** 43 characters of base62 are 256 bits. */
const TOKEN_LENGTH = 43
const TOKEN = /^[0-9A-Za-z]{43}$/

/**
 * Why a link was created. A person has at most one link of each purpose (one invitation for each account). A
 * new link ends only its predecessor of the same purpose, so a stranger who requests a reset cannot end an
 * invitation.
 */
type LinkPurpose =
  | { purpose: 'invitation'; accountId: number }
  | { purpose: 'reset' | 'operator'; accountId?: undefined }

/** A reset is used at once; invitations and the operator's links may wait in a mailbox. */
export const LINK_LIFETIMES_MS = {
  invitation: 7 * 86_400_000,
  operator: 7 * 86_400_000,
  reset: 2 * 3_600_000,
} as const

export const createToken = () => randomBase62(TOKEN_LENGTH)
export const isToken = (text: string) => TOKEN.test(text)

export const buildSetUpUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/console/set-up?token=${token}`
export const buildSetPasswordUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/console/set-password?token=${token}`

/** Returns the token of a new link, which replaces the earlier one for the same purpose. */
export async function createPasswordLink(
  ctx: OperatorContext,
  personId: string,
  { purpose, accountId = 0 }: LinkPurpose,
): Promise<string> {
  const token = createToken()
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + LINK_LIFETIMES_MS[purpose])
  await ctx.sql`
    insert into password_link (hash, person_id, purpose, account_id, created_at, expires_at)
    values (${sha256Hex(token)}, ${personId}, ${purpose}, ${accountId}, ${now}, ${expiresAt})
    on conflict (person_id, purpose, account_id)
    do update set hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at`
  return token
}

/** Undefined for a link that is unknown, used, replaced or expired. */
export async function findPasswordLink(
  ctx: OperatorContext,
  token: string,
): Promise<{ email: string } | undefined> {
  if (!isToken(token)) return undefined
  const hash = sha256Hex(token)
  const now = ctx.clock.now()
  const [row] = await ctx.sql<{ email: string }[]>`
    select p.email from person p where p.id in (
      select person_id from password_link where hash = ${hash} and expires_at > ${now}
      union all
      select person_id from one_time_link where hash = ${hash} and purpose = 'set_password' and expires_at > ${now})`
  return row
}

export async function endPasswordLinks(ctx: OperatorContext, personId: string): Promise<void> {
  await ctx.sql`
    with older as (delete from one_time_link where person_id = ${personId})
    delete from password_link where person_id = ${personId}`
}

/**
 * Creates a link while no account exists; returns its token. The link ends with the first account or at the
 * next start.
 */
export async function createSetUpLink(ctx: OperatorContext): Promise<string | undefined> {
  const token = createToken()
  const created = await ctx.sql`
    with known as materialized (
      select exists (select from account) as has_account
    ), ended as (
      delete from one_time_link where purpose = 'set_up' and (select has_account from known)
    )
    insert into one_time_link (hash, purpose, created_at)
    select ${sha256Hex(token)}, 'set_up', ${ctx.clock.now()}::timestamptz from known where not has_account
    on conflict (purpose) where purpose = 'set_up'
    do update set hash = excluded.hash, created_at = excluded.created_at
    returning hash`
  return created.length === 1 ? token : undefined
}

export async function isSetUpLink(ctx: OperatorContext, token: string): Promise<boolean> {
  if (!isToken(token)) return false
  const found = await ctx.sql`
    select from one_time_link
    where hash = ${sha256Hex(token)} and purpose = 'set_up' and not exists (select from account)`
  return found.length === 1
}
