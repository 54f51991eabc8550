/** JSON Merge Patch (RFC 7396). */
import { asObject, getOwn, isObject } from './data-object.ts'

/** A new value: members of `patch` replace those of `target`, null removes, lists are replaced whole. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const before = asObject(target)
  const after = new Map(Object.entries(before))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) after.delete(name)
    else after.set(name, mergePatch(getOwn(before, name), value))
  }
  return Object.fromEntries(after)
}
