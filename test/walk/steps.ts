/**
 * Random steps of a client. A step names its passports by number, so that a failing sequence can be
 * shortened.
 */
import fc from 'fast-check'
import type { Fields } from '../passports/inheritance-model.ts'
import type { Caller } from './call.ts'
import type { Filter } from './world.ts'
import { BAD } from './writes.ts'

/** `gtin` is an index into the walk's GTINs. */
export type DrawnFields = Omit<Fields, 'gtin'> & { gtin?: number | null | typeof BAD }
export type DrawnUnit = { name: string; fields: DrawnFields }
export type DrawnRow = { name: number; fields: DrawnFields; isFull: boolean }

type Common = {
  account: 0 | 1
  caller: Caller
  /** The passport's number in the account; in the other account if `isForeign`. */
  who: number
  isForeign: boolean
  idempotencyKey: number | undefined
  /** Only for calls that change products; other calls ignore it. */
  isDryRun: boolean
}

type Wish = {
  isCorrection: boolean
  note: string | undefined
  /** `If-Match`: none, the current version, or another. */
  match: 'none' | 'fresh' | 'stale'
}

export type Step = Common &
  (
    | { do: 'create'; fields: DrawnFields; name: number; isStrict: boolean; isStrange: boolean }
    | ({ do: 'patch'; fields: DrawnFields } & Wish)
    | ({ do: 'put by sku' | 'put by gtin'; row: DrawnRow; gtin: number; isNew: boolean } & Wish)
    | ({ do: 'sync many'; rows: DrawnRow[] } & Omit<Wish, 'match'>)
    | ({ do: 'revert'; n: number } & Wish)
    | ({ do: 'archive' | 'restore' } & Pick<Wish, 'match'>)
    | { do: 'refresh' | 'see refresh' | 'qr' | 'snippet' | 'again' | 'revoke' | 'wait a day' }
    | { do: 'issue'; level: 'batch' | 'item'; unit: DrawnUnit }
    | { do: 'issue many'; level: 'batch' | 'item'; units: DrawnUnit[] }
    | ({ do: 'change many'; member: 'serial' | 'lot'; units: DrawnUnit[] } & Omit<Wish, 'match'>)
    | { do: 'read'; knows: 'none' | 'fresh' | 'stale' }
    | { do: 'read at'; ago: number }
    | { do: 'version'; n: number }
    | {
        do: 'versions' | 'list' | 'children'
        filter: Filter
        ago: number | undefined
        limit: number
        page: number | undefined
      }
  )

const VALUES = {
  weightKg: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(1, 2, 3) },
    { weight: 1, arbitrary: fc.constant(BAD) },
  ),
  energyWh: fc.constantFrom(1, 2),
  languages: fc.constantFrom(['en', 'de'], ['de', 'en']),
  safetyInformation: fc.constantFrom(
    { en: 'Keep dry.' },
    { de: 'Trocken halten.' },
    { en: 'Dry.', de: 'Trocken.' },
  ),
  gtin: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.constant(BAD) }),
}

const fieldNames = fc.uniqueArray(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant('weightKg' as const) },
    { weight: 4, arbitrary: fc.constant('energyWh' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('languages' as const, 'safetyInformation' as const, 'gtin' as const),
    },
  ),
  { minLength: 0, maxLength: 3 },
)

const someFields = (hasNulls: boolean) =>
  fieldNames.chain(
    (names): fc.Arbitrary<DrawnFields> =>
      fc.record(
        Object.fromEntries(
          names.map(name => [name, hasNulls ? fc.option<unknown>(VALUES[name], { freq: 5 }) : VALUES[name]]),
        ),
        { noNullPrototype: true },
      ) as fc.Arbitrary<DrawnFields>,
  )

const newFields: fc.Arbitrary<DrawnFields> = fc.record(
  { ...VALUES, weightKg: VALUES.weightKg, languages: VALUES.languages },
  { requiredKeys: ['weightKg', 'languages'], noNullPrototype: true },
) as fc.Arbitrary<DrawnFields>

const ownFields = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: someFields(false) },
)
const unit: fc.Arbitrary<DrawnUnit> = fc.record({
  name: fc.oneof(
    { weight: 15, arbitrary: fc.constantFrom('A1', 'A2', 'B1', 'B2', 'C') },
    { weight: 1, arbitrary: fc.constant('x y') },
  ),
  fields: ownFields,
})
const changedUnit: fc.Arbitrary<DrawnUnit> = fc.record({
  name: fc.constantFrom('A1', 'A2', 'B1', 'B2', 'C'),
  fields: someFields(true),
})
/** Some SKUs that POST uses too, and some others. */
const row: fc.Arbitrary<DrawnRow> = fc.oneof(
  fc.record({ name: fc.nat({ max: 4 }), fields: newFields, isFull: fc.constant(true) }),
  fc.record({ name: fc.nat({ max: 4 }), fields: someFields(true), isFull: fc.constant(false) }),
)
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 4, selector: ({ name }) => name })
const level = fc.constantFrom('item' as const, 'batch' as const, 'item' as const)

const wish = {
  isCorrection: fc.constantFrom(true, true, false),
  note: fc.option(fc.constantFrom('A reason', 'Ein Grund'), { nil: undefined, freq: 3 }),
  match: fc.constantFrom(
    'none' as const,
    'none' as const,
    'none' as const,
    'fresh' as const,
    'stale' as const,
  ),
}

const filter: fc.Arbitrary<Filter> = fc.record(
  {
    status: fc.constantFrom('all' as const, 'active' as const, 'archived' as const),
    level: fc.constantFrom('model' as const, 'batch' as const, 'item' as const, 'all' as const),
    category: fc.constantFrom('battery', 'battery', 'textile'),
    outdated: fc.boolean(),
    sku: fc.constantFrom('K0', 'K1'),
    gtin: fc.constantFrom('0', '1', '2', '3'),
    lot: fc.constantFrom('A1', 'A2', 'B1'),
    serial: fc.constantFrom('A1', 'B1', 'C'),
    q: fc.constantFrom('K0', 'k1', 'A', 'B1', 'Cell', '%', 'zz'),
  },
  { requiredKeys: [], noNullPrototype: true },
)

/** Most lists have at most one filter, so that they return rows. */
const fewFilters = fc.tuple(filter, fc.nat({ max: 2 }), fc.nat({ max: 8 })).map(([all, count, from]) => {
  const names = Object.keys(all) as (keyof Filter)[]
  const kept = Array.from(
    { length: Math.min(count, names.length) },
    (_, i) => names[(from + i) % names.length],
  )
  return Object.fromEntries(kept.map(name => [name, all[name as keyof Filter]])) as Filter
})

const common = {
  account: fc.constantFrom(0 as const, 0 as const, 1 as const),
  caller: fc.oneof(
    { weight: 24, arbitrary: fc.constant('full' as const) },
    { weight: 3, arbitrary: fc.constantFrom('read' as const, 'revoked' as const, 'none' as const) },
  ),
  who: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat({ max: 12 }) }),
  isForeign: fc.constantFrom(...Array.from({ length: 14 }, (_, i) => i === 13)),
  idempotencyKey: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 2 }),
  isDryRun: fc.constantFrom(false, false, false, false, true),
}

const drawn = <T extends object>(weight: number, own: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  weight,
  arbitrary: fc.record({ ...common, ...own }, { noNullPrototype: true }) as unknown as fc.Arbitrary<Step>,
})
const act = <const D extends string>(name: D) => ({ do: fc.constant(name) })

const plain = (...names: Step['do'][]) => ({ do: fc.constantFrom(...names) })
const window = {
  filter: fewFilters,
  ago: fc.option(fc.nat({ max: 30 }), { nil: undefined, freq: 2 }),
  limit: fc.constantFrom(1, 2, 3, 100),
  page: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
}

const someone: fc.Arbitrary<Step> = fc.oneof(
  drawn(5, {
    ...act('create'),
    fields: newFields,
    name: fc.nat({ max: 1 }),
    isStrict: fc.constantFrom(false, false, true),
    isStrange: fc.constantFrom(false, false, false, true),
  }),
  drawn(9, { ...act('patch'), fields: someFields(true), ...wish }),
  drawn(2, { ...act('revert'), n: fc.integer({ min: 1, max: 4 }), ...wish }),
  drawn(2, { ...plain('archive'), match: wish.match }),
  drawn(3, { ...plain('restore'), match: wish.match }),
  drawn(4, {
    ...plain('put by sku', 'put by gtin'),
    row,
    gtin: fc.nat({ max: 3 }),
    isNew: fc.constantFrom(false, false, false, true),
    ...wish,
  }),
  drawn(3, { ...act('sync many'), rows, isCorrection: wish.isCorrection, note: wish.note }),
  drawn(4, plain('refresh')),
  drawn(6, plain('again', 'again', 'qr', 'snippet', 'see refresh', 'revoke', 'wait a day')),
  drawn(6, { ...act('issue'), level, unit }),
  drawn(4, { ...act('issue many'), level, units: fc.array(unit, { minLength: 1, maxLength: 4 }) }),
  drawn(4, {
    ...act('change many'),
    member: fc.constantFrom('serial' as const, 'serial' as const, 'lot' as const),
    units: fc.array(changedUnit, { minLength: 1, maxLength: 4 }),
    isCorrection: wish.isCorrection,
    note: wish.note,
  }),
  drawn(3, { ...act('read'), knows: fc.constantFrom('none' as const, 'fresh' as const, 'stale' as const) }),
  drawn(2, { ...act('read at'), ago: fc.nat({ max: 30 }) }),
  drawn(2, { ...act('version'), n: fc.integer({ min: 1, max: 5 }) }),
  drawn(9, { ...plain('list', 'list', 'children', 'versions'), ...window }),
)

/** Most sequences start with a model, a batch and items; otherwise there is little to read. */
export const steps = fc.array(someone, { minLength: 1, maxLength: 36, size: 'max' })
