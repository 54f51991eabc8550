/** A category in the shape of the wire: what an integrator's program, or a form made from it, needs to know. */
import type { CompleteCategory } from '../catalogue.ts'
import { AUDIENCES, type Audience, type Field, findScalarEntry, narrowAudience } from '../field.ts'
import { FORMAT_RULES } from './formats.ts'

type WireType = 'string' | 'number' | 'boolean' | 'object' | 'array'

/** What the entries of an array are. */
type WireItems = {
  type: WireType
  description?: string
  enum?: readonly string[]
  open?: boolean
  unit?: string
  format?: string
  fields?: readonly WireField[]
}

/** With `localized` the value is an object of language code and text, so `type` is `object` then, without `fields`. */
export type WireField = {
  name: string
  type: WireType
  required: boolean
  localized: boolean
  /** Who may see it, what surrounds it considered. */
  audience: readonly Audience[]
  enum?: readonly string[]
  /** The list of values grows with the schema version. */
  open?: boolean
  unit?: string
  format?: string
  description: string
  items?: WireItems
  fields?: readonly WireField[]
  /** The member of each entry whose values must add up to exactly `total`. */
  sums_to?: { field: string; total: 100 }
}

type CategoryDescription = { category: string; schema_version: number; fields: readonly WireField[] }

/** For `GET /schema/{category}`. */
export function describeCategory(category: CompleteCategory): CategoryDescription {
  return {
    category: category.id,
    schema_version: category.schemaVersion,
    fields: category.fields.map(field => describeField(field, AUDIENCES)),
  }
}

export type CategorySummary = {
  id: string
  title: string
  schema_version: number
  schema_url: string
  /** Names of the required fields at the top. */
  required: readonly string[]
}

/** For `GET /categories`; `schemaUrl` is the address of the category's description. */
export function summariseCategory(category: CompleteCategory, schemaUrl: string): CategorySummary {
  return {
    id: category.id,
    title: category.title,
    schema_version: category.schemaVersion,
    schema_url: schemaUrl,
    required: category.fields.filter(field => field.required).map(field => field.name),
  }
}

function describeField(field: Field, outer: readonly Audience[]): WireField {
  const audience = narrowAudience(outer, field)
  return {
    name: field.name,
    type: wireType(field),
    required: field.required ?? false,
    localized: field.localized ?? false,
    audience,
    ...values(field),
    description: field.description,
    ...(field.type === 'list' ? { items: describeEntries(field, audience) } : {}),
    ...(field.type === 'object' ? { fields: describeAll(field.fields ?? [], audience) } : {}),
    ...(field.sumsTo100 === undefined ? {} : { sums_to: { field: field.sumsTo100, total: 100 } }),
  }
}

const describeAll = (fields: readonly Field[], audience: readonly Audience[]) =>
  fields.map(field => describeField(field, audience))

function describeEntries(list: Field, audience: readonly Audience[]): WireItems {
  const scalar = findScalarEntry(list)
  if (scalar === undefined) return { type: 'object', fields: describeAll(list.of ?? [], audience) }
  return { type: wireType(scalar), ...values(scalar), description: scalar.description }
}

function values(field: Field): Pick<WireField, 'enum' | 'open' | 'unit' | 'format'> {
  const allowed = field.values ?? (field.format && FORMAT_RULES[field.format].schema.enum)
  return {
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(field.open ? { open: true } : {}),
    ...(field.unit === undefined ? {} : { unit: field.unit }),
    ...(field.format === undefined ? {} : { format: field.format }),
  }
}

function wireType(field: Field): WireType {
  if (field.localized) return 'object'
  switch (field.type) {
    case 'name':
    case 'text':
      return 'string'
    case 'list':
      return 'array'
    default:
      return field.type
  }
}
