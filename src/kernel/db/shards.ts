/**
 * Shards: a shard is a schema that holds all tables of some accounts, and `public` holds what accounts share.
 * Without shards, `public` holds everything, and each function here returns what it was given.
 */
import type postgres from 'postgres'
import { newUuid } from '../crypto/ids.ts'
import { AppError } from '../errors/errors.ts'
import { BoundedMap } from '../values/bounded-map.ts'
import { perDatabase, type Sql } from './database.ts'
import { findSearchPath, getPool, isTransaction, withSearchPath } from './transaction.ts'

/** Tables in `public` that all shards read: statements join them with those of a shard. */
export const SHARED_TABLES = [
  'access_link',
  'account',
  'account_identity',
  'actor',
  'api_key',
  'approved_name',
  'brand',
  'brand_logo',
  'browser_link',
  'dpp_alias',
  'dpp_id_base',
  'gtin_claim',
  'issuer',
  'issuer_key',
  'membership',
  'metric_slot',
  'mirror_run',
  'offer',
  'one_time_link',
  'passkey',
  'passkey_challenge',
  'password_link',
  'person',
  'person_session',
  'plan',
  'public_media',
  'released_gtin',
  'scan_salt',
  'scan_setting',
  'schema_migration',
  'shard_migration',
  'sign_in_attempt',
  'verification_request',
] as const

/** The number of a shard is in the last 12 bits of its ids. */
export const MAX_SHARDS = 4_095

/** The names of the schemas of shards. */
export const SHARD_NAME = /^shard_([1-9]\d{0,3})$/

/** The schema of a shard. */
export const getShardSchema = (shard: number): string => `shard_${shard}`

/** For `search_path`: the tables of the shard, and those that all shards share. */
export const getSearchPath = (shard: number): string => `${getShardSchema(shard)}, public`

type ShardMap = { shared: Sql; pools: Map<number, Sql> }

const maps = new WeakMap<Sql, ShardMap>()
const numbers = new WeakMap<Sql, number>()

/** The numbers of the database's shards, in order; empty for one that has only `public`. */
export async function readShards(sql: Sql | postgres.TransactionSql): Promise<number[]> {
  const rows = await sql<{ name: string }[]>`
    select nspname::text as name from pg_namespace where nspname ~ ${SHARD_NAME.source}`
  return rows.map(({ name }) => Number(SHARD_NAME.exec(name)?.[1])).sort((a, b) => a - b)
}

/**
 * Tells `shared` of its shards. `open` opens the pool of one, with its `search_path`. Called again, it opens
 * those that are new. Returns the pools that it opened.
 */
export function addShards(shared: Sql, shards: readonly number[], open: (shard: number) => Sql): Sql[] {
  const map = maps.get(shared) ?? { shared, pools: new Map() }
  const opened = shards
    .filter(shard => !map.pools.has(shard))
    .map(shard => {
      const pool = open(shard)
      map.pools.set(shard, pool)
      numbers.set(pool, shard)
      maps.set(pool, map)
      return pool
    })
  if (map.pools.size > 0) maps.set(shared, map)
  return opened
}

/**
 * The database of an account, by its `account.shard`. In a transaction, the same transaction with the tables
 * of this shard. Throws `unavailable` for a shard not known yet.
 */
export function getShard(sql: Sql, shard: number | null): Sql {
  const pool = getPool(sql)
  const map = maps.get(pool)
  if (map === undefined || shard === getShardNumber(sql)) return sql
  const found = shard === null ? map.shared : map.pools.get(shard)
  if (found === undefined) {
    const message = 'The data of this account cannot be reached right now; try again in a moment.'
    throw new AppError('unavailable', message, undefined, 2_000)
  }
  if (!isTransaction(sql)) return found
  if (found === pool) return withSearchPath(sql, undefined)
  return withSearchPath(sql, shard === null ? 'public' : getSearchPath(shard))
}

/** Returns true if accounts are on shards; otherwise all are in `public`. */
export const hasShards = (sql: Sql): boolean => maps.has(getPool(sql))

/** Where the tables are that all accounts share. */
export const getSharedDatabase = (sql: Sql): Sql => maps.get(getPool(sql))?.shared ?? sql

/** Like `perDatabase`, but all shards share the value. */
export function perSharedDatabase<T>(make: (shared: Sql) => T): (sql: Sql) => T {
  const get = perDatabase(make)
  return sql => get(getSharedDatabase(sql))
}

/** Every database with tables of accounts: the shards in order, or the only one. */
export function listShards(sql: Sql): readonly Sql[] {
  const map = maps.get(getPool(sql))
  return map === undefined ? [sql] : Array.from(map.pools.keys(), shard => getShard(sql, shard))
}

/** The number of a shard's pool, also in a transaction of it; null for the shared database. */
export function getShardNumber(sql: Sql): number | null {
  const entered = findSearchPath(sql)
  if (entered === undefined) return numbers.get(getPool(sql)) ?? null
  const [schema = ''] = entered.split(',')
  return Number(SHARD_NAME.exec(schema)?.[1] ?? 0) || null
}

/**
 * The databases that may have this id, the likeliest first: the one that its last 12 bits name. Ids that were
 * created in `public`, or before an account moved, name another or none.
 */
export function listCandidateShards(sql: Sql, uuid: string): readonly Sql[] {
  const all = listShards(sql)
  const named = all.find(shard => getShardNumber(shard) === Number.parseInt(uuid.slice(-3), 16))
  return named === undefined ? all : [named, ...all.filter(shard => shard !== named)]
}

const MAX_KNOWN_PLACES = 10_000

/** The shards of ids that name another one, such as those of moved accounts: a second read asks only one. */
const knownPlaces = perSharedDatabase(() => new BoundedMap<string, number | null>(MAX_KNOWN_PLACES))

/**
 * Asks the likeliest shard for an id, then all others. If no shard that answers knows it, but one does not
 * answer, throws the error of that one: the id may be there.
 */
export async function findInShards<T>(
  sql: Sql,
  uuid: string,
  find: (shard: Sql) => Promise<T | undefined>,
): Promise<T | undefined> {
  const candidates = listCandidateShards(sql, uuid)
  const places = knownPlaces(sql)
  const known = places.get(uuid)
  const [named = sql] = candidates
  const first = candidates.find(shard => getShardNumber(shard) === known) ?? named
  const others = candidates.filter(shard => shard !== first)
  if (others.length === 0) return find(first)
  const results = await Promise.allSettled([find(first)])
  const isFound = (result: PromiseSettledResult<T | undefined>) =>
    result.status === 'fulfilled' && result.value !== undefined
  if (!results.some(isFound)) {
    results.push(...(await Promise.allSettled(others.map(find))))
    const place = others[results.findIndex(isFound) - 1]
    if (place !== undefined) places.set(uuid, getShardNumber(place))
  }
  const result = results.find(isFound) ?? results.find(({ status }) => status === 'rejected')
  if (result?.status === 'rejected') throw result.reason
  return result?.value
}

let lastMarked = ''

/** A UUIDv7 for a passport of this database: one of a shard ends in the shard's number. */
export function newPassportUuid(sql: Sql, nowMs: number): string {
  const shard = getShardNumber(sql)
  if (shard === null) return newUuid(nowMs)
  for (;;) {
    const start = newUuid(nowMs).slice(0, -3)
    // Two ids of one millisecond may differ only in the bits that the shard number replaces.
    if (start !== lastMarked) {
      lastMarked = start
      return start + shard.toString(16).padStart(3, '0')
    }
  }
}
