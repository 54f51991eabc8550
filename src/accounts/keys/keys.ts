/** API keys: shown once, kept as a hash, checked by their own checksum before the database is asked. */
import { checksum62, randomBase62, sha256Hex } from '../../kernel/crypto.ts'
import { notFound } from '../../kernel/errors.ts'
import { findUuid, idFromUuid, newUuid } from '../../kernel/ids.ts'
import { requireAccount } from '../accounts.ts'
import { createActor } from '../actors.ts'
import type { OperatorContext } from '../context.ts'

export const SCOPES = ['full', 'read'] as const
export type Scope = (typeof SCOPES)[number]

const PREFIX = 'dpp_live_'
const KEY_PATTERN = /^dpp_live_([0-9A-Za-z]{36})([0-9A-Za-z]{6})$/

export type KeyRecord = {
  id: string
  name: string
  prefix: string
  last4: string
  scope: Scope
  created_at: string
  created_by: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

export type NewKey = {
  accountId: number
  name: string
  scope: Scope
  expiresAt: Date | undefined
  createdBy: string
}

/** Whether a text is shaped like a key and its last six characters fit the rest. */
export function isWellFormedKey(key: string): boolean {
  const [, random, check] = KEY_PATTERN.exec(key) ?? []
  return random !== undefined && checksum62(PREFIX + random) === check
}

/** Creates a key. The `key` in the answer is the only copy there will ever be. */
export async function createKey(ctx: OperatorContext, input: NewKey): Promise<KeyRecord & { key: string }> {
  await requireAccount(ctx, input.accountId)
  const random = randomBase62(36)
  const key = `${PREFIX}${random}${checksum62(PREFIX + random)}`
  const now = ctx.clock.now()
  const actorId = await createActor(ctx, { accountId: input.accountId, kind: 'api_key', label: input.name })
  const row = {
    account_id: input.accountId,
    id: newUuid(now.getTime()),
    hash: sha256Hex(key),
    name: input.name,
    last4: key.slice(-4),
    scope: input.scope,
    actor_id: actorId,
    created_at: now,
    created_by: input.createdBy,
    expires_at: input.expiresAt ?? null,
  }
  await ctx.sql`insert into api_key ${ctx.sql(row)}`
  return { key, ...toRecord({ ...row, last_used_at: null, revoked_at: null }) }
}

export async function listKeys(ctx: OperatorContext, accountId: number): Promise<KeyRecord[]> {
  await requireAccount(ctx, accountId)
  const rows = await ctx.sql<KeyRow[]>`
    select id, name, last4, scope, created_at, created_by, last_used_at, expires_at, revoked_at
    from api_key where account_id = ${accountId} order by id desc`
  return rows.map(toRecord)
}

/** Revokes a key of any account by its id; a second time changes nothing. Throws `not_found`. */
export async function revokeKey(ctx: OperatorContext, id: string): Promise<KeyRecord> {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('key')
  const [row] = await ctx.sql<KeyRow[]>`
    update api_key set revoked_at = coalesce(revoked_at, ${ctx.clock.now()}) where id = ${uuid}
    returning id, name, last4, scope, created_at, created_by, last_used_at, expires_at, revoked_at`
  if (!row) throw notFound('key')
  return toRecord(row)
}

type KeyRow = {
  id: string
  name: string
  last4: string
  scope: Scope
  created_at: Date
  created_by: string
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

function toRecord(row: KeyRow): KeyRecord {
  return {
    id: idFromUuid(row.id),
    name: row.name,
    prefix: PREFIX,
    last4: row.last4,
    scope: row.scope,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}
