/** Returns true if a value is an answer: not empty, not "n/a" or the like, and no impossible zero. */
import placeholders from '../../rules/placeholders.json' with { type: 'json' }
import zeros from '../../rules/zeros.json' with { type: 'json' }
import type { Field } from '../categories/field.ts'
import { normalizeName } from '../categories/names/name-lookup.ts'
import { isObject } from '../kernel/values/data-object.ts'

const PLACEHOLDERS: ReadonlySet<string> = new Set(Object.values(placeholders).flat().map(normalizeName))
const NEVER_ZERO: ReadonlySet<string> = new Set(zeros.never)

/** Sodium and neodymium, which are also written for "not applicable" and "no disponible". */
const ELEMENTS: ReadonlySet<string> = new Set(['Na', 'Nd'])

/**
 * `path` without indexes, such as `powerLimits.maximumDischargePower`. `field` is what stands there;
 * undefined if no category has it. One answer is enough among languages, members or entries.
 */
export function isAnswer(value: unknown, path: string, field: Field | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'string') return isTextAnswer(value, field)
  if (typeof value === 'number') return value !== 0 || !NEVER_ZERO.has(path)
  if (Array.isArray(value)) return value.some(entry => isAnswer(entry, path, getEntryField(field)))
  if (!isObject(value)) return true
  return Object.entries(value).some(([name, one]) => {
    const member = findMember(field, name)
    return member === undefined ? isAnswer(one, path, field) : isAnswer(one, `${path}.${name}`, member)
  })
}

export const findMember = (field: Field | undefined, name: string): Field | undefined =>
  (field?.fields ?? field?.of ?? []).find(one => one.name === name)

/** A list of single values has one unnamed field; other entries are objects with the members of the list. */
const getEntryField = (field: Field | undefined): Field | undefined => findMember(field, '') ?? field

/** Codes, dates and addresses were checked; of the codes, `unknown` says nothing. */
function isTextAnswer(text: string, field: Field | undefined): boolean {
  if (field?.values !== undefined) return text !== 'unknown'
  if (field?.format !== undefined) return text !== ''
  return !isPlaceholder(text)
}

/** "-", "N/A", "keine", "0", "xxx"; also a blank text. */
export function isPlaceholder(text: string): boolean {
  const plain = normalizeName(text)
  if (plain === '' || /^(?:0+|x+)$/.test(plain)) return true
  return PLACEHOLDERS.has(plain) && !ELEMENTS.has(text.trim())
}
