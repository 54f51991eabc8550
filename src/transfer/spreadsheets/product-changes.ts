/** What a row would change at a product that is there, value by value, to be shown before it happens. */
import { isDeepStrictEqual } from 'node:util'
import { type Data, isObject } from '../../categories/value.ts'
import { buildColumnName, type DataPath } from './columns.ts'

/** A value, shortened; null where there is none. */
type Shown = string | number | boolean | null
export type FieldChange = readonly [field: string, before: Shown, after: Shown]

export type ProductChange = {
  name: string
  fields: readonly FieldChange[]
  /** Further values that are not listed. */
  more: number
}

/** More of one product are counted only. */
const MAX_DIFFERENCES = 30
const MAX_VALUE_LENGTH = 300

/** The change of one product by `changes`, top-level fields as PATCH has them; undefined when nothing differs. */
export function findProductChange(there: Data, changes: Data): ProductChange | undefined {
  const fields: FieldChange[] = []
  let more = 0
  for (const [name, after] of Object.entries(changes)) {
    for (const difference of differences([name], there[name], after)) {
      if (fields.length < MAX_DIFFERENCES) fields.push(difference)
      else more++
    }
  }
  if (fields.length === 0) return undefined
  return { name: String(shown(there.productName ?? changes.productName ?? '')), fields, more }
}

function* differences(steps: DataPath, before: unknown, after: unknown): Generator<FieldChange> {
  if (isDeepStrictEqual(before, after) || (isNothing(before) && isNothing(after))) return
  const [old, next] = [entriesOf(before), entriesOf(after)]
  if (old.size === 0 && next.size === 0) {
    yield [buildColumnName(steps), shown(before), shown(after)]
    return
  }
  for (const step of new Set([...old.keys(), ...next.keys()]))
    yield* differences([...steps, step], old.get(step), next.get(step))
}

const isNothing = (value: unknown) => value === undefined || value === null

/** Members and entries; a list of single values is one value. */
function entriesOf(value: unknown): ReadonlyMap<string | number, unknown> {
  if (isObject(value)) return new Map(Object.entries(value))
  if (Array.isArray(value) && value.some(isObject)) return new Map(value.entries())
  return new Map()
}

function shown(value: unknown): Shown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (isNothing(value)) return null
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : text
}
