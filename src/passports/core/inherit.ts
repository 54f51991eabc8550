/**
 * What a correction does to data handed on before it: the corrected fields change, and only where the wrong value is
 * really there. Pure, so that the rules can be tried by the thousand.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PassportData } from './check-data.ts'

/** One correction as its owner read before and after it. */
export type Correction = {
  /** Names of the fields that it changed. */
  fields: readonly string[]
  before: PassportData
  after: PassportData
  /** Names of the fields that a batch had set itself afterwards. */
  batchFields: readonly string[]
  /** Last version of the model whose corrections are in `after`, but for what is `owned`. */
  inheritedVersion: number
  /** A batch's, which only passes on what the model corrected. */
  isRefresh: boolean
}

/** What a unit inherits: the data, the fields that its batch had set itself, and the model's last version that is in it. */
export type Inherited = { data: PassportData; ownFields: readonly string[]; inheritedVersion: number }

export type Corrected = Omit<Inherited, 'inheritedVersion'> & {
  /** Names of the fields that got another value, in alphabetical order. */
  changed: string[]
  /** Names of the fields whose correction is of a value that was never inherited. */
  skipped: string[]
}

/**
 * Takes over the corrections made since, in order: those of the batch first, since its word counts for its units, then
 * those of the model, which stop at the fields that the batch has set itself. A value taken from the batch has the
 * model's corrections in it up to `upto`: none of them is applied again, and each later one is, however old the rest.
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
    // What a refresh brought the batch stands among the model's corrections too, and is judged there.
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
