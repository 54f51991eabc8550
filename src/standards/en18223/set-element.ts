/** Sets one element of a document in the compressed form. */
import { getOwn, isObject } from '../../kernel/values/data-object.ts'
import type { ElementSteps } from './element-path.ts'

/** `missing`: a step before the last leads nowhere; `gap`: the list has fewer entries, `length` of them. */
export type SetElementResult =
  | { kind: 'set'; value: unknown }
  | { kind: 'missing' }
  | { kind: 'gap'; length: number }

/**
 * A new value with `element` at the end of `steps`; null removes it. Only the last step may be new: a name of
 * an object, or the index after the last entry of a list.
 */
export function setElement(value: unknown, steps: ElementSteps, element: unknown): SetElementResult {
  const [step, ...rest] = steps
  if (step === undefined) return { kind: 'set', value: element }
  if (typeof step === 'number' ? !Array.isArray(value) : !isObject(value)) return { kind: 'missing' }
  const child = Array.isArray(value)
    ? value.at(Number(step))
    : isObject(value)
      ? getOwn(value, step)
      : undefined
  if (child === undefined && rest.length > 0) return { kind: 'missing' }
  const changed = setElement(child, rest, element)
  if (changed.kind !== 'set') return changed
  if (Array.isArray(value)) return setEntry(value, countFromStart(value, Number(step)), changed.value)
  const members = new Map(isObject(value) ? Object.entries(value) : [])
  if (changed.value === null) members.delete(String(step))
  else members.set(String(step), changed.value)
  return { kind: 'set', value: Object.fromEntries(members) }
}

const countFromStart = (list: readonly unknown[], index: number) => (index < 0 ? list.length + index : index)

function setEntry(list: readonly unknown[], index: number, entry: unknown): SetElementResult {
  if (index < 0) return { kind: 'missing' }
  if (entry === null) return { kind: 'set', value: list.filter((_, i) => i !== index) }
  if (index > list.length) return { kind: 'gap', length: list.length }
  return { kind: 'set', value: [...list.slice(0, index), entry, ...list.slice(index + 1)] }
}
