/** Describes a category for API clients, as `GET /categories` and `GET /schema/{category}` return it. */
import type { CompleteCategory } from '../catalogue.ts'
import { AUDIENCES, type Audience, type Field, findScalarEntry, narrowAudience } from '../field.ts'
import { FORMAT_RULES } from './formats.ts'
import { getLimits, type Limits } from './json-schema.ts'

type WireType = 'string' | 'number' | 'boolean' | 'object' | 'array'

/** Undefined members are not in the JSON. */
type WireValues = Limits & {
  type: WireType
  enum: readonly string[] | undefined
  /** Later schema versions may add values. */
  open: true | undefined
  unit: string | undefined
  format: string | undefined
}

/** If `localized`, the value has texts by language code: `type` is `object`, without `fields`. */
export type WireField = WireValues & {
  name: string
  required: boolean
  localized: boolean
  /** Who may see it, narrowed by its parents. */
  audience: readonly Audience[]
  description: string
  items: (Partial<WireValues> & { description?: string; fields?: readonly WireField[] }) | undefined
  fields: readonly WireField[] | undefined
  /** The member of each entry whose values must add up to exactly `total`. */
  sums_to: { field: string; total: 100 } | undefined
}

/** For `GET /schema/{category}`. */
export function describeCategory(category: CompleteCategory) {
  return {
    category: category.id,
    schema_version: category.schemaVersion,
    fields: category.fields.map(field => describeField(field, AUDIENCES)),
  }
}

/** For `GET /categories`; `schemaUrl` is the address of the category's description. */
export function summariseCategory(category: CompleteCategory, schemaUrl: string) {
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
  const { type, ...values } = describeValues(field)
  return {
    name: field.name,
    type,
    required: field.required ?? false,
    localized: field.localized ?? false,
    audience,
    ...values,
    description: field.description,
    items: field.type === 'list' ? describeEntries(field, audience) : undefined,
    fields: field.type === 'object' ? describeAll(field.fields, audience) : undefined,
    sums_to: field.sumsTo100 === undefined ? undefined : { field: field.sumsTo100, total: 100 },
  }
}

const describeAll = (fields: readonly Field[] = [], audience: readonly Audience[]) =>
  fields.map(field => describeField(field, audience))

function describeEntries(list: Field, audience: readonly Audience[]): WireField['items'] {
  const scalar = findScalarEntry(list)
  return scalar === undefined
    ? { type: 'object', fields: describeAll(list.of, audience) }
    : { ...describeValues(scalar), description: scalar.description }
}

const describeValues = (field: Field): WireValues => ({
  type: getWireType(field),
  enum: field.values ?? (field.format && FORMAT_RULES[field.format].schema.enum),
  open: field.open,
  unit: field.unit,
  format: field.format,
  ...getLimits(field),
})

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
