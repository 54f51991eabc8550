/**
 * From what a GS1 address says to the passports it means. A GTIN leads to its model, also one that the model had once;
 * a lot and a serial are the model's, so that every GTIN it ever had reaches the same unit (a serial is looked up by
 * model and serial alone, whatever lot stands before it). What is not known is passed over: the nearest ancestor answers.
 */
import type { DigitalLink } from '../gs1/digital-link.ts'
import { coalesce } from '../kernel/coalesce.ts'
import { perDatabase, type Sql } from '../kernel/db.ts'
import { idFromUuid } from '../kernel/ids.ts'

/** Ids as at the doors. */
export type Resolved = { model: string; batch: string | null; item: string | null }

type Key = Pick<DigitalLink, 'gtin14' | 'lot' | 'serial'>
type Row = { n: number; model: string; batch: string | null; item: string | null }

const BELIEVED_MS = 1_000
const MOST_BELIEVED = 10_000

type Resolver = {
  load: (key: Key) => Promise<Resolved | undefined>
  beliefs: Map<string, { resolved: Resolved; at: number }>
}

const resolvers = perDatabase(
  (sql: Sql): Resolver => ({
    load: coalesce((keys: readonly Key[]) => loadAll(sql, keys)),
    beliefs: new Map(),
  }),
)

const nameOf = ({ gtin14, lot = '', serial = '' }: Key) => `${gtin14} ${lot} ${serial}`

/** What an address was resolved to less than a second ago, or `withinMs`; asks no database. */
export function findBelievedTarget(
  sql: Sql,
  key: Key,
  now: Date,
  withinMs = BELIEVED_MS,
): Resolved | undefined {
  const belief = resolvers(sql).beliefs.get(nameOf(key))
  if (belief === undefined) return undefined
  const age = now.getTime() - belief.at
  return age >= 0 && age < withinMs ? belief.resolved : undefined
}

/** The passports of an address, from the model down; undefined when nobody holds the GTIN. */
export async function resolveAddress(sql: Sql, key: Key, now: Date): Promise<Resolved | undefined> {
  const { load, beliefs } = resolvers(sql)
  const resolved = await load(key)
  if (resolved !== undefined && isExact(key, resolved)) {
    if (beliefs.size >= MOST_BELIEVED) beliefs.clear()
    beliefs.set(nameOf(key), { resolved, at: now.getTime() })
  }
  return resolved
}

/** Only an answer that nothing issued later could better is believed. */
function isExact(key: Key, { batch, item }: Resolved): boolean {
  if (key.serial !== undefined) return item !== null
  return key.lot === undefined || batch !== null
}

/**
 * A directory look-up: a GS1 address names no account. `between` is an equality that only the index on model and serial
 * can serve: the one on serials alone holds a serial as often as there are models that count from 1.
 */
async function loadAll(sql: Sql, keys: readonly Key[]): Promise<(Resolved | undefined)[]> {
  const gtins = keys.map(key => key.gtin14)
  const lots = keys.map(key => key.lot ?? null)
  const serials = keys.map(key => key.serial ?? null)
  const rows = await sql<Row[]>`
    select k.n, g.model_id as model, i.id as item,
      case when i.id is null then b.id else nullif(i.parent_id, g.model_id) end as batch
    from unnest(${gtins}::text[], ${lots}::text[], ${serials}::text[]) with ordinality as k(gtin14, lot, serial, n)
    join gtin_claim g on g.gtin14 = k.gtin14
    left join lateral (
      select p.id, p.parent_id from passport p
      where p.account_id = g.account_id and p.model_id = g.model_id and p.serial between k.serial and k.serial limit 1) i on true
    left join lateral (
      select p.id from passport p
      where p.account_id = g.account_id and p.model_id = g.model_id and p.level = 'b' and p.lot = k.lot limit 1) b on true`
  const idOf = (uuid: string | null) => (uuid === null ? null : idFromUuid(uuid))
  const found = new Map(
    rows.map(row => [row.n, { model: idFromUuid(row.model), batch: idOf(row.batch), item: idOf(row.item) }]),
  )
  return keys.map((_key, i) => found.get(i + 1))
}
