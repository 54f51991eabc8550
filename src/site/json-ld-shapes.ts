/**
 * Where a general vocabulary says more than one plain term can: fields whose value becomes a node of schema.org's.
 * Every other field is written under its own term, by rule.
 */
import type { Field } from '../categories/field.ts'
import type { Data } from './reading.ts'
import { findLink } from './values.ts'

export type Node = Record<string, unknown>

/** What a shape is told: the field, its value, the address of the passport, and the rule for all other members. */
export type ShapeInput = {
  field: Field
  value: unknown
  passportUrl: string
  members: (fields: readonly Field[], data: Data) => Node
}

/** The members that a field adds to the product's node. */
type Shape = (input: ShapeInput) => Node

/** UN/CEFACT Recommendation 20. */
const UNIT_CODES: Readonly<Record<string, string>> = { g: 'GRM', kg: 'KGM', cm: 'CMT', l: 'LTR', L: 'LTR' }

export const SHAPES: Readonly<Record<string, Shape>> = {
  brandName: ({ value }) => ({ brand: { '@type': 'Brand', name: value } }),
  economicOperator,
  countryOfManufacture: ({ value }) => ({ 'dpp:countryOfManufacture': value, countryOfOrigin: value }),
  weightGrams: ({ value }) => ({ weight: quantity(value, 'g') }),
  weightKg: ({ value }) => ({ weight: quantity(value, 'kg') }),
  dimensions,
  manufacturingDate: ({ value }) => ({ productionDate: value }),
  fiberComposition: composition('fiber'),
  materialComposition: composition('material'),
  complianceDocuments,
  carbonFootprint: ({ field, value }) => ({ 'dpp:carbonFootprint': quantity(value, field.unit) }),
  waterFootprint: ({ field, value }) => ({ 'dpp:waterFootprint': quantity(value, field.unit) }),
}

/** Terms that shapes and the frame of the document write, beside those of the table; `Iri` ones hold addresses. */
export const SCHEMA_TERMS = [
  'address',
  'addressCountry',
  'brand',
  'category',
  'countryOfOrigin',
  'dateModified',
  'depth',
  'email',
  'globalLocationNumber',
  'gtin',
  'hasGS1DigitalLink',
  'height',
  'inLanguage',
  'legalName',
  'manufacturer',
  'material',
  'model',
  'name',
  'productionDate',
  'serialNumber',
  'sku',
  'streetAddress',
  'subjectOf',
  'unitCode',
  'unitText',
  'url',
  'value',
  'version',
  'weight',
  'width',
] as const

export const SCHEMA_TYPES = [
  'Brand',
  'CreativeWork',
  'DigitalDocument',
  'DigitalProductPassport',
  'IndividualProduct',
  'Organization',
  'PostalAddress',
  'Product',
  'ProductModel',
  'QuantitativeValue',
  'SomeProducts',
] as const

export const GS1_TERMS = ['gtin', 'hasBatchLotNumber', 'hasSerialNumber'] as const

/** Terms of our own that are no field's name. */
export const OWN_TERMS = {
  batch: 'The batch that a unit was made in.',
  documentType: 'The kind of a compliance document, as its issuer names it.',
  operatorRole: 'What the economic operator is to the product: manufacturer, importer and so on.',
  status: 'Whether the passport is active or archived.',
} as const

function quantity(value: unknown, unit: string | undefined): Node {
  const code = unit === undefined ? undefined : UNIT_CODES[unit]
  return {
    '@type': 'QuantitativeValue',
    value,
    ...(code === undefined ? {} : { unitCode: code }),
    ...(unit === undefined ? {} : { unitText: unit }),
  }
}

const OPERATOR_TERMS: Readonly<Record<string, string>> = {
  role: 'dpp:operatorRole',
  legalName: 'legalName',
  contactEmail: 'email',
  operatorId: 'globalLocationNumber',
}

function economicOperator({ field, value, passportUrl, members }: ShapeInput): Node {
  const data = value as Data
  const { address, country } = data
  const node: Node = { '@id': `${passportUrl}#operator`, '@type': 'Organization' }
  for (const [name, term] of Object.entries(OPERATOR_TERMS)) if (data[name] !== undefined) node[term] = data[name]
  if (address !== undefined || country !== undefined) {
    node.address = {
      '@type': 'PostalAddress',
      ...(address === undefined ? {} : { streetAddress: address }),
      ...(country === undefined ? {} : { addressCountry: country }),
    }
  }
  const shaped = new Set([...Object.keys(OPERATOR_TERMS), 'address', 'country'])
  const rest = (field.fields ?? []).filter(member => !shaped.has(member.name))
  return {
    'dpp:economicOperator': { ...node, ...members(rest, data) },
    ...(data.role === 'manufacturer' ? { manufacturer: { '@id': node['@id'] } } : {}),
  }
}

function dimensions({ field, value, members }: ShapeInput): Node {
  const data = value as Data
  const node: Node = {}
  for (const side of ['width', 'depth', 'height']) {
    if (data[side] !== undefined) node[side] = quantity(data[side], 'cm')
  }
  if (data.weightKg !== undefined) node.weight = quantity(data.weightKg, 'kg')
  const shaped = new Set(['width', 'depth', 'height', 'weightKg'])
  const rest = members((field.fields ?? []).filter(member => !shaped.has(member.name)), data)
  return { ...node, ...(Object.keys(rest).length > 0 ? { 'dpp:dimensions': rest } : {}) }
}

/** The list itself, and the bare names for readers who know only schema.org. */
function composition(nameOf: string): Shape {
  return ({ field, value, members }) => {
    const entries = value as readonly Data[]
    return {
      [`dpp:${field.name}`]: entries.map(entry => members(field.of ?? [], entry)),
      material: entries.map(entry => entry[nameOf]),
    }
  }
}

function complianceDocuments({ field, value, members }: ShapeInput): Node {
  const rest = (field.of ?? []).filter(member => member.name !== 'type' && member.name !== 'url')
  const documents = (value as readonly Data[]).map(entry => ({
    '@type': 'DigitalDocument',
    'dpp:documentType': entry.type,
    ...(typeof entry.url === 'string' ? { url: iriNode(entry.url) } : {}),
    ...members(rest, entry),
  }))
  return { 'dpp:complianceDocuments': documents }
}

/** Characters that the URL standard lets through and RFC 3987 does not. */
const NOT_IN_AN_IRI = /[{}|\\^`<>"]/g

/** A link as a node; what is not an http(s) address stays a text. */
export function iriNode(text: string): Node | string {
  const url = findLink(text)
  if (url === undefined) return text
  return { '@id': url.href.replace(NOT_IN_AN_IRI, letter => encodeURIComponent(letter)) }
}
