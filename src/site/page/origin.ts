/**
 * The origin of a unit's fields: it stores only what differs and inherits the rest from its batch or model.
 */
import type { Field } from '../../categories/field.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'

export type Origin = 'model' | 'batch' | 'own'

/** The origin by top-level field. */
export type Origins = ReadonlyMap<string, Origin>

/** `row` must be a batch or an item. */
export function getFieldOrigins(
  row: Pick<PublicPassportRow, 'unit_fields' | 'batch_fields'>,
  names: readonly string[],
): Origins {
  const own = new Set(row.unit_fields)
  const fromBatch = new Set(row.batch_fields)
  return new Map(names.map(name => [name, own.has(name) ? 'own' : fromBatch.has(name) ? 'batch' : 'model']))
}

/** From the top to the unit. If two are equally common, the first of them wins. */
const ORIGINS: readonly Origin[] = ['model', 'batch', 'own']

export function findMostCommonOrigin(origins: readonly Origin[]): Origin {
  const count = (origin: Origin) => origins.filter(one => one === origin).length
  return ORIGINS.reduce((best, origin) => (count(origin) > count(best) ? origin : best))
}

/** True if the field was written about another value: the unit or its batch has replaced the one above it. */
export function isAboutReplacedValue(origins: Origins | null, { name, about }: Field): boolean {
  const [own, value] = [name, about].map(one => origins?.get(one ?? ''))
  if (own === undefined || value === undefined) return false
  return ORIGINS.indexOf(own) < ORIGINS.indexOf(value)
}
