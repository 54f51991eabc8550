/**
 * Applies corrections to inherited data: a field changes only if it still has the wrong value. A pure
 * function.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PassportData } from './check-data.ts'

export type Correction = {
  fields: readonly string[]
  before: PassportData
  after: PassportData
  /** Fields that the batch had set itself after the correction. */
  batchFields: readonly string[]
  /** The last version of the model whose corrections are in `after`, except in `batchFields`. */
  inheritedVersion: number
  /** A refresh of a batch only passes on corrections of the model. */
  isRefresh: boolean
  /** By which `after` is understood. */
  schemaVersion: number
}

/** Data that a unit inherits: data, fields set by its batch, and the model's last version in it. */
export type Inherited = { data: PassportData; ownFields: readonly string[]; inheritedVersion: number }

export type Corrected = Omit<Inherited, 'inheritedVersion'> & {
  /** Fields with another value, sorted. */
  changed: string[]
  /** Fields whose corrected value the unit never had. */
  skipped: string[]
  /** Schema versions of the corrections that set the fields; other fields are understood as before. */
  schemaVersions: ReadonlyMap<string, number>
}

/**
 * Applies later corrections in order: first those of the batch, which decides for its units, then those of
 * the model, except for fields that the batch has set. A value from the batch contains the model's
 * corrections up to its `inheritedVersion`.
 */
export function applyCorrections(
  inherited: Inherited,
  since: { batch: readonly Correction[]; model: readonly Correction[] },
): Corrected {
  const data = new Map(Object.entries(inherited.data))
  const ownFields = new Set(inherited.ownFields)
  const skipped = new Set<string>()
  const versionOf = new Map<string, number>()
  const schemaVersions = new Map<string, number>()
  const apply = (correction: Correction, field: string) => {
    const isSame = hasSameValue(data, field, correction.after)
    if (!isSame && !hasSameValue(data, field, correction.before)) return false
    schemaVersions.set(field, correction.schemaVersion)
    if (isSame) return true
    if (Object.hasOwn(correction.after, field)) data.set(field, correction.after[field])
    else data.delete(field)
    return true
  }
  for (const [correction, field] of listCorrectedFields(since.batch)) {
    if (apply(correction, field)) {
      versionOf.set(field, correction.inheritedVersion)
      if (correction.batchFields.includes(field)) ownFields.add(field)
      else ownFields.delete(field)
    } else if (!correction.isRefresh) skipped.add(field)
  }
  for (const [correction, field] of listCorrectedFields(since.model)) {
    const isIncluded = correction.inheritedVersion <= (versionOf.get(field) ?? inherited.inheritedVersion)
    if (!isIncluded && !ownFields.has(field) && !apply(correction, field)) skipped.add(field)
  }
  const after = Object.fromEntries(data)
  return {
    data: after,
    ownFields: [...ownFields].sort(),
    changed: listChangedFields(inherited.data, after),
    skipped: [...skipped].sort(),
    schemaVersions,
  }
}

const listCorrectedFields = (corrections: readonly Correction[]) =>
  corrections.flatMap(correction => correction.fields.map(field => [correction, field] as const))

function hasSameValue(data: ReadonlyMap<string, unknown>, field: string, other: PassportData): boolean {
  if (!data.has(field) || !Object.hasOwn(other, field)) return data.has(field) === Object.hasOwn(other, field)
  return isDeepStrictEqual(data.get(field), other[field])
}

/** Top-level fields that differ, sorted. */
export function listChangedFields(before: PassportData, after: PassportData): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const own = (data: PassportData, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
  return [...names].filter(name => !isDeepStrictEqual(own(before, name), own(after, name))).sort()
}
