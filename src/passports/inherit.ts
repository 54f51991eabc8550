/**
 * What a correction does to data handed on before it: the corrected fields change, and only where the wrong value is
 * really there. Pure, so that the rules can be tried by the thousand.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Data } from './check-data.ts'

/** One correction as its owner read before and after it; `fields` are those it changed, `owned` those of them a batch set itself. */
export type Correction = { fields: readonly string[]; before: Data; after: Data; owned: readonly string[] }

/** What a unit inherits: the data, and the fields among it that its batch had set itself. */
export type Inherited = { data: Data; ownFields: readonly string[] }

export type Corrected = Inherited & {
  /** Names of the fields that got another value, in alphabetical order. */
  changed: string[]
  /** Names of the fields whose correction is of a value that was never inherited. */
  skipped: string[]
}

/**
 * Takes over the corrections made since, in order: those of the batch first, since its word counts for its units, then
 * those of the model, which stop at the fields that the batch has set itself.
 */
export function takeOver(
  inherited: Inherited,
  since: { batch: readonly Correction[]; model: readonly Correction[] },
): Corrected {
  const data = new Map(Object.entries(inherited.data))
  const ownFields = new Set(inherited.ownFields)
  const skipped = new Set<string>()
  const apply = (correction: Correction, field: string) => {
    if (same(data, field, correction.after)) return true
    if (!same(data, field, correction.before)) return false
    if (Object.hasOwn(correction.after, field)) data.set(field, correction.after[field])
    else data.delete(field)
    return true
  }
  for (const correction of since.batch) {
    for (const field of correction.fields) {
      if (!apply(correction, field)) skipped.add(field)
      else if (correction.owned.includes(field)) ownFields.add(field)
      else ownFields.delete(field)
    }
  }
  for (const correction of since.model) {
    for (const field of correction.fields) {
      if (!ownFields.has(field) && !apply(correction, field)) skipped.add(field)
    }
  }
  const after = Object.fromEntries(data)
  return {
    data: after,
    ownFields: [...ownFields].sort(),
    changed: differing(inherited.data, after),
    skipped: [...skipped].sort(),
  }
}

function same(data: ReadonlyMap<string, unknown>, field: string, other: Data): boolean {
  if (!data.has(field) || !Object.hasOwn(other, field)) return data.has(field) === Object.hasOwn(other, field)
  return isDeepStrictEqual(data.get(field), other[field])
}

/** Names of the top-level fields that differ, in alphabetical order. */
export function differing(before: Data, after: Data): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const own = (data: Data, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
  return [...names].filter(name => !isDeepStrictEqual(own(before, name), own(after, name))).sort()
}
