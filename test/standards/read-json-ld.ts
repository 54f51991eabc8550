/** Reads the data of a passport back from JSON-LD that a processor has expanded, by the address of each term. */
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../src/categories/field.ts'
import { canonicalizeLanguage } from '../../src/categories/language.ts'
import { NS } from '../site/strict-json-ld.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any

const SCHEMA = 'http://schema.org/'

function findAddress({ name, term = `dpp:${name}` }: Field): string {
  if (term.startsWith('dpp:')) return `${NS}#${term.slice('dpp:'.length)}`
  return term.replace(/^schema:/, SCHEMA).replace(/^gs1:/, 'https://ref.gs1.org/voc/')
}

const readScalar = (value: Any): Any => value?.['@value'] ?? value?.['@id']

export function readJsonLd(product: Any, { fields }: Pick<CompleteCategory, 'fields'>): Any {
  const page = product[`${SCHEMA}subjectOf`][0]
  const languages = page[`${SCHEMA}inLanguage`]
  return { ...readMembers(fields, product), ...(languages && { languages: languages.map(readScalar) }) }
}

const readMembers = (fields: readonly Field[], node: Any): Any =>
  Object.fromEntries(
    fields.flatMap(field => {
      const value = readField(field, node)
      return value === undefined ? [] : [[field.name, value]]
    }),
  )

function readField(field: Field, node: Any): Any {
  if (field.shape === 'dimensions') return readDimensions(field, node)
  const values: Any[] | undefined = node[findAddress(field)]
  if (values === undefined) return undefined
  const [first] = values
  if (field.shape === 'organization') return readOrganization(field, first)
  if (field.shape === 'quantity') return readScalar(first[`${SCHEMA}value`][0])
  if (field.shape === 'brand') return readScalar(first[`${SCHEMA}name`][0])
  if (field.localized)
    return Object.fromEntries(
      values.map(one => [canonicalizeLanguage(one['@language']), readScalar(one)] as const),
    )
  if (field.type === 'object') return readMembers(field.fields ?? [], first)
  if (field.type !== 'list') return readScalar(first)
  return findScalarEntry(field) === undefined
    ? values.map(one => readMembers(field.of ?? [], one))
    : values.map(readScalar)
}

/** The street and the country are members of an address. */
function readOrganization({ fields = [] }: Field, node: Any): Any {
  const address = node[`${SCHEMA}address`][0]
  const rest = fields.filter(({ name }) => name !== 'address' && name !== 'country')
  const street = readScalar(address[`${SCHEMA}streetAddress`]?.[0])
  const country = readScalar(address[`${SCHEMA}addressCountry`]?.[0])
  return {
    ...readMembers(rest, node),
    ...(street === undefined ? {} : { address: street }),
    ...(country === undefined ? {} : { country }),
  }
}

/** Sides and weight are members of the product. */
function readDimensions(field: Field, product: Any): Any {
  const all = field.fields ?? []
  const sides = readMembers(
    all.filter(({ shape }) => shape === 'quantity'),
    product,
  )
  const node = product[findAddress(field)]?.[0]
  const rest = readMembers(
    all.filter(({ shape }) => shape !== 'quantity'),
    node ?? {},
  )
  const dimensions = { ...sides, ...rest }
  return node === undefined && Object.keys(dimensions).length === 0 ? undefined : dimensions
}
