/** Where a field of a unit comes from. A unit keeps only what differs, so each field is its own, its batch's or the model's. */
import type { PublicPassportRow } from '../../passports/read/find.ts'

export type Origin = 'model' | 'batch' | 'own'

/** By the name of the top-level field. */
export type Origins = ReadonlyMap<string, Origin>

/** The origins of the fields of a unit. `row` must be of a batch or an item. */
export function getFieldOrigins(
  row: Pick<PublicPassportRow, 'own_keys' | 'own_fields'>,
  names: readonly string[],
): Origins {
  const own = new Set(row.own_keys)
  const ofBatch = new Set(row.own_fields)
  return new Map(names.map(name => [name, own.has(name) ? 'own' : ofBatch.has(name) ? 'batch' : 'model']))
}

/** In the order in which one stands for all when there are as many of each. */
const ORIGINS: readonly Origin[] = ['model', 'batch', 'own']

/** What most of them are. */
export function findMostCommonOrigin(origins: readonly Origin[]): Origin {
  const count = (origin: Origin) => origins.filter(one => one === origin).length
  return ORIGINS.reduce((usual, origin) => (count(origin) > count(usual) ? origin : usual))
}
