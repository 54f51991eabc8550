/** Fields whose value becomes a node of schema.org. Every other field is written under its own term. */
import type { Field, JsonLdShape } from '../../categories/field.ts'
import { toCanonicalName } from '../../categories/names/recognise-names.ts'
import { asObject, type DataObject } from '../../kernel/values/data-object.ts'
import { findNameMember } from '../page/blocks.ts'
import { findLink } from '../page/values.ts'

/** Members may be undefined: JSON leaves them out. */
export type JsonLdNode = Record<string, unknown>

/** `buildMembers` writes members under their own terms. */
type ShapeInput = {
  field: Field
  value: unknown
  passportUrl: string
  buildMembers: (fields: readonly Field[], data: DataObject) => JsonLdNode
}

/** Returns the members that a field adds to the product's node. */
type Shape = (input: ShapeInput) => JsonLdNode

/** UN/CEFACT Recommendation 20. */
const UNIT_CODES: Readonly<Record<string, string>> = { g: 'GRM', kg: 'KGM', cm: 'CMT', l: 'LTR' }

/** Other shapes only mark a member for the function of its object. */
export const SHAPES: Readonly<Partial<Record<JsonLdShape, Shape>>> = {
  brand: ({ value }) => ({ brand: { '@type': 'Brand', name: value } }),
  country_of_origin: ({ field, value }) => ({ [getJsonLdTerm(field)]: value, countryOfOrigin: value }),
  dimensions: buildDimensions,
  documents: buildDocuments,
  // `renderJsonLd` writes these fields itself.
  envelope: () => ({}),
  materials: buildMaterials,
  organization: buildOrganization,
  pictures: buildPictures,
  quantity: ({ field, value }) => ({ [getJsonLdTerm(field)]: buildQuantity(value, field.unit) }),
}

function buildQuantity(value: unknown, unit: string | undefined): JsonLdNode {
  return { '@type': 'QuantitativeValue', value, unitCode: UNIT_CODES[unit ?? ''], unitText: unit }
}

/** Street and country become a separate node. */
function buildOrganization({ field, value, passportUrl, buildMembers }: ShapeInput): JsonLdNode {
  const data = asObject(value)
  const all = field.fields ?? []
  const getValue = (member: Field | undefined) => (member === undefined ? undefined : data[member.name])
  const streetMember = all.find(({ shape }) => shape === 'street_address')
  const countryMember = all.find(({ format }) => format === 'country')
  const [street, country] = [getValue(streetMember), getValue(countryMember)]
  const role = getValue(all.find(({ shape }) => shape === 'operator_role'))
  const rest = all.filter(member => member !== streetMember && member !== countryMember)
  const node: JsonLdNode = {
    '@id': `${passportUrl}#operator`,
    '@type': 'Organization',
    ...buildMembers(rest, data),
    address: { '@type': 'PostalAddress', streetAddress: street, addressCountry: country },
  }
  return {
    [getJsonLdTerm(field)]: node,
    ...(role === 'manufacturer' ? { manufacturer: { '@id': node['@id'] } } : {}),
  }
}

/** In schema.org, sizes and weight belong to the product itself. */
function buildDimensions({ field, value, buildMembers }: ShapeInput): JsonLdNode {
  const data = asObject(value)
  const all = field.fields ?? []
  const node: JsonLdNode = {}
  for (const side of all.filter(({ shape }) => shape === 'quantity')) {
    const amount = data[side.name]
    if (amount !== undefined) node[getJsonLdTerm(side)] = buildQuantity(amount, side.unit)
  }
  const rest = buildMembers(
    all.filter(({ shape }) => shape !== 'quantity'),
    data,
  )
  return {
    ...node,
    ...(Object.keys(rest).length > 0
      ? { [getJsonLdTerm(field)]: { '@type': getJsonLdClass(field), ...rest } }
      : {}),
  }
}

/** The list and, for programs that only know schema.org, the bare names; those of known fibres in English. */
function buildMaterials({ field, value, buildMembers }: ShapeInput): JsonLdNode {
  const entries = value as readonly DataObject[]
  const nameMember = findNameMember(field)
  return {
    [getJsonLdTerm(field)]: entries.map(entry => ({
      '@type': getJsonLdClass(field),
      ...buildMembers(field.of ?? [], entry),
    })),
    material: entries.map(entry => {
      const name = nameMember === undefined ? undefined : entry[nameMember.name]
      return nameMember === undefined || typeof name !== 'string'
        ? name
        : toCanonicalName(`${field.name}.${nameMember.name}`, nameMember, name)
    }),
  }
}

function buildDocuments({ field, value, buildMembers }: ShapeInput): JsonLdNode {
  const nodes = (value as readonly DataObject[]).map(entry => ({
    '@type': 'DigitalDocument',
    ...buildMembers(field.of ?? [], entry),
  }))
  return { [getJsonLdTerm(field)]: nodes }
}

/** The caption, or else what the picture shows, for programs that only know schema.org. */
function buildPictures({ field, value, passportUrl, buildMembers }: ShapeInput): JsonLdNode {
  const members = (field.of ?? []).filter(({ name }) => name !== 'caption')
  const nodes = (Array.isArray(value) ? value : []).map(asObject).map(entry => {
    const texts = Object.entries(asObject(entry.caption ?? entry.alt))
    return {
      '@type': 'ImageObject',
      contentUrl: typeof entry.url === 'string' ? toIriNode(entry.url, new URL(passportUrl).host) : undefined,
      caption: texts.map(([language, text]) => ({ '@value': text, '@language': language })),
      ...buildMembers(members, entry),
    }
  })
  return { [getJsonLdTerm(field)]: nodes }
}

/** Terms of schema.org have no prefix. */
export function getJsonLdTerm(field: Field): string {
  return field.term === undefined ? `dpp:${field.name}` : field.term.replace(/^schema:/, '')
}

/** Returns true if the field's nodes have a class of schema.org. */
export const hasSchemaClass = ({ shape }: Field): boolean =>
  shape === 'organization' || shape === 'documents' || shape === 'pictures'

/** The class of an object, or of a list's entries: `dpp:Repair`. */
export const getJsonLdClass = ({
  name,
  nodeClass = name.charAt(0).toUpperCase() + name.slice(1),
}: Field): string => `dpp:${nodeClass}`

/** The URL standard allows these characters, RFC 3987 does not. */
const INVALID_IRI_CHARACTERS = /[{}|\\^`<>"]/g

/** Returns the text unchanged unless it is an address that pages show as a link. */
export function toIriNode(text: string, ownHost: string): JsonLdNode | string {
  const url = findLink({ ownHost }, text)
  if (url === undefined) return text
  return { '@id': url.href.replace(INVALID_IRI_CHARACTERS, character => encodeURIComponent(character)) }
}
