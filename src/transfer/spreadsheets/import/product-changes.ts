/** Compares a row with an existing product, value by value, to preview its changes. */
import { isDeepStrictEqual } from 'node:util'
import { shorten } from '../../../kernel/errors/detail-json.ts'
import { type DataObject, isObject } from '../../../kernel/values/data-object.ts'
import { buildColumnName, type DataPath } from '../columns/columns.ts'

type Shown = string | number | boolean | null
export type FieldChange = readonly [field: string, before: Shown, after: Shown]

export type ProductChange = {
  name: string
  fields: readonly FieldChange[]
  /** How many further values change. */
  more: number
  /** The product does not exist yet. */
  isNew?: true
}

/** Further changes of a product are only counted. */
const MAX_DIFFERENCES = 30
const MAX_NEW_VALUES = 100
const MAX_VALUE_LENGTH = 300

/** The check shows so many new products as they would be stored. */
export const MAX_SHOWN_NEW = 3

/** The product that a row would create, as it would be stored. */
export const describeNewProduct = (data: DataObject): ProductChange => ({
  name: '',
  fields: [],
  more: 0,
  ...findProductChange({}, data, MAX_NEW_VALUES),
  isNew: true,
})

/** Returns the effect of `changes`, top-level fields as in PATCH; undefined if nothing differs. */
export function findProductChange(
  current: DataObject,
  changes: DataObject,
  max = MAX_DIFFERENCES,
): ProductChange | undefined {
  const fields: FieldChange[] = []
  let more = 0
  for (const [name, after] of Object.entries(changes)) {
    for (const difference of listDifferences([name], current[name], after)) {
      if (fields.length < max) fields.push(difference)
      else more++
    }
  }
  if (fields.length === 0) return undefined
  return { name: String(toShown(current.productName ?? changes.productName ?? '')), fields, more }
}

function* listDifferences(steps: DataPath, before: unknown, after: unknown): Generator<FieldChange> {
  if (isDeepStrictEqual(before, after) || (isMissing(before) && isMissing(after))) return
  const [old, next] = [listEntries(before), listEntries(after)]
  if (old.size === 0 && next.size === 0) {
    yield [buildColumnName(steps), toShown(before), toShown(after)]
    return
  }
  for (const step of new Set([...old.keys(), ...next.keys()]))
    yield* listDifferences([...steps, step], old.get(step), next.get(step))
}

const isMissing = (value: unknown) => value === undefined || value === null

/** Members of an object or entries of a list of objects; a list of single values is one value. */
function listEntries(value: unknown): ReadonlyMap<string | number, unknown> {
  if (isObject(value)) return new Map(Object.entries(value))
  if (Array.isArray(value) && value.some(isObject)) return new Map(value.entries())
  return new Map()
}

function toShown(value: unknown): Shown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (isMissing(value)) return null
  return shorten(Array.isArray(value) ? value.join(', ') : String(value), MAX_VALUE_LENGTH)
}
