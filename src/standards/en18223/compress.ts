/** Turns data elements into the values of the compressed form. Accepts elements of any origin. */
import { asObject, type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import type { DataElement } from './elements.ts'
import { ELEMENT_MEMBER, OBJECT_TYPE } from './names.ts'

/** By element id. Entries that are no elements are left out. */
export const compressElements = (elements: readonly unknown[]): DataObject =>
  Object.fromEntries(
    elements.flatMap(element => {
      const id = getOwn(asObject(element), ELEMENT_MEMBER.elementId)
      return isObject(element) && typeof id === 'string' ? [[id, compressElement(element)]] : []
    }),
  )

/** An element of an unknown type is returned as it is. */
export function compressElement(element: DataElement): unknown {
  switch (getOwn(element, ELEMENT_MEMBER.objectType)) {
    case OBJECT_TYPE.single:
    case OBJECT_TYPE.multiLanguage:
      return getOwn(element, ELEMENT_MEMBER.value)
    case OBJECT_TYPE.multiValued:
      return findChildElements(element)?.map(one => (isObject(one) ? compressElement(one) : one)) ?? element
    case OBJECT_TYPE.collection: {
      const children = findChildElements(element)
      return children === undefined ? element : compressElements(children)
    }
    case OBJECT_TYPE.resource:
      return compressResource(element)
    default:
      return element
  }
}

/** Transcriptions disagree on their member: `elements` or `value`. */
export function findChildElements(element: DataElement): readonly unknown[] | undefined {
  const children = getOwn(element, ELEMENT_MEMBER.elements) ?? getOwn(element, ELEMENT_MEMBER.value)
  return Array.isArray(children) ? children : undefined
}

const NOT_OF_THE_RESOURCE: readonly string[] = [
  ELEMENT_MEMBER.elementId,
  ELEMENT_MEMBER.dictionaryReference,
  ELEMENT_MEMBER.objectType,
]

const compressResource = (element: DataElement): DataObject =>
  Object.fromEntries(Object.entries(element).filter(([name]) => !NOT_OF_THE_RESOURCE.includes(name)))
