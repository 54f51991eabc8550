/**
 * Resolves a GS1 address to passports. A GTIN leads to its model, also a former one; lot and serial belong to
 * the model, so each of its GTINs reaches the same unit. The nearest known ancestor answers. A released GTIN
 * still leads to the units of its time, never to another account's product.
 */
import type { DigitalLink } from '../../gs1/digital-link.ts'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { idFromUuid } from '../../kernel/ids.ts'

/** Public ids. */
export type Resolved = { model: string; batch: string | null; item: string | null }

type Key = Pick<DigitalLink, 'gtin14' | 'lot' | 'serial'>
/** `until`: when the model lost the GTIN; null while it has it. */
type Row = {
  n: number
  until: Date | null
  account: number
  model: string
  batch: string | null
  item: string | null
}

const FRESH_MS = 1_000
const MAX_CACHED_TARGETS = 10_000

type Resolver = {
  load: (key: Key) => Promise<Resolved | undefined>
  cache: BoundedMap<string, { resolved: Resolved; at: number }>
}

const resolvers = perDatabase(
  (sql: Sql): Resolver => ({
    load: createBatchLoader((keys: readonly Key[]) => loadAll(sql, keys)),
    cache: new BoundedMap(MAX_CACHED_TARGETS),
  }),
)

const cacheKey = ({ gtin14, lot = '', serial = '' }: Key) => `${gtin14} ${lot} ${serial}`

/** What an address resolved to within the last second, or `withinMs`. Asks no database. */
export function findCachedTarget(sql: Sql, key: Key, now: Date, withinMs = FRESH_MS): Resolved | undefined {
  const cached = resolvers(sql).cache.get(cacheKey(key))
  if (cached === undefined) return undefined
  const age = now.getTime() - cached.at
  return age >= 0 && age < withinMs ? cached.resolved : undefined
}

/** The passports of an address, from the model down; undefined if nobody has the GTIN. */
export async function resolveAddress(sql: Sql, key: Key, now: Date): Promise<Resolved | undefined> {
  const { load, cache } = resolvers(sql)
  const resolved = await load(key)
  if (resolved !== undefined && isExact(key, resolved)) {
    cache.set(cacheKey(key), { resolved, at: now.getTime() })
  }
  return resolved
}

/** Bypasses the cache; for one connection. */
export const resolveUncached = async (sql: Sql, key: Key): Promise<Resolved | undefined> =>
  (await loadAll(sql, [key]))[0]

/** Only an answer that no unit issued later could improve is cached. */
function isExact(key: Key, { batch, item }: Resolved): boolean {
  if (key.serial !== undefined) return item !== null
  return key.lot === undefined || batch !== null
}

/**
 * A GS1 address names no account. Models that had the GTIN answer for units that existed at its release.
 * `between` is an equality that only the index on model and serial serves.
 */
async function loadAll(sql: Sql, keys: readonly Key[]): Promise<(Resolved | undefined)[]> {
  const gtins = keys.map(key => key.gtin14)
  const lots = keys.map(key => key.lot ?? null)
  const serials = keys.map(key => key.serial ?? null)
  const rows = await sql<Row[]>`
    select k.n, g.until, g.account_id as account, g.model_id as model, i.id as item,
      case when i.id is null then b.id else nullif(i.parent_id, g.model_id) end as batch
    from unnest(${gtins}::text[], ${lots}::text[], ${serials}::text[]) with ordinality as k(gtin14, lot, serial, n)
    cross join lateral (
      select account_id, model_id, null::timestamptz as until from gtin_claim where gtin14 = k.gtin14
      union all
      select account_id, model_id, released_at from released_gtin where gtin14 = k.gtin14) g
    left join lateral (
      select p.id, p.parent_id from passport p
      where p.account_id = g.account_id and p.model_id = g.model_id and p.serial between k.serial and k.serial
        and (g.until is null or carnet_created_at(p.id) <= g.until) limit 1) i on true
    left join lateral (
      select p.id from passport p
      where p.account_id = g.account_id and p.model_id = g.model_id and p.level = 'b' and p.lot = k.lot
        and (g.until is null or carnet_created_at(p.id) <= g.until) limit 1) b on true`
  const byKey = Map.groupBy(rows, row => row.n)
  const idOf = (uuid: string | null) => (uuid === null ? null : idFromUuid(uuid))
  return keys.map((_key, i) => {
    const row = chooseHolder(byKey.get(i + 1) ?? [])
    return row && { model: idFromUuid(row.model), batch: idOf(row.batch), item: idOf(row.item) }
  })
}

/** The nearest unit wins; then the first account, whose codes were printed first; then the latest model. */
function chooseHolder(rows: readonly Row[]): Row | undefined {
  if (rows.length < 2) return rows[0]
  const untilOf = ({ until }: Row) => until?.getTime() ?? Number.POSITIVE_INFINITY
  const firstOf = (row: Row) => Math.min(...rows.filter(one => one.account === row.account).map(untilOf))
  const distanceOf = ({ item, batch }: Row) => (item !== null ? 0 : batch !== null ? 1 : 2)
  const compare = (a: Row, b: Row) => {
    const nearer = distanceOf(a) - distanceOf(b)
    if (nearer !== 0) return nearer
    const sooner = distanceOf(a) === 2 || a.account === b.account ? 0 : firstOf(a) - firstOf(b)
    return sooner === 0 ? untilOf(b) - untilOf(a) : sooner
  }
  return rows.toSorted(compare)[0]
}
