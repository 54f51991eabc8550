/** Describes a category for API clients, as `GET /categories` and `GET /schema/{category}` return it. */
import type { CompleteCategory } from '../catalogue.ts'
import { AUDIENCES, type Audience, type Field, findScalarEntry, narrowAudience } from '../field.ts'
import { FORMAT_RULES } from './formats.ts'

type WireType = 'string' | 'number' | 'boolean' | 'object' | 'array'

/** The entries of an array. */
type WireItems = {
  type: WireType
  description?: string
  enum?: readonly string[]
  open?: boolean
  unit?: string
  format?: string
  fields?: readonly WireField[]
}

/** If `localized`, the value is an object of language codes and texts: `type` is `object`, without `fields`. */
export type WireField = {
  name: string
  type: WireType
  required: boolean
  localized: boolean
  /** Who may see it, narrowed by its parents. */
  audience: readonly Audience[]
  enum?: readonly string[]
  /** Later schema versions may add values. */
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
  /** Names of the required top-level fields. */
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
    type: getWireType(field),
    required: field.required ?? false,
    localized: field.localized ?? false,
    audience,
    ...describeValues(field),
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
  return { type: getWireType(scalar), ...describeValues(scalar), description: scalar.description }
}

function describeValues(field: Field): Pick<WireField, 'enum' | 'open' | 'unit' | 'format'> {
  const allowed = field.values ?? (field.format && FORMAT_RULES[field.format].schema.enum)
  return {
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(field.open ? { open: true } : {}),
    ...(field.unit === undefined ? {} : { unit: field.unit }),
    ...(field.format === undefined ? {} : { format: field.format }),
  }
}

function getWireType(field: Field): WireType {
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
