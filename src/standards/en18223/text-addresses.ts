/**
 * Addresses that pages do not link are texts in JSON-LD, too. The published contexts declare all addresses as
 * ids, so a document with such an address defines their members again.
 */
import type { Field } from '../../categories/field.ts'
import { isReaderLink } from '../../kernel/http/public-link.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { UndatedReading } from '../reading.ts'
import { defineMember } from './context.ts'

/**
 * Builds a context with the top-level fields that hold such an address; in them, every address is a text.
 * Returns undefined if no field does.
 */
export function buildTextAddressContext({ category, data, url }: UndatedReading): DataObject | undefined {
  const ownHost = new URL(url).host
  const found = listFieldsWithAddresses(category).filter(field =>
    hasTextAddress(field, getOwn(data, field.name), ownHost),
  )
  return found.length === 0
    ? undefined
    : Object.fromEntries(found.map(field => [field.name, defineMember(field, 'text')]))
}

const isAddress = ({ format, localized }: Field): boolean => format === 'url' && localized !== true

const listInnerFields = ({ fields = [], of = [] }: Field): readonly Field[] => [...fields, ...of]

const hasAddress = (field: Field): boolean => isAddress(field) || listInnerFields(field).some(hasAddress)

const listFieldsWithAddresses = perObject(({ fields }: { fields: readonly Field[] }) =>
  fields.filter(hasAddress),
)

function hasTextAddress(field: Field, value: unknown, ownHost: string): boolean {
  if (value === undefined || value === null) return false
  if (isAddress(field)) return !isReaderLink(value, ownHost)
  const entries = Array.isArray(value) ? value : [value]
  // The entries of a list of texts have one field without a name.
  return entries.some(entry =>
    listInnerFields(field).some(inner =>
      hasTextAddress(inner, inner.name === '' ? entry : getOwn(asObject(entry), inner.name), ownHost),
    ),
  )
}
