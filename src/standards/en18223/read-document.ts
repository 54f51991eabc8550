/** Reads the data of a passport from a document of EN 18223 in either form. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { asObject, type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { compressElements, findChildElements } from './compress.ts'
import { DOCUMENT_MEMBER, isResource } from './elements.ts'
import {
  CONTEXT_MEMBER,
  ELEMENT_MEMBER,
  HEADER_MEMBER,
  OTHER_SPELLINGS,
  PASSPORT_RECORD,
  PROOF_MEMBER,
} from './names.ts'

/** Members of a document that are no data of the passport. */
const NOT_DATA: ReadonlySet<string> = new Set([
  CONTEXT_MEMBER,
  PROOF_MEMBER,
  PASSPORT_RECORD,
  ELEMENT_MEMBER.elements,
  ...Object.values(HEADER_MEMBER),
  ...OTHER_SPELLINGS,
])

/**
 * The data, by the fields of the category; unknown members as they are. A value of another shape than its
 * field asks for is returned unchanged: the validation of data names it.
 */
export function fromEn(document: DataObject, category: Pick<CompleteCategory, 'fields'>): DataObject {
  const elements = Array.isArray(getOwn(document, ELEMENT_MEMBER.elements))
    ? findChildElements(document)
    : undefined
  const members = elements === undefined ? document : compressElements(elements)
  return readMembers(
    category.fields,
    Object.fromEntries(Object.entries(members).filter(([name]) => !NOT_DATA.has(name))),
  )
}

const readMembers = (fields: readonly Field[], members: DataObject): DataObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const field = fields.find(one => one.name === name)
      return [name, field === undefined ? value : readEnValue(field, value)]
    }),
  )

/** A value of the compressed form as the field stores it; a value of another shape unchanged. */
function readEnValue(field: Field, value: unknown): unknown {
  if (field.localized) return readTexts(value) ?? value
  if (field.type === 'object') return isObject(value) ? readMembers(field.fields ?? [], value) : value
  if (field.type !== 'list' || !Array.isArray(value)) return value
  const scalar = findScalarEntry(field)
  return value.map(entry => {
    if (scalar !== undefined) return readEnValue(scalar, entry)
    if (!isObject(entry)) return entry
    return readMembers(field.of ?? [], isResource(field) ? readResource(field, entry) : entry)
  })
}

/** Undefined unless each entry has a text and a language, and no language comes twice. */
function readTexts(value: unknown): DataObject | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = new Map<string, string>()
  for (const entry of value.map(asObject)) {
    const text = getOwn(entry, ELEMENT_MEMBER.value)
    const tag = getOwn(entry, ELEMENT_MEMBER.language)
    const language = typeof tag === 'string' ? canonicalizeLanguage(tag) : undefined
    if (typeof text !== 'string' || language === undefined || texts.has(language)) return undefined
    texts.set(language, text)
  }
  return Object.fromEntries(texts)
}

/** The address of a picture follows from its file. */
const omitAddress = ({ [DOCUMENT_MEMBER.url]: _, ...picture }: DataObject): DataObject => picture

/** A resource of another system has a title alone: it becomes the type, which documents must have. */
function readResource({ shape }: Field, resource: DataObject): DataObject {
  const {
    [ELEMENT_MEMBER.contentType]: _,
    [ELEMENT_MEMBER.resourceTitle]: resourceTitle,
    ...document
  } = resource
  if (shape === 'pictures') return omitAddress(document)
  const type = getOwn(document, DOCUMENT_MEMBER.type)
  const title = getOwn(document, DOCUMENT_MEMBER.title)
  if (resourceTitle === undefined) return document
  if (type === undefined && title === undefined) return { ...document, [DOCUMENT_MEMBER.type]: resourceTitle }
  return title === undefined && resourceTitle !== type
    ? { ...document, [DOCUMENT_MEMBER.title]: resourceTitle }
    : document
}
