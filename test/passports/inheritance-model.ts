/**
 * A simple model of levels and corrections: a unit keeps a fact for each inherited field and applies each
 * correction at once. Nothing is shared or deferred.
 */
import { isDeepStrictEqual } from 'node:util'

export const FIELDS = ['weightKg', 'energyWh', 'languages', 'safetyInformation', 'gtin'] as const
export type Field = (typeof FIELDS)[number]
/** The tested fields; an absent field has no value. */
export type Fields = { [F in Field]?: unknown }

/**
 * The inherited state of a field: the value, whether its batch set the value, and how many corrections of
 * the model it includes.
 */
type Fact = { value: unknown; ofBatch: boolean; seen: number }
type Facts = Record<Field, Fact>

/** A correction or refresh of a batch, as its items get it. */
type BatchCorrection = { isRefresh: boolean; fields: Map<Field, { before: unknown; after: Fact }> }
type Correction = Map<Field, { before: unknown; after: unknown }>

export type Unit = {
  level: 'model' | 'batch' | 'item'
  parent: Unit | undefined
  children: Unit[]
  facts: Facts
  own: Fields
  outdated: boolean
  archived: boolean
  /** Its data at each version. */
  versions: Fields[]
  /** Only for a model. */
  corrections: Correction[]
  /** Only for an item: later corrections of its batch. */
  batchCorrections: BatchCorrection[]
}

export type Outcome = { refreshed: Unit[]; skipped: Map<Unit, Field[]>; failed: Unit[] }

export const reading = (unit: Unit): Fields => overlay(inherited(unit), unit.own)

const inherited = (unit: Unit): Fields => fieldsOf(field => unit.facts[field].value)

function fieldsOf(look: (field: Field) => unknown): Fields {
  const entries = FIELDS.map(field => [field, look(field)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function overlay(below: Fields, above: Fields): Fields {
  return fieldsOf(field => {
    const value = field in above ? above[field] : below[field]
    return value === null ? undefined : value
  })
}

/** Required fields are present, and texts have the primary language. */
function isValid(fields: Fields): boolean {
  const { weightKg, languages, safetyInformation } = fields
  if (weightKg === undefined || !Array.isArray(languages)) return false
  return safetyInformation === undefined || Object.hasOwn(Object(safetyInformation), languages[0])
}

const factsFrom = (factOf: (field: Field) => Fact): Facts => ({
  weightKg: factOf('weightKg'),
  energyWh: factOf('energyWh'),
  languages: factOf('languages'),
  safetyInformation: factOf('safetyInformation'),
  gtin: factOf('gtin'),
})

const bare = { corrections: [], batchCorrections: [], children: [], outdated: false, archived: false }

/** Undefined if the data is invalid. */
export function createModel(data: Fields): Unit | undefined {
  if (!isValid(data)) return undefined
  const facts = factsFrom(() => ({ value: undefined, ofBatch: false, seen: 0 }))
  return {
    ...structuredClone(bare),
    level: 'model',
    parent: undefined,
    facts,
    own: data,
    versions: [data],
  }
}

/**
 * A unit inherits the effective data of its parent; under an outdated batch it starts as outdated. Undefined
 * if invalid.
 */
export function issue(parent: Unit, level: 'batch' | 'item', own: Fields): Unit | undefined {
  if (parent.archived || parent.level === 'item' || (parent.level === 'batch' && level === 'batch'))
    return undefined
  const unit: Unit = {
    ...structuredClone(bare),
    level,
    parent,
    facts: factsFrom(field => factOf(parent, field)),
    own: overlay({}, own),
    outdated: parent.outdated,
    versions: [],
  }
  if (!isValid(reading(unit))) return undefined
  unit.versions.push(reading(unit))
  parent.children.push(unit)
  return unit
}

/** The fact that units inherit from a passport. */
function factOf(giver: Unit, field: Field): Fact {
  const { seen } = giver.facts[field]
  if (giver.level === 'model')
    return { value: giver.own[field], ofBatch: false, seen: giver.corrections.length }
  if (field in giver.own) return { value: giver.own[field], ofBatch: true, seen }
  return { ...giver.facts[field] }
}

const modelOf = (unit: Unit): Unit => (unit.parent === undefined ? unit : modelOf(unit.parent))

export const family = (unit: Unit): Unit[] => [unit, ...unit.children.flatMap(family)]

/** False if the result would be invalid. */
export function change(unit: Unit, patch: Fields, isCorrection: boolean): boolean {
  const before = reading(unit)
  const own = overlay(unit.own, patch)
  if (!isValid(overlay(inherited(unit), own))) return false
  unit.own = own
  unit.versions.push(reading(unit))
  if (isCorrection) passOn(unit, before, false)
  return true
}

/** Passes a correction, or a batch's refresh, to all units under `owner`. */
function passOn(owner: Unit, before: Fields, isRefresh: boolean): void {
  const now = reading(owner)
  const fields = FIELDS.filter(field => !isDeepStrictEqual(before[field], now[field]))
  if (fields.length === 0 || owner.level === 'item') return
  if (!isRefresh) for (const unit of family(owner).slice(1)) unit.outdated = true
  if (owner.level === 'model') {
    owner.corrections.push(
      new Map(fields.map(field => [field, { before: before[field], after: now[field] }])),
    )
    return
  }
  for (const item of owner.children) {
    const changes = fields.map(
      field => [field, { before: before[field], after: factOf(owner, field) }] as const,
    )
    item.batchCorrections.push({ isRefresh, fields: new Map(changes) })
  }
}

/** Refreshes a unit and all outdated units under it, batches before items. */
export function refresh(top: Unit): Outcome {
  const outcome: Outcome = { refreshed: [], skipped: new Map(), failed: [] }
  for (const level of ['batch', 'item'] as const) {
    for (const unit of family(top)) {
      if (unit.level === level && unit.outdated) refreshOne(unit, outcome)
    }
  }
  return outcome
}

function refreshOne(unit: Unit, outcome: Outcome): void {
  const before = reading(unit)
  const { facts, skipped } = corrected(unit)
  const after = overlay(
    fieldsOf(field => facts[field].value),
    unit.own,
  )
  if (!isValid(after)) {
    outcome.failed.push(unit)
    return
  }
  Object.assign(unit, { facts, batchCorrections: [], outdated: false })
  unit.versions.push(after)
  outcome.refreshed.push(unit)
  if (skipped.size > 0) outcome.skipped.set(unit, [...skipped].sort())
  if (unit.level === 'batch') passOn(unit, before, true)
}

/** Applies the corrections of the nearest ancestor first. */
function corrected(unit: Unit): { facts: Facts; skipped: Set<Field> } {
  const facts = factsFrom(field => ({ ...unit.facts[field] }))
  const skipped = new Set<Field>()
  for (const correction of unit.batchCorrections) applyBatchCorrection(facts, correction, skipped)
  const { corrections } = modelOf(unit)
  for (const [index, correction] of corrections.entries()) {
    for (const [field, values] of correction)
      applyModelCorrection(facts[field], { ...values, index }, () => skipped.add(field))
  }
  for (const field of FIELDS) facts[field].seen = corrections.length
  return { facts, skipped }
}

/**
 * An item gets the batch's fact, including the model's corrections. A refresh of the batch that does not
 * apply is not counted as skipped, because it only repeats corrections of the model.
 */
function applyBatchCorrection(
  facts: Facts,
  { isRefresh, fields }: BatchCorrection,
  skipped: Set<Field>,
): void {
  for (const [field, { before, after }] of fields) {
    if (fits(facts[field].value, { before, after: after.value })) facts[field] = { ...after }
    else if (!isRefresh) skipped.add(field)
  }
}

/** Skips fields that the batch has set, and corrections that the unit already has. */
function applyModelCorrection(
  fact: Fact,
  correction: { before: unknown; after: unknown; index: number },
  skip: () => void,
): void {
  if (fact.ofBatch || correction.index < fact.seen) return
  if (fits(fact.value, correction)) fact.value = correction.after
  else skip()
}

const fits = (value: unknown, { before, after }: { before: unknown; after: unknown }) =>
  isDeepStrictEqual(value, before) || isDeepStrictEqual(value, after)
