/**
 * Applies corrections to inherited data: a corrected field changes only if it still has the wrong value.
 * Pure, so that property tests can try thousands of cases.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PassportData } from './check-data.ts'

/** One correction, with its owner's data before and after. */
export type Correction = {
  /** Names of the fields that it changed. */
  fields: readonly string[]
  before: PassportData
  after: PassportData
  /** Names of the fields that a batch had set itself afterwards. */
  batchFields: readonly string[]
  /** Last version of the model whose corrections are in `after`, except in `batchFields`. */
  inheritedVersion: number
  /** Whether it is a refresh of a batch, which only passes on corrections of the model. */
  isRefresh: boolean
}

/**
 * What a unit inherits: the data, the fields that its batch had set itself, and the model's last version that
 * is in it.
 */
export type Inherited = { data: PassportData; ownFields: readonly string[]; inheritedVersion: number }

export type Corrected = Omit<Inherited, 'inheritedVersion'> & {
  /** Names of the fields that got another value, in alphabetical order. */
  changed: string[]
  /** Names of the fields whose correction is of a value that was never inherited. */
  skipped: string[]
}

/**
 * Applies the later corrections in order: those of the batch first, since the batch decides for its units,
 * then those of the model, except for fields that the batch has set itself. A value taken from the batch
 * contains the model's corrections up to its `inheritedVersion`: only later ones are applied to it.
 */
export function applyCorrections(
  inherited: Inherited,
  since: { batch: readonly Correction[]; model: readonly Correction[] },
): Corrected {
  const data = new Map(Object.entries(inherited.data))
  const ownFields = new Set(inherited.ownFields)
  const skipped = new Set<string>()
  const versionOf = new Map<string, number>()
  const apply = (correction: Correction, field: string) => {
    if (hasSameValue(data, field, correction.after)) return true
    if (!hasSameValue(data, field, correction.before)) return false
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
    // A refresh of the batch repeats corrections of the model, which are applied below.
  }
  for (const [correction, field] of listCorrectedFields(since.model)) {
    const isIn = correction.inheritedVersion <= (versionOf.get(field) ?? inherited.inheritedVersion)
    if (!isIn && !ownFields.has(field) && !apply(correction, field)) skipped.add(field)
  }
  const after = Object.fromEntries(data)
  return {
    data: after,
    ownFields: [...ownFields].sort(),
    changed: listChangedFields(inherited.data, after),
    skipped: [...skipped].sort(),
  }
}

const listCorrectedFields = (corrections: readonly Correction[]) =>
  corrections.flatMap(correction => correction.fields.map(field => [correction, field] as const))

function hasSameValue(data: ReadonlyMap<string, unknown>, field: string, other: PassportData): boolean {
  if (!data.has(field) || !Object.hasOwn(other, field)) return data.has(field) === Object.hasOwn(other, field)
  return isDeepStrictEqual(data.get(field), other[field])
}

/** Names of the top-level fields that differ, in alphabetical order. */
export function listChangedFields(before: PassportData, after: PassportData): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const own = (data: PassportData, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
  return [...names].filter(name => !isDeepStrictEqual(own(before, name), own(after, name))).sort()
}
