/** Writes fields in the compressed form. `compressElements(buildElements(…))` takes four times as long. */
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { listDocumentFields } from '../../categories/picture-addresses.ts'
import { asObject, type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { buildLanguageTexts, buildResourceMembers, type ElementOptions, isResource } from './elements.ts'

type Language = Pick<ElementOptions, 'primaryLanguage'>

/** The values of those fields that have one, by name, in the order of the fields. */
export function compressFields(fields: readonly Field[], data: DataObject, language: Language): DataObject {
  const members: Record<string, unknown> = {}
  for (const field of fields) {
    const value = compressField(field, getOwn(data, field.name), language)
    if (value !== undefined) members[field.name] = value
  }
  return members
}

/** Undefined if there is no value, or nothing in it. */
function compressField(field: Field, value: unknown, language: Language): unknown {
  if (value === undefined || value === null) return undefined
  if (field.localized) return buildLanguageTexts(asObject(value), language)
  switch (field.type) {
    case 'object':
      return unlessEmpty(compressFields(field.fields ?? [], asObject(value), language))
    case 'list':
      return Array.isArray(value) ? compressList(field, value, language) : undefined
    default:
      return value
  }
}

function compressList(list: Field, entries: readonly unknown[], language: Language): unknown[] | undefined {
  const values: unknown[] = []
  for (const entry of entries) {
    const value = compressEntry(list, entry, language)
    if (value !== undefined) values.push(value)
  }
  const isAnswer = list.emptyMeansNone === true && entries.length === 0
  return values.length === 0 && !isAnswer ? undefined : values
}

function compressEntry(list: Field, entry: unknown, language: Language): unknown {
  const scalar = findScalarEntry(list)
  if (scalar !== undefined) return compressField(scalar, entry, language)
  if (!isObject(entry)) return undefined
  return isResource(list)
    ? buildResourceMembers(listDocumentFields(list), entry, language)
    : unlessEmpty(compressFields(list.of ?? [], entry, language))
}

function unlessEmpty(members: DataObject): DataObject | undefined {
  for (const _ in members) return members
  return undefined
}
