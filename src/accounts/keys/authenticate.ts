/**
 * Finds the account of a key. Another process than the one that revoked it may take it for one more second,
 * while its result is cached.
 */

import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { type AccountPlace, placeColumns } from '../account/account-shard.ts'
import { settingChanges } from '../account/setting-changes.ts'
import { isWellFormedKey, type Scope } from './keys.ts'

const CACHE_MS = 1_000
const MAX_CACHED_KEYS = 10_000

export type AuthenticatedKey = AccountPlace & {
  keyId: string
  accountId: number
  actorId: number
  scope: Scope
  planHasApi: boolean
  /** The account's readiness settings as stored; null: none. */
  readiness: unknown
  /** The account's own, else its plan's; null: unlimited. */
  requestsPerMinute: number | null
}

type CacheEntry = { at: number; change: number; key: Promise<KeyRow | undefined> }
type KeyRow = AuthenticatedKey & { expiresAt: number; isDisabled: boolean }

const keyCache = perDatabase((sql: Sql) => ({
  cache: new BoundedMap<string, CacheEntry>(MAX_CACHED_KEYS),
  changes: settingChanges(sql),
  find: createBatchLoader((hashes: readonly string[]) => findByHash(sql, hashes)),
}))

/** Undefined for a malformed, unknown, revoked or expired key, and if the account is closed. */
export async function authenticate(sql: Sql, key: string, now: Date): Promise<AuthenticatedKey | undefined> {
  if (!isWellFormedKey(key)) return undefined
  const hash = sha256Hex(key)
  const found = await findKey(sql, hash, now)
  if (found === undefined || found.isDisabled || found.expiresAt <= now.getTime()) return undefined
  return found
}

async function findKey(sql: Sql, hash: string, now: Date): Promise<KeyRow | undefined> {
  const { cache, changes, find } = keyCache(sql)
  const cached = cache.get(hash)
  const age = cached && now.getTime() - cached.at
  if (cached !== undefined && age !== undefined && age >= 0 && age <= CACHE_MS) {
    const found = await cached.key
    if (found === undefined || changes.hasNoneSince(found.accountId, cached.change)) return found
  }
  const entry: CacheEntry = { at: now.getTime(), change: changes.now(), key: find(hash) }
  cache.set(hash, entry)
  entry.key.catch(() => {
    if (cache.get(hash) === entry) cache.delete(hash)
  })
  return entry.key
}

/** Throws `plan_required`. */
export function requireApiPlan({ planHasApi }: AuthenticatedKey): void {
  if (planHasApi) return
  throw new AppError(
    'plan_required',
    'The plan of this account does not include the API. Pro and higher plans include it.',
  )
}

/** The keys first: joined at once, a plan with statistics of few accounts read all keys of all accounts. */
async function findByHash(sql: Sql, hashes: readonly string[]): Promise<(KeyRow | undefined)[]> {
  const rows = await sql<(Omit<KeyRow, 'expiresAt'> & { hash: string; expires_at: Date | null })[]>`
    with k as materialized (
      select hash, id, account_id, actor_id, scope, expires_at, revoked_at from api_key where hash = any(${hashes}))
    select k.hash, k.id as "keyId", k.account_id as "accountId", k.actor_id as "actorId", ${placeColumns(sql)}, k.scope, p.api as "planHasApi", a.readiness,
      coalesce(a.requests_per_minute, p.requests_per_minute) as "requestsPerMinute", k.expires_at,
      k.revoked_at is not null or a.closed_at is not null as "isDisabled"
    from k join account a on a.id = k.account_id join plan p on p.id = a.plan`
  const found = new Map(
    rows.map(({ hash, expires_at, ...key }) => [
      hash,
      { ...key, expiresAt: expires_at?.getTime() ?? Number.POSITIVE_INFINITY },
    ]),
  )
  return hashes.map(hash => found.get(hash))
}
