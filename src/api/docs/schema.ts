/** Schemas of the OpenAPI document as nested lists of members. */
import { html } from 'ghtml'
import { renderInline } from './text.ts'

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  additionalProperties?: boolean | Schema
  enum?: readonly (string | null)[]
  const?: string | number | boolean
  format?: string
  default?: string | number | boolean
  examples?: readonly string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  'x-unit'?: string
  'x-format'?: string
  'x-localized'?: boolean
  'x-open'?: boolean
  'x-audience'?: readonly string[]
  'x-sums-to-100'?: string
}

export type Parameter = {
  name: string
  in: 'query' | 'header' | 'path'
  required?: true
  description: string
  schema: Schema
  example?: unknown
}

/** Longer lists of values (countries) are only in the document. */
const MAX_VALUES = 30

/** The members of an object as HTML, or the type of another schema. */
export function renderMembers(schema: Schema): string {
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return renderChoices(choices)
  if (schema.properties === undefined) return `<p class="type">${renderType(schema)}</p>`
  const rows = Object.entries(schema.properties).map(([name, property]) =>
    renderMember(name, property, schema.required?.includes(name) ?? false),
  )
  return `<ul class="members">${rows.join('')}</ul>`
}

function renderChoices(choices: readonly Schema[]): string {
  if (choices.every(({ $ref }) => $ref !== undefined)) {
    return `<p class="type">${choices.map(renderType).join(' or ')}</p>`
  }
  return choices
    .map((choice, i) => `${i === 0 ? '' : '<p class="or">or</p>'}${renderMembers(choice)}`)
    .join('')
}

/** One line of a list, also for parameters and headers. */
export function renderMember(name: string, schema: Schema, isRequired: boolean): string {
  const inner = renderInnerMembers(schema)
  return `<li>${html`<code class="name">${name}</code>`} <span class="type">${renderType(schema)}</span>${
    isRequired ? ' <strong>required</strong>' : ''
  }${schema.description === undefined ? '' : `<p>${renderInline(schema.description)}</p>`}${renderNotes(schema)}${inner}</li>`
}

function renderInnerMembers(schema: Schema): string {
  const of = schema.properties ? schema : schema.items
  if (of?.properties) return renderMembers(of)
  return of?.anyOf || of?.oneOf ? `<div class="inner">${renderMembers(of)}</div>` : ''
}

/** `array of Detail`, `string or null`, with links to named schemas. */
export function renderType(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return html`<a href="#schema-${name}">${name}</a>`
  }
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return choices.map(renderType).join(' or ')
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  const orNull = names.includes('null') ? ' or null' : ''
  if (schema['x-localized']) return `object of language and text${orNull}`
  if (isArray(schema)) return `array of ${schema.items ? renderType(schema.items) : 'anything'}${orNull}`
  return html`${names.join(' or ')}${schema.format ? `, ${schema.format}` : ''}`
}

const isArray = ({ type }: Schema) => type === 'array' || (Array.isArray(type) && type.includes('array'))

function renderNotes(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum
  const { const: only, default: fallback, 'x-unit': unit, 'x-sums-to-100': sums } = schema
  const lines = [
    values && renderValues(values, schema['x-open'] ?? schema.items?.['x-open'] ?? false),
    only !== undefined && html`always <code>${only}</code>`,
    fallback !== undefined && html`default <code>${fallback}</code>`,
    ...describeLimits(schema),
    unit && html`in ${unit}`,
    sums && html`<code>${sums}</code> adds up to exactly 100`,
    describeAudience(schema['x-audience']),
  ].filter(line => line)
  return lines.length === 0 ? '' : `<p class="notes">${lines.join(' · ')}</p>`
}

function renderValues(values: readonly (string | null)[], isOpen: boolean): string {
  if (values.length > MAX_VALUES) return html`one of ${values.length} values, listed in the OpenAPI document`
  const list = values.map(value => html`<code>${value ?? 'null'}</code>`).join(' ')
  return isOpen ? `${list} (the list will grow)` : list
}

function describeRange(min: number | undefined, max: number | undefined, of: string): string {
  if (min === undefined) return max === undefined ? '' : `at most ${max}${of}`
  if (max === undefined) return `at min ${min}${of}`
  return min === max ? `${min}${of}` : `${min} to ${max}${of}`
}

const describeLimits = (schema: Schema) =>
  schema.enum === undefined
    ? [
        describeRange(schema.minimum, schema.maximum, ''),
        describeRange(schema.minLength, schema.maxLength, ' characters'),
        isArray(schema) && describeRange(schema.minItems, schema.maxItems, ' entries'),
      ]
    : []

const READERS: Readonly<Record<string, string>> = {
  legitimate_interest: 'legitimate interest',
  authority: 'authorities',
}

/** Who can see a field besides the account; empty for a public field. */
function describeAudience(list: readonly string[] | undefined): string {
  if (list === undefined || list.includes('public')) return ''
  return html`<em>not public: only ${list.map(audience => READERS[audience] ?? audience).join(' and ')}</em>`
}
