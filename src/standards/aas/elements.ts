/** Submodel elements: the general ones, and those that fields become. */
import { sumExactly } from '../../categories/check/sum-exactly.ts'
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { pickText } from '../../categories/pick-text.ts'
import { listDocumentFields } from '../../categories/picture-addresses.ts'
import { isReaderLink } from '../../kernel/http/public-link.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { buildDictionaryReference } from '../en18223/dictionary.ts'
import { isResource } from '../en18223/elements.ts'
import { guessMediaType } from '../media-types.ts'
import type { UndatedReading } from '../reading.ts'
import { buildTermUrn } from '../term-urn.ts'
import {
  type IdtaElement,
  MAX_FILE_ADDRESS_LENGTH,
  MAX_ID_SHORT_LENGTH,
  MAX_TRANSLATION_LENGTH,
  MODEL_TYPE,
  VALUE_TYPE,
  type ValueType,
} from './names.ts'

export type SubmodelElement = DataObject

export type AasOptions = {
  nsUrl: string
  /** Its text comes first. */
  primaryLanguage: string
  /** Host and port of this server, whose own addresses are links wherever it runs. */
  ownHost: string
}

export const buildOptions = (
  { primaryLanguage, url }: Pick<UndatedReading, 'primaryLanguage' | 'url'>,
  nsUrl: string,
): AasOptions => ({ nsUrl, primaryLanguage, ownHost: new URL(url).host })

/**
 * The names and meaning of an element: without a name inside lists, without a meaning where there is no entry
 * for it. `otherIds`: what else names its meaning.
 */
type Head = { idShort?: string; semanticId?: string; otherIds?: readonly string[] }

export const refer = (value: string): DataObject => ({
  type: 'ExternalReference',
  keys: [{ type: 'GlobalReference', value }],
})

const buildHead = (modelType: string, { idShort, semanticId, otherIds }: Head): DataObject => ({
  modelType,
  ...(idShort === undefined ? {} : { idShort }),
  ...(semanticId === undefined ? {} : { semanticId: refer(semanticId) }),
  ...(otherIds === undefined ? {} : { supplementalSemanticIds: otherIds.map(refer) }),
})

/** Our own entry has the same id on every server. Where it is described depends on the server. */
function identifyField(field: Field, nsUrl: string): Head {
  const address = buildDictionaryReference(field, nsUrl)
  return address.startsWith(`${nsUrl}#`)
    ? { semanticId: buildTermUrn(address.slice(nsUrl.length + 1)), otherIds: [address] }
    : { semanticId: address }
}

export const buildProperty = (head: Head, valueType: ValueType, value: string): SubmodelElement => ({
  ...buildHead(MODEL_TYPE.property, head),
  valueType,
  value: replaceIllegal(value),
})

/** Undefined without elements: a collection has at least one. */
export const buildCollection = (
  head: Head,
  elements: readonly (SubmodelElement | undefined)[],
): SubmodelElement | undefined => {
  const value = elements.filter(element => element !== undefined)
  return value.length === 0 ? undefined : { ...buildHead(MODEL_TYPE.collection, head), value }
}

/** None or one. */
export const toList = (element: SubmodelElement | undefined): SubmodelElement[] =>
  element === undefined ? [] : [element]

/** For collections. Without entries, it says that there are none. */
const buildCollectionList = (head: Head, entries: readonly SubmodelElement[]): SubmodelElement => ({
  ...buildHead(MODEL_TYPE.list, head),
  orderRelevant: true,
  typeValueListElement: MODEL_TYPE.collection,
  ...(entries.length === 0 ? {} : { value: entries }),
})

/** `entrySemanticId`: of each entry. */
export const buildPropertyList = (
  head: Head,
  valueType: ValueType,
  entries: readonly string[],
  entrySemanticId?: string,
): SubmodelElement => ({
  ...buildHead(MODEL_TYPE.list, head),
  orderRelevant: true,
  typeValueListElement: MODEL_TYPE.property,
  valueTypeListElement: valueType,
  ...(entrySemanticId === undefined ? {} : { semanticIdListElement: refer(entrySemanticId) }),
  ...(entries.length === 0
    ? {}
    : {
        value: entries.map(entry =>
          buildProperty(
            entrySemanticId === undefined ? {} : { semanticId: entrySemanticId },
            valueType,
            entry,
          ),
        ),
      }),
})

/** Translations by language; undefined without any. Texts too long for the metamodel become a list. */
export function buildTranslations(
  head: Head,
  texts: DataObject,
  primaryLanguage: string,
): SubmodelElement | undefined {
  const primary = pickText(texts, [], primaryLanguage)?.language
  const entries = Object.entries(texts).flatMap(([language, text]) =>
    typeof text === 'string' && text !== '' ? [{ language, text: replaceIllegal(text) }] : [],
  )
  const isPrimary = ({ language }: { language: string }) => language === primary
  const value = [...entries.filter(isPrimary), ...entries.filter(entry => !isPrimary(entry))]
  if (value.length === 0) return undefined
  if (value.every(({ text }) => text.length <= MAX_TRANSLATION_LENGTH))
    return { ...buildHead(MODEL_TYPE.texts, head), value }
  return buildCollectionList(
    head,
    value.map(({ language, text }) => ({
      ...buildHead(MODEL_TYPE.collection, {}),
      value: [
        buildProperty({ idShort: 'Language' }, VALUE_TYPE.string, language),
        buildProperty({ idShort: 'Text' }, VALUE_TYPE.string, text),
      ],
    })),
  )
}

/** The elements of the fields that have a value, in their order and with different names. */
export function buildFieldElements(
  fields: readonly Field[],
  data: DataObject,
  options: AasOptions,
  known: Readonly<Record<string, IdtaElement>> = {},
): SubmodelElement[] {
  const taken = new Set<string>()
  return fields.flatMap(field => {
    const value = getOwn(data, field.name)
    const element = buildFieldElement(field, value, options, getKnown(known, field.name), taken)
    return toList(element)
  })
}

const getKnown = (known: Readonly<Record<string, IdtaElement>>, name: string): IdtaElement =>
  Object.hasOwn(known, name) ? (known[name] ?? {}) : {}

/** Undefined if there is no value, or nothing in it. `taken`: names of the elements beside it. */
export function buildFieldElement(
  field: Field,
  value: unknown,
  options: AasOptions,
  known: IdtaElement = {},
  taken: Set<string> = new Set(),
): SubmodelElement | undefined {
  if (value === undefined || value === null) return undefined
  const fits = known.valueType !== VALUE_TYPE.unsignedInt || isUnsignedInt(value)
  const { idShort = field.name, semanticId } = fits ? known : {}
  const meaning = semanticId === undefined ? identifyField(field, options.nsUrl) : { semanticId }
  const head = { idShort: nameElement(idShort, taken), ...meaning }
  if (field.localized) return buildTranslations(head, asObject(value), options.primaryLanguage)
  if (field.type === 'object')
    return buildCollection(
      head,
      buildFieldElements(field.fields ?? [], asObject(value), options, known.members),
    )
  if (field.type === 'list')
    return Array.isArray(value) ? buildList(field, value, head, options, known) : undefined
  const valueType = (fits ? known.valueType : undefined) ?? getValueType(field, value, options)
  return buildProperty(head, valueType, formatScalar(value))
}

function buildList(
  list: Field,
  entries: readonly unknown[],
  head: Head,
  options: AasOptions,
  { entrySemanticId, members }: IdtaElement,
): SubmodelElement | undefined {
  if (entries.length === 0 && list.emptyMeansNone !== true) return undefined
  const scalar = findScalarEntry(list)
  if (scalar !== undefined) {
    const values = entries.filter(entry => typeof entry !== 'object' && entry !== undefined)
    return buildPropertyList(head, getEntryType(scalar), values.map(formatScalar))
  }
  const entryHead = entrySemanticId === undefined ? {} : { semanticId: entrySemanticId }
  const collections = entries.flatMap(entry => {
    const elements = isResource(list)
      ? buildDocumentElements(listDocumentFields(list), asObject(entry), options, members)
      : buildFieldElements(list.of ?? [], asObject(entry), options, members)
    return toList(buildCollection(entryHead, elements))
  })
  return collections.length === 0 && entries.length > 0 ? undefined : buildCollectionList(head, collections)
}

/** The address of the document is a file, if the metamodel takes it as the address of one. */
const buildDocumentElements = (
  fields: readonly Field[],
  document: DataObject,
  options: AasOptions,
  members: IdtaElement['members'] = {},
): SubmodelElement[] =>
  buildFieldElements(fields, document, options, members).map(element => {
    const { valueType: _, modelType: __, value, ...head } = element
    const isUrl = getOwn(head, 'idShort') === (members.url?.idShort ?? '')
    return isUrl && isReaderLink(value, options.ownHost) && isFileAddress(value)
      ? { modelType: MODEL_TYPE.file, ...head, contentType: guessMediaType(value), value }
      : element
  })

/** RFC 2396, which the metamodel follows for files. */
const FILE_ADDRESS =
  /^https?:\/\/(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})+(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?$/i

const isFileAddress = (url: string): boolean =>
  url.length <= MAX_FILE_ADDRESS_LENGTH && FILE_ADDRESS.test(url)

/** Characters that XML 1.0 cannot hold; the metamodel leaves them out of every text. */
const ILLEGAL = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const replaceIllegal = (text: string): string => text.replace(ILLEGAL, '\ufffd')

/** In upper camel case; letters, digits and underscores only; different from those of its neighbours. */
function nameElement(name: string, taken: Set<string>): string {
  const letters = name.replace(/[^A-Za-z0-9]+/g, '_')
  const begun = /^[A-Za-z]./.test(letters) ? letters : `Field_${letters}`
  const camel = (begun.charAt(0).toUpperCase() + begun.slice(1)).slice(0, MAX_ID_SHORT_LENGTH)
  let idShort = camel
  for (let n = 2; taken.has(idShort.toLowerCase()); n++)
    idShort = `${camel.slice(0, MAX_ID_SHORT_LENGTH - 5)}_${n}`
  taken.add(idShort.toLowerCase())
  return idShort
}

const MAX_UNSIGNED_INT = 2 ** 32 - 1

const isUnsignedInt = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_UNSIGNED_INT

/** Values of properties are strings; a decimal has no exponent. */
const formatScalar = (value: unknown): string =>
  typeof value === 'number' ? sumExactly([value]) : String(value)

function getValueType(field: Field, value: unknown, { ownHost }: AasOptions): ValueType {
  if (field.format === 'url')
    return isReaderLink(value, ownHost) && isAnyUri(value) ? VALUE_TYPE.anyUri : VALUE_TYPE.string
  if (field.format !== 'partial_date') return getEntryType(field)
  const { length } = String(value)
  if (length === 'YYYY'.length) return VALUE_TYPE.year
  return length === 'YYYY-MM'.length ? VALUE_TYPE.yearMonth : VALUE_TYPE.date
}

/** For all entries of a list, whatever their values. */
function getEntryType({ type }: Field): ValueType {
  if (type === 'number') return VALUE_TYPE.decimal
  return type === 'boolean' ? VALUE_TYPE.boolean : VALUE_TYPE.string
}

/**
 * Matches characters that the URL standard allows and RFC 3987 does not: signs, escapes that are none,
 * private characters.
 */
const NOT_IN_IRI =
  /[\s<>"{}|\\^`[\]]|%(?![0-9a-f]{2})|#.*#|[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\ufff0-\uffff\u{e0000}-\u{e0fff}]/iu

const isAnyUri = (text: string): boolean => !NOT_IN_IRI.test(text)
