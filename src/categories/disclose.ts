/** The one projection between what an account stores and what a reader gets; every door that shows data to others goes through it. */
import type { CompleteCategory } from './catalogue.ts'
import { type Audience, type Field, findScalarEntry } from './field.ts'
import { type DataObject, isObject } from './value.ts'

/** `withheld`: there is something that readers of another audience would see. Says nothing of free-form keys. */
type Disclosed = { data: Record<string, unknown>; withheld: boolean }

/**
 * What a reader of this audience may see: known fields only, in the category's order, and of each only what has the
 * declared shape, so that nothing rides along inside a value of another shape. What is empty only after that is left out.
 */
export function disclose(category: CompleteCategory, data: DataObject, audience: Audience): Disclosed {
  const state = { audience, withheld: false }
  const seen = discloseMembers(category.fields, data, state)
  return { data: seen, withheld: state.withheld }
}

type State = { readonly audience: Audience; withheld: boolean }

function discloseMembers(
  fields: readonly Field[],
  object: DataObject,
  state: State,
): Record<string, unknown> {
  const seen: Record<string, unknown> = {}
  for (const field of fields) {
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined
    if (value === undefined || value === null) continue
    if (field.audience !== undefined && !field.audience.includes(state.audience)) {
      state.withheld = true
      continue
    }
    const visible = discloseValue(field, value, state)
    if (visible !== undefined) seen[field.name] = visible
  }
  return seen
}

/** Undefined when there is nothing to see. */
function discloseValue(field: Field, value: unknown, state: State): unknown {
  if (field.localized) return isObject(value) ? discloseTexts(value) : undefined
  switch (field.type) {
    case 'name':
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'number':
    case 'boolean':
      return typeof value === field.type ? value : undefined
    case 'object':
      return isObject(value)
        ? unlessEmptied(value, discloseMembers(field.fields ?? [], value, state))
        : undefined
    case 'list':
      return Array.isArray(value) ? discloseEntries(field, value, state) : undefined
  }
}

const discloseTexts = (texts: DataObject) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string'))

const unlessEmptied = (before: DataObject, after: Record<string, unknown>) =>
  Object.keys(after).length === 0 && Object.keys(before).length > 0 ? undefined : after

function discloseEntries(list: Field, entries: readonly unknown[], state: State): unknown[] | undefined {
  const scalar = findScalarEntry(list)
  const entry: Field = scalar ?? { name: '', type: 'object', description: '', fields: list.of ?? [] }
  const seen = entries.map(one => discloseValue(entry, one, state)).filter(one => one !== undefined)
  return seen.length === 0 && entries.length > 0 ? undefined : seen
}
