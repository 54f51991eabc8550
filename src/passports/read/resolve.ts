/**
 * Resolves a GS1 address to passports. All GTINs that a model has or had lead to its units; an unknown unit
 * resolves to its nearest known ancestor. A released GTIN never leads to another account's product.
 */
import type { DigitalLink } from '../../gs1/digital-link.ts'
import { getPrefixDigits } from '../../gs1/gtin.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard, getSharedDatabase, hasShards, perSharedDatabase } from '../../kernel/db/shards.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

/** Public ids. */
export type ResolvedPassports = { model: string; batch: string | null; item: string | null }

type Key = Pick<DigitalLink, 'gtin14' | 'lot' | 'serial'>
/** `released_at`: when the model lost the GTIN; null while it has it. */
type Row = {
  n: number
  released_at: Date | null
  account: number
  model: string
  batch: string | null
  item: string | null
}

const FRESH_MS = 1_000
const MAX_CACHED_TARGETS = 10_000

type Resolver = {
  load: (key: Key) => Promise<ResolvedPassports | undefined>
  cache: BoundedMap<string, { resolved: ResolvedPassports; at: number }>
}

const resolvers = perSharedDatabase(
  (sql: Sql): Resolver => ({
    load: createBatchLoader((keys: readonly Key[]) => loadTogether(sql, keys)),
    cache: new BoundedMap(MAX_CACHED_TARGETS),
  }),
)

const cacheKey = ({ gtin14, lot = '', serial = '' }: Key) => `${gtin14} ${lot} ${serial}`

/**
 * The cached target of an address, if it was read within the last second or `withinMs`. Needs no database.
 */
export function findCachedTarget(
  sql: Sql,
  key: Key,
  now: Date,
  withinMs = FRESH_MS,
): ResolvedPassports | undefined {
  const cached = resolvers(sql).cache.get(cacheKey(key))
  if (cached === undefined) return undefined
  const age = now.getTime() - cached.at
  return age >= 0 && age < withinMs ? cached.resolved : undefined
}

/** The passports of an address, from the model down; undefined if nobody has the GTIN. */
export async function resolveAddress(sql: Sql, key: Key, now: Date): Promise<ResolvedPassports | undefined> {
  const { load, cache } = resolvers(sql)
  const resolved = await load(key)
  if (resolved !== undefined && isExact(key, resolved)) {
    cache.set(cacheKey(key), { resolved, at: now.getTime() })
  }
  return resolved
}

/** Bypasses the cache and shares no statement, for a caller inside a transaction. */
export const resolveUncached = async (sql: Sql, key: Key): Promise<ResolvedPassports | undefined> =>
  (await loadAll(sql, [key]))[0]

/** Only a result that no later unit could improve is cached. */
function isExact(key: Key, { batch, item }: ResolvedPassports): boolean {
  if (key.serial !== undefined) return item !== null
  return key.lot === undefined || batch !== null
}

/**
 * A GS1 address names no account. Models that had the GTIN are searched for units that existed at its
 * release. `between` replaces an equality, so that PostgreSQL can only use the index on model and serial.
 * Claims are read first: they are stored by GTIN, passports by account.
 */
async function loadRows(sql: Sql, keys: readonly Key[]): Promise<readonly Row[]> {
  const gtins = keys.map(key => key.gtin14)
  const lots = keys.map(key => key.lot ?? null)
  const serials = keys.map(key => key.serial ?? null)
  return sql<Row[]>`
    with claim as materialized (
      select gtin14, account_id, model_id from gtin_claim
      where gtin14 = any(${gtins}::text[]) and prefix_digits = any(${gtins.map(getPrefixDigits)}::text[])
    )
    select k.n, holder.released_at, holder.account_id as account, holder.model_id as model, item.id as item,
      case when item.id is null then batch.id else nullif(item.parent_id, holder.model_id) end as batch
    from unnest(${gtins}::text[], ${lots}::text[], ${serials}::text[]) with ordinality as k(gtin14, lot, serial, n)
    cross join lateral (
      select account_id, model_id, null::timestamptz as released_at from claim where gtin14 = k.gtin14
      union all
      select account_id, model_id, released_at from released_gtin where gtin14 = k.gtin14) holder
    left join lateral (
      select p.id, p.parent_id from passport p
      where p.account_id = holder.account_id and p.model_id = holder.model_id and p.serial between k.serial and k.serial
        and (holder.released_at is null or carnet_created_at(p.id) <= holder.released_at) limit 1) item on true
    left join lateral (
      select p.id from passport p
      where p.account_id = holder.account_id and p.model_id = holder.model_id and p.level = 'b' and p.lot = k.lot
        and (holder.released_at is null or carnet_created_at(p.id) <= holder.released_at) limit 1) batch on true`
}

type Found = ResolvedPassports | undefined

/** If a machine with shards is lost, only the addresses that need it fail: each is loaded alone. */
async function loadTogether(sql: Sql, keys: readonly Key[]): Promise<(Found | Promise<Found>)[]> {
  try {
    return await loadAll(sql, keys)
  } catch (error) {
    if (!hasShards(sql) || keys.length === 1) throw error
    return keys.map(key => resolveUncached(sql, key))
  }
}

async function loadAll(sql: Sql, keys: readonly Key[]): Promise<(ResolvedPassports | undefined)[]> {
  const rows = await (hasShards(sql) ? loadFromShards(sql, keys) : loadRows(sql, keys))
  const byKey = Map.groupBy(rows, row => row.n)
  const toId = (uuid: string | null) => (uuid === null ? null : idFromUuid(uuid))
  return keys.map((_key, i) => {
    const row = chooseHolder(byKey.get(i + 1) ?? [])
    return row && { model: idFromUuid(row.model), batch: toId(row.batch), item: toId(row.item) }
  })
}

/** Each shard knows who holds the GTINs, but only the units of its own accounts. */
async function loadFromShards(sql: Sql, keys: readonly Key[]): Promise<Row[]> {
  const gtins = keys.map(key => key.gtin14)
  const holders = await getSharedDatabase(sql)<{ id: number; shards: (number | null)[] }[]>`
    select id, coalesce(shards, array[shard]) as shards from account where id = any(array(
      select account_id from gtin_claim
      where gtin14 = any(${gtins}::text[]) and prefix_digits = any(${gtins.map(getPrefixDigits)}::text[])
      union select account_id from released_gtin where gtin14 = any(${gtins}::text[])))`
  const shardsOf = new Map(holders.map(({ id, shards }) => [id, shards]))
  const found = await Promise.all(
    [...new Set(holders.flatMap(({ shards }) => shards))].map(async shard => {
      const rows = await loadRows(getShard(sql, shard), keys)
      return rows.filter(row => shardsOf.get(row.account)?.includes(shard))
    }),
  )
  return found.flat()
}

/**
 * The nearest unit wins; then the account that had the GTIN first, because it printed codes first; then the
 * latest model.
 */
function chooseHolder(rows: readonly Row[]): Row | undefined {
  if (rows.length < 2) return rows[0]
  const getRelease = ({ released_at }: Row) => released_at?.getTime() ?? Number.POSITIVE_INFINITY
  const getFirstRelease = (row: Row) =>
    Math.min(...rows.filter(one => one.account === row.account).map(getRelease))
  const countMissingLevels = ({ item, batch }: Row) => (item !== null ? 0 : batch !== null ? 1 : 2)
  const compare = (a: Row, b: Row) => {
    const byLevel = countMissingLevels(a) - countMissingLevels(b)
    if (byLevel !== 0) return byLevel
    const isModelOnly = countMissingLevels(a) === 2
    const byAccount = isModelOnly || a.account === b.account ? 0 : getFirstRelease(a) - getFirstRelease(b)
    return byAccount === 0 ? getRelease(b) - getRelease(a) : byAccount
  }
  return rows.toSorted(compare)[0]
}
