/** API keys: shown once and stored as a hash. Their checksum is checked before the database is asked. */
import { checksum62, randomBase62, sha256Hex } from '../../kernel/crypto/crypto.ts'
import { idFromUuid, newUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { requireAccount } from '../account/accounts.ts'
import { createActor } from '../account/actors.ts'
import type { OperatorContext } from '../account/context.ts'

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

export function isWellFormedKey(key: string): boolean {
  const [, random, check] = KEY_PATTERN.exec(key) ?? []
  return random !== undefined && checksum62(PREFIX + random) === check
}

/** Creates a key. The `key` in the answer is its only copy. */
export async function createKey(ctx: OperatorContext, input: NewKey): Promise<KeyRecord & { key: string }> {
  const { accountId, name, scope, createdBy, expiresAt = null } = input
  await requireAccount(ctx, accountId)
  const random = randomBase62(36)
  const key = `${PREFIX}${random}${checksum62(PREFIX + random)}`
  const now = ctx.clock.now()
  const actorId = await createActor(ctx, { accountId, kind: 'api_key', label: name })
  const row = {
    account_id: accountId,
    id: newUuid(now.getTime()),
    hash: sha256Hex(key),
    name,
    last4: key.slice(-4),
    scope,
    actor_id: actorId,
    created_at: now,
    created_by: createdBy,
    expires_at: expiresAt,
  }
  await ctx.sql`insert into api_key ${ctx.sql(row)}`
  return { key, ...toRecord({ ...row, last_used_at: null, revoked_at: null }) }
}

export async function listKeys(ctx: OperatorContext, accountId: number): Promise<KeyRecord[]> {
  await requireAccount(ctx, accountId)
  const rows = await ctx.sql<KeyRow[]>`
    select ${keyColumns(ctx)} from api_key where account_id = ${accountId} order by id desc`
  return rows.map(toRecord)
}

/** Revokes a key of any account by its id; a second time changes nothing. Throws `not_found`. */
export async function revokeKey(ctx: OperatorContext, id: string): Promise<KeyRecord> {
  const [row] = await ctx.sql<KeyRow[]>`
    update api_key set revoked_at = coalesce(revoked_at, ${ctx.clock.now()}) 
    where id = ${requireUuid(id, 'key')} returning ${keyColumns(ctx)}`
  if (!row) throw notFound('key')
  return toRecord(row)
}

const keyColumns = ({ sql }: OperatorContext) =>
  sql`id, name, last4, scope, created_at, created_by, last_used_at, expires_at, revoked_at`

type Ends = 'last_used_at' | 'expires_at' | 'revoked_at'
type KeyRow = Omit<KeyRecord, 'prefix' | 'created_at' | Ends> & { created_at: Date } & Record<
    Ends,
    Date | null
  >

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
