/** Data elements: what each field of a passport is in the full form of a document. */
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { pickText } from '../../categories/pick-text.ts'
import { listDocumentFields } from '../../categories/picture-addresses.ts'
import { isReaderLink } from '../../kernel/http/public-link.ts'
import { asObject, type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { guessMediaType } from '../media-types.ts'
import { buildDictionaryReference } from './dictionary.ts'
import { DATA_TYPE, ELEMENT_MEMBER, OBJECT_TYPE } from './names.ts'

/** A data element of the full form; `names.ts` has the names of its members. */
export type DataElement = DataObject

export type ElementOptions = {
  nsUrl: string
  /** Its text comes first. */
  primaryLanguage: string
  /** Host and port of this server, whose own addresses are links wherever it runs. */
  ownHost: string
}

/** The elements of those fields that have a value, in their order. */
export const buildElements = (
  fields: readonly Field[],
  data: DataObject,
  options: ElementOptions,
): DataElement[] =>
  fields.flatMap(field => {
    const head = {
      [ELEMENT_MEMBER.elementId]: field.name,
      [ELEMENT_MEMBER.dictionaryReference]: buildDictionaryReference(field, options.nsUrl),
    }
    const element = buildElement(field, getOwn(data, field.name), head, options)
    return element === undefined ? [] : [element]
  })

/** Undefined if there is no value, or nothing in it: a collection has at least one element. */
function buildElement(
  field: Field,
  value: unknown,
  head: DataElement,
  options: ElementOptions,
): DataElement | undefined {
  if (value === undefined || value === null) return undefined
  if (field.localized) return buildTexts(asObject(value), head, options)
  switch (field.type) {
    case 'object':
      return buildCollection(field.fields ?? [], asObject(value), head, options)
    case 'list':
      return Array.isArray(value) ? buildList(field, value, head, options) : undefined
    default:
      return {
        ...head,
        [ELEMENT_MEMBER.objectType]: OBJECT_TYPE.single,
        [ELEMENT_MEMBER.valueDataType]: getDataType(field, value, options),
        [ELEMENT_MEMBER.value]: value,
      }
  }
}

function getDataType({ type, format }: Field, value: unknown, { ownHost }: ElementOptions): string {
  if (type === 'number') return DATA_TYPE.decimal
  if (type === 'boolean') return DATA_TYPE.boolean
  if (format === 'url') return isReaderLink(value, ownHost) ? DATA_TYPE.anyUri : DATA_TYPE.string
  if (format !== 'partial_date') return DATA_TYPE.string
  const { length } = String(value)
  if (length === 'YYYY'.length) return DATA_TYPE.year
  return length === 'YYYY-MM'.length ? DATA_TYPE.yearMonth : DATA_TYPE.date
}

function buildTexts(texts: DataObject, head: DataElement, options: ElementOptions): DataElement | undefined {
  const value = buildLanguageTexts(texts, options)
  return (
    value && {
      ...head,
      [ELEMENT_MEMBER.objectType]: OBJECT_TYPE.multiLanguage,
      [ELEMENT_MEMBER.value]: value,
    }
  )
}

/** The primary language first; language tags in lower case. Undefined without a text. */
export function buildLanguageTexts(
  texts: DataObject,
  { primaryLanguage }: Pick<ElementOptions, 'primaryLanguage'>,
): DataObject[] | undefined {
  const entries = Object.entries(texts).map(([tag, text]) => ({
    [ELEMENT_MEMBER.value]: text,
    [ELEMENT_MEMBER.language]: tag.toLowerCase(),
  }))
  if (entries.length === 0) return undefined
  const primary = pickText(texts, [], primaryLanguage)?.language.toLowerCase()
  const isPrimary = (one: DataObject) => one[ELEMENT_MEMBER.language] === primary
  return [...entries.filter(isPrimary), ...entries.filter(one => !isPrimary(one))]
}

function buildCollection(
  fields: readonly Field[],
  data: DataObject,
  head: DataElement,
  options: ElementOptions,
): DataElement | undefined {
  const elements = buildElements(fields, data, options)
  return elements.length === 0
    ? undefined
    : { ...head, [ELEMENT_MEMBER.objectType]: OBJECT_TYPE.collection, [ELEMENT_MEMBER.elements]: elements }
}

/** An empty list is left out unless its emptiness is an answer. */
function buildList(
  list: Field,
  entries: readonly unknown[],
  head: DataElement,
  options: ElementOptions,
): DataElement | undefined {
  const elements: DataElement[] = []
  for (const entry of entries) {
    const element = buildEntry(
      list,
      entry,
      { [ELEMENT_MEMBER.elementId]: `${list.name}${elements.length}` },
      options,
    )
    if (element !== undefined) elements.push(element)
  }
  const isAnswer = list.emptyMeansNone === true && entries.length === 0
  return elements.length === 0 && !isAnswer
    ? undefined
    : { ...head, [ELEMENT_MEMBER.objectType]: OBJECT_TYPE.multiValued, [ELEMENT_MEMBER.elements]: elements }
}

function buildEntry(
  list: Field,
  entry: unknown,
  head: DataElement,
  options: ElementOptions,
): DataElement | undefined {
  const scalar = findScalarEntry(list)
  if (scalar !== undefined) return buildElement(scalar, entry, head, options)
  if (!isObject(entry)) return undefined
  return isResource(list)
    ? buildResource(listDocumentFields(list), entry, head, options)
    : buildCollection(list.of ?? [], entry, head, options)
}

/** Returns true if the entries of a list are related resources. */
export const isResource = ({ shape }: Field): boolean => shape === 'documents' || shape === 'pictures'

/** Members of a document or picture with a part in its resource. */
export const DOCUMENT_MEMBER = { url: 'url', title: 'title', type: 'type', alt: 'alt' } as const

function buildResource(
  fields: readonly Field[],
  document: DataObject,
  head: DataElement,
  options: ElementOptions,
): DataElement | undefined {
  const members = buildResourceMembers(fields, document, options)
  return members && { ...head, [ELEMENT_MEMBER.objectType]: OBJECT_TYPE.resource, ...members }
}

/**
 * The other members, also its type and title, stand beside those that the norm names. Undefined if the
 * document has no member.
 */
export function buildResourceMembers(
  fields: readonly Field[],
  document: DataObject,
  language: Pick<ElementOptions, 'primaryLanguage'>,
): DataObject | undefined {
  const members: Record<string, unknown> = {}
  for (const { name, localized } of fields) {
    const value = getOwn(document, name)
    const shown = localized ? buildLanguageTexts(asObject(value), language) : value
    if (shown !== undefined && shown !== null) members[name] = shown
  }
  const { [DOCUMENT_MEMBER.url]: url, ...others } = members
  const { [DOCUMENT_MEMBER.title]: ownTitle, [DOCUMENT_MEMBER.type]: type } = others
  const title = ownTitle ?? others[DOCUMENT_MEMBER.alt]
  // A translated title has the text of the primary language.
  const resourceTitle = Array.isArray(title) ? getOwn(asObject(title[0]), ELEMENT_MEMBER.value) : title
  if (url === undefined && Object.keys(others).length === 0) return undefined
  return {
    [ELEMENT_MEMBER.contentType]: guessMediaType(typeof url === 'string' ? url : ''),
    ...(url === undefined ? {} : { [ELEMENT_MEMBER.url]: url }),
    ...((resourceTitle ?? type) === undefined
      ? {}
      : { [ELEMENT_MEMBER.resourceTitle]: resourceTitle ?? type }),
    ...others,
  }
}
