/**
 * Access links: until a date, a token shows its reader more than the public sees. Only the token's hash is
 * stored.
 */
import { getActorLabels, withActor } from '../../accounts/account/actors.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../../accounts/account/context.ts'
import type { Audience } from '../../categories/field.ts'
import { checksum62, randomBase62, sha256Hex } from '../../kernel/crypto/crypto.ts'
import { idFromUuid, newUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { assert, type Detail, type DetailCode, invalid, notFound } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { type Addresses, type PassportRow, passportUrl } from '../core/record.ts'
import { getPassport, requireProductUuid } from '../read/find.ts'

export const LINK_AUDIENCES = ['legitimate_interest', 'authority'] as const satisfies readonly Audience[]
export type LinkAudience = (typeof LINK_AUDIENCES)[number]

const PREFIX = 'dpa_'
/** 36 base62 characters: 214 bits. */
const RANDOM_LENGTH = 36
const TOKEN_PATTERN = /^dpa_([0-9A-Za-z]{36})([0-9A-Za-z]{6})$/
const MAX_LABEL_LENGTH = 200

/** `passportId`: a public id; undefined for all passports. `label`: whom the link is for. */
export type NewAccessLink = {
  passportId: string | undefined
  audience: string
  label: string
  expiresAt: Date
  addresses: Addresses
}

export type AccessLinkRecord = {
  id: string
  /** The passport that the link opens, with its units; null for the whole account. */
  passport_id: string | null
  audience: LinkAudience
  label: string
  created_at: string
  created_by: string
  expires_at: string
  revoked_at: string | null
  uses: number
  last_used_at: string | null
}

/** `token` is shown only here; `url` is null for a link to the whole account. */
export type CreatedAccessLink = AccessLinkRecord & { token: string; url: string | null }

/** The rights of a valid token, until `expiresAt`. */
export type Access = {
  linkId: string
  accountId: number
  audience: LinkAudience
  label: string
  expiresAt: Date
}

/** Creates a link. Throws `validation` with every problem; `not_found` for another account's passport. */
export async function createAccessLink(
  ctx: AccountContext,
  input: NewAccessLink,
): Promise<CreatedAccessLink> {
  const now = ctx.clock.now()
  const { audience, label } = checkNewLink(input, now)
  const passport =
    input.passportId === undefined ? undefined : await getPassport(ctx, requireProductUuid(input.passportId))
  const random = randomBase62(RANDOM_LENGTH)
  const token = PREFIX + random + checksum62(PREFIX + random)
  const row = {
    account_id: ctx.accountId,
    id: newUuid(now.getTime()),
    passport_id: passport?.id ?? null,
    audience,
    label,
    created_at: now,
    created_by: ctx.actorId,
    expires_at: input.expiresAt,
  }
  await withTransaction(ctx, async tx => {
    await tx.sql`insert into access_link ${tx.sql({ ...row, hash: sha256Hex(token) })}`
    await audit(tx, 'access_link_created', label)
  })
  const url =
    passport === undefined ? null : `${passportUrl(input.addresses, idFromUuid(passport.id))}?access=${token}`
  const [record] = await toLinkRecords(ctx.sql, [{ ...row, revoked_at: null, uses: 0, last_used_at: null }])
  assert(record, 'a row makes a record')
  return { token, url, ...record }
}

function checkNewLink(input: NewAccessLink, now: Date): { audience: LinkAudience; label: string } {
  const details: Detail[] = []
  const wrong = (field: string, code: DetailCode, message: string) =>
    details.push({ path: [field], code, message: `${field} ${message}` })
  const audience = LINK_AUDIENCES.find(audience => audience === input.audience)
  if (audience === undefined) wrong('audience', 'enum', `must be one of ${LINK_AUDIENCES.join(', ')}.`)
  const label = input.label.trim()
  if (label === '' || isLongerThan(label, MAX_LABEL_LENGTH)) {
    wrong('label', 'length', `says whom the link is for, in 1 to ${MAX_LABEL_LENGTH} characters.`)
  }
  if (!isOneLine(label)) wrong('label', 'format', 'must be one line of text.')
  if (!(input.expiresAt > now)) wrong('expires_at', 'min', 'must be in the future.')
  if (details.length > 0 || audience === undefined) throw invalid(details)
  return { audience, label }
}

/** All links of the account, newest first, also revoked and expired ones. */
export async function listAccessLinks(ctx: AccountContext): Promise<AccessLinkRecord[]> {
  const rows = await ctx.sql<LinkRow[]>`
    select ${columns(ctx.sql)} from access_link where account_id = ${ctx.accountId} order by id desc`
  return toLinkRecords(ctx.sql, rows)
}

/** Revokes a link; repeating it changes nothing. An operator may revoke any account's. Throws `not_found`. */
export async function revokeAccessLink(
  ctx: OperatorContext & { accountId?: number; actorId?: number },
  id: string,
): Promise<AccessLinkRecord> {
  const uuid = parseId(id)
  if (uuid === undefined) throw notFound('access link')
  const { accountId } = ctx
  return withTransaction(ctx, async tx => {
    const { sql } = tx
    const [link] = await sql<LinkRow[]>`
      select ${columns(sql)} from access_link
      where id = ${uuid} ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`} for update`
    if (link === undefined) throw notFound('access link')
    const row = { ...link, revoked_at: link.revoked_at ?? ctx.clock.now() }
    if (link.revoked_at === null) {
      await sql`
        update access_link set revoked_at = ${row.revoked_at} where id = ${uuid} and account_id = ${link.account_id}`
      await audit(await withActor(tx, link.account_id), 'access_link_revoked', link.label)
    }
    const [record] = await toLinkRecords(sql, [row])
    assert(record, 'a row makes a record')
    return record
  })
}

/** Returns true if a text has the form and the checksum of a token. Needs no database. */
export function isAccessToken(text: string): boolean {
  const [, random, check] = TOKEN_PATTERN.exec(text) ?? []
  return random !== undefined && checksum62(PREFIX + random) === check
}

type Covered = Pick<PassportRow, 'id' | 'account_id' | 'parent_id' | 'model_id'>

/** Returns the rights of a token on this passport now; undefined if it has none. */
export async function findAccess(
  sql: Sql,
  token: string,
  passport: Covered,
  now: Date,
): Promise<Access | undefined> {
  const link = await findValidLink(sql, token, now)
  return link && getAccess(link, passport)
}

/** A link that is valid now, with the passports that it opens. */
export type ValidLink = Access & { passportUuid: string | null }

/** The link of a token; undefined if the token is malformed or unknown, or the link expired or revoked. */
export async function findValidLink(sql: Sql, token: string, now: Date): Promise<ValidLink | undefined> {
  if (!isAccessToken(token)) return undefined
  const [link] = await sql<LinkRow[]>`
    select ${columns(sql)} from access_link where hash = ${sha256Hex(token)} and revoked_at is null`
  if (link === undefined || link.expires_at <= now) return undefined
  return {
    linkId: link.id,
    accountId: link.account_id,
    audience: link.audience,
    label: link.label,
    expiresAt: link.expires_at,
    passportUuid: link.passport_id,
  }
}

/** Returns the rights of a link on this passport; undefined if it does not open it. */
export function getAccess({ passportUuid, ...access }: ValidLink, passport: Covered): Access | undefined {
  if (access.accountId !== passport.account_id) return undefined
  const covered = [null, passport.id, passport.parent_id, passport.model_id]
  return covered.includes(passportUuid) ? access : undefined
}

type LinkRow = Pick<AccessLinkRecord, 'id' | 'passport_id' | 'audience' | 'label' | 'uses'> & {
  account_id: number
  created_at: Date
  created_by: number
  expires_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

const columns = (sql: Sql) =>
  sql`account_id, id, passport_id, audience, label, created_at, created_by, expires_at, revoked_at, uses, last_used_at`

async function toLinkRecords(sql: Sql, rows: readonly LinkRow[]): Promise<AccessLinkRecord[]> {
  const [first] = rows
  if (first === undefined) return []
  const authors = rows.map(row => row.created_by)
  const labels = await getActorLabels(sql, first.account_id, authors)
  return rows.map(({ account_id: _, ...row }) => ({
    ...row,
    id: idFromUuid(row.id),
    passport_id: row.passport_id && idFromUuid(row.passport_id),
    created_at: row.created_at.toISOString(),
    created_by: labels.get(row.created_by) ?? '',
    expires_at: row.expires_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}
