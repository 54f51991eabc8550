/** Links that let one person in once, to set a password; only a hash of each token is kept. */
import { randomBase62, sha256Hex } from '../kernel/crypto.ts'
import type { OperatorContext } from './context.ts'

/** 43 characters of base62 are 256 bits. */
const TOKEN_LENGTH = 43
const TOKEN = /^[0-9A-Za-z]{43}$/
/** Of a link that a person hands on, or an invitation that waits in a mailbox. */
export const PASSWORD_LINK_LIFETIME_MS = 7 * 86_400_000
/** Of a link that somebody asked for who sits in front of the form. */
export const RESET_LINK_LIFETIME_MS = 2 * 3_600_000

export const newToken = () => randomBase62(TOKEN_LENGTH)
export const isToken = (text: string) => TOKEN.test(text)

export const setUpUrl = (publicUrl: string, token: string) => `${publicUrl}/console/set-up?token=${token}`
export const setPasswordUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/console/set-password?token=${token}`

/** A new link for a person, good once and until its time is over. The one before it ends. */
export async function createPasswordLink(
  ctx: OperatorContext,
  personId: string,
  lifetimeMs: number,
): Promise<string> {
  const token = newToken()
  const now = ctx.clock.now()
  const ends = new Date(now.getTime() + lifetimeMs)
  await ctx.sql`
    insert into one_time_link (hash, purpose, person_id, created_at, expires_at)
    values (${sha256Hex(token)}, 'set_password', ${personId}, ${now}, ${ends})
    on conflict (person_id) where person_id is not null
    do update set hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at`
  return token
}

/** The e-mail of the person a link is for, or undefined when it is unknown, used, replaced or too old. */
export async function findPasswordLink(
  ctx: OperatorContext,
  token: string,
): Promise<{ email: string } | undefined> {
  if (!isToken(token)) return undefined
  const [row] = await ctx.sql<{ email: string }[]>`
    select p.email from one_time_link l join person p on p.id = l.person_id
    where l.hash = ${sha256Hex(token)} and l.purpose = 'set_password' and l.expires_at > ${ctx.clock.now()}`
  return row
}

/**
 * The token of a new set-up link when there is no account at all, else undefined. It is good until there
 * is one, whoever made it, or the next start replaces it.
 */
export async function createSetUpLink(ctx: OperatorContext): Promise<string | undefined> {
  const token = newToken()
  const made = await ctx.sql`
    with ended as (delete from one_time_link where purpose = 'set_up' and exists (select from account))
    insert into one_time_link (hash, purpose, created_at)
    select ${sha256Hex(token)}, 'set_up', ${ctx.clock.now()}::timestamptz where not exists (select from account)
    on conflict (purpose) where purpose = 'set_up'
    do update set hash = excluded.hash, created_at = excluded.created_at
    returning hash`
  return made.length === 1 ? token : undefined
}

/** Whether a set-up link can be used now. */
export async function isSetUpLink(ctx: OperatorContext, token: string): Promise<boolean> {
  if (!isToken(token)) return false
  const found = await ctx.sql`
    select from one_time_link
    where hash = ${sha256Hex(token)} and purpose = 'set_up' and not exists (select from account)`
  return found.length === 1
}
