/** The JSON-LD context of the compressed form: each member is the dictionary entry that it refers to. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { listDocumentFields } from '../../categories/picture-addresses.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { buildPrefixes, getDictionaryTerm } from './dictionary.ts'
import { isResource } from './elements.ts'
import { RECORD_FIELD } from './header.ts'
import { ELEMENT_MEMBER, HEADER_DICTIONARY, HEADER_ENTRIES } from './names.ts'

/**
 * The context of a category, as JSON text. Documents name it before the context of Data Integrity, so it does
 * not define `id`, `type` and `proof`; within an object its own definition counts. Numbers are not coerced.
 */
export function renderEnContext({ fields }: Pick<CompleteCategory, 'fields'>, nsUrl: string): string {
  const context = {
    '@version': 1.1,
    '@vocab': null,
    ...buildPrefixes(nsUrl),
    cds: HEADER_DICTIONARY,
    ...Object.fromEntries(
      HEADER_ENTRIES.map(({ member, entry, isList }) => [
        member,
        { '@id': `cds:${entry}`, ...(isList && { '@container': '@set' }) },
      ]),
    ),
    ...defineMembers([...fields, RECORD_FIELD], 'id'),
  }
  return `${JSON.stringify({ '@context': context }, null, 2)}\n`
}

/** Names what an address is in JSON-LD. */
type AddressType = 'id' | 'text'

const defineMembers = (fields: readonly Field[], addresses: AddressType): DataObject =>
  Object.fromEntries(fields.map(field => [field.name, defineMember(field, addresses)]))

/** The definition of a field's member in a context that has the prefixes. */
export function defineMember(field: Field, addresses: AddressType): DataObject {
  const id = { '@id': getDictionaryTerm(field) }
  const coerce = ({ format }: Field): DataObject =>
    format === 'url' && addresses === 'id' ? { '@type': '@id' } : {}
  if (field.localized) return { ...id, '@container': '@set', '@context': TEXT }
  if (field.type === 'object') return { ...id, '@context': defineMembers(field.fields ?? [], addresses) }
  if (field.type !== 'list') return { ...id, ...coerce(field) }
  const scalar = findScalarEntry(field)
  if (scalar !== undefined) return { ...id, '@container': '@set', ...coerce(scalar) }
  const members = defineMembers(listDocumentFields(field), addresses)
  return {
    ...id,
    '@container': '@set',
    '@context': isResource(field) ? { ...RESOURCE, ...members } : members,
  }
}

/** A text becomes a value with its language. */
const TEXT = { [ELEMENT_MEMBER.value]: '@value', [ELEMENT_MEMBER.language]: '@language' }

const RESOURCE = {
  [ELEMENT_MEMBER.contentType]: { '@id': 'schema:encodingFormat' },
  [ELEMENT_MEMBER.resourceTitle]: { '@id': 'schema:name' },
}
