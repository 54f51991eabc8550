/**
 * Builds the JSON Schema 2020-12 of a category. Our validator uses the same schema that clients can get. `x-`
 * keywords and descriptions name rules that JSON Schema cannot express (check digits, exact sums).
 */
import type { CompleteCategory } from '../catalogue.ts'
import { AUDIENCES, type Audience, type Field, findScalarEntry, narrowAudience } from '../field.ts'
import { MAX_LANGUAGE_TAG_LENGTH } from '../language.ts'
import { FORMAT_RULES } from './formats.ts'

/** Keywords may be undefined: JSON leaves them out, and Ajv ignores them. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** In code points. */
const MAX_NAME_LENGTH = 500
const MAX_TEXT_LENGTH = 10_000
export const MAX_LANGUAGES = 100
const MAX_LIST_ITEMS = 1000

/** Our annotations, which a validator in strict mode must know. */
export const CUSTOM_KEYWORDS = [
  'x-unit',
  'x-audience',
  'x-audience-member',
  'x-localized',
  'x-open',
  'x-format',
  'x-sums-to-100',
  'x-required-since',
  'x-schema-version',
] as const

/**
 * Builds the schema of `data` as it is stored. Free-form keys are allowed at the top level, but not inside
 * known objects.
 */
export function buildCategorySchema(category: CompleteCategory) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: category.title,
    description: `The data of a ${category.id} passport. Other keys may be added freely; only the account itself sees them.`,
    'x-schema-version': category.schemaVersion,
    ...members(category.fields, AUDIENCES),
    additionalProperties: true,
  }
}

/**
 * Builds the schema of `data` as it may be sent: an optional field may be null, which means that it is
 * absent. `id` is the address of the schema, its `$id`.
 */
export function buildRequestSchema(category: CompleteCategory, id?: string): JsonSchema {
  const { $schema, description, properties, ...kept } = buildCategorySchema(category)
  const sent = Object.entries(properties).map(([name, one]) => [
    name,
    kept.required.includes(name) ? one : allowNull(one),
  ])
  return {
    $schema,
    $id: id,
    description: `${description} A null means that the field was not sent; responses contain no null.`,
    ...kept,
    properties: Object.fromEntries(sent),
  }
}

const allowNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
  ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
})

/** The maximum number of a list's entries or a localized field's languages; undefined for other fields. */
export function getMaxEntries(field: Field): number | undefined {
  if (field.localized) return MAX_LANGUAGES
  return field.type === 'list' ? (field.maxItems ?? MAX_LIST_ITEMS) : undefined
}

/**
 * The limits of a number, of a text (of each text, if localized) and of the entries of a list (of the
 * languages, if localized). Lengths are in code points.
 */
export type Limits = Record<
  'minimum' | 'maximum' | 'min_length' | 'max_length' | 'min_items' | 'max_items',
  number | undefined
>

/** Reads the limits from the schema that the validator uses. */
export function getLimits(field: Field): Limits {
  const schema = valueSchema(field, AUDIENCES)
  const text: JsonSchema = field.localized ? plainText(field) : schema
  return {
    minimum: getNumber(schema, 'minimum'),
    maximum: getNumber(schema, 'maximum'),
    min_length: getNumber(text, 'minLength'),
    max_length: getNumber(text, 'maxLength'),
    min_items: getNumber(schema, field.localized ? 'minProperties' : 'minItems'),
    max_items: getNumber(schema, field.localized ? 'maxProperties' : 'maxItems'),
  }
}

function getNumber(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

function members(fields: readonly Field[], audience: readonly Audience[]) {
  const properties: Record<string, JsonSchema> = Object.fromEntries(
    fields.map(field => [field.name, fieldSchema(field, audience)]),
  )
  return {
    type: 'object',
    properties,
    required: fields.filter(field => field.required).map(field => field.name),
  }
}

function fieldSchema(field: Field, outer: readonly Audience[]): JsonSchema {
  const audience = narrowAudience(outer, field)
  return {
    description: field.description,
    ...valueSchema(field, audience),
    'x-audience': audience,
    'x-unit': field.unit,
    'x-required-since': field.requiredSince,
  }
}

function valueSchema(field: Field, audience: readonly Audience[]): JsonSchema {
  if (field.localized) return localizedSchema(field)
  switch (field.type) {
    case 'name':
    case 'text':
      return stringSchema(field)
    case 'number':
      return { type: 'number', minimum: field.min, maximum: field.max }
    case 'boolean':
      return { type: 'boolean' }
    case 'object':
      return { ...members(field.fields ?? [], audience), additionalProperties: false }
    case 'list':
      return listSchema(field, audience)
  }
}

function stringSchema(field: Field): JsonSchema {
  if (field.values !== undefined) {
    return { type: 'string', enum: field.values, 'x-open': field.open }
  }
  if (field.format === undefined) return plainText(field)
  return { type: 'string', ...FORMAT_RULES[field.format].schema, 'x-format': field.format }
}

const plainText = (field: Field) => ({
  type: 'string',
  minLength: 1,
  maxLength: field.type === 'name' ? MAX_NAME_LENGTH : MAX_TEXT_LENGTH,
  pattern: '\\S',
})

const localizedSchema = (field: Field) => ({
  type: 'object',
  minProperties: 1,
  maxProperties: MAX_LANGUAGES,
  propertyNames: {
    minLength: FORMAT_RULES.language.schema.minLength,
    maxLength: MAX_LANGUAGE_TAG_LENGTH,
    pattern: FORMAT_RULES.language.schema.pattern,
  },
  additionalProperties: plainText(field),
  'x-localized': true,
})

function listSchema(field: Field, audience: readonly Audience[]): JsonSchema {
  const scalar = findScalarEntry(field)
  return {
    type: 'array',
    minItems: field.required || field.sumsTo100 !== undefined ? 1 : undefined,
    maxItems: getMaxEntries(field),
    uniqueItems: scalar?.format === 'language' ? true : undefined,
    'x-sums-to-100': field.sumsTo100,
    items:
      scalar === undefined
        ? {
            ...members(field.of ?? [], audience),
            // In strict mode, each part must know what it requires. Generators do not know a schema `true`.
            anyOf: field.needsOneOf?.map(name => ({ properties: { [name]: {} }, required: [name] })),
            additionalProperties: false,
            'x-audience-member': field.audienceMember,
          }
        : { description: scalar.description, ...valueSchema(scalar, audience) },
  }
}
