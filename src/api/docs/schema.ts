/** Schemas of the OpenAPI document as lists of members that a person can read, to their full depth. */
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

/** Longer lists of values (countries) are left to the document. */
const MOST_VALUES = 30

/** The members of an object, or what else a schema is, as HTML. */
export function renderMembers(schema: Schema): string {
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return oneOf(choices)
  if (schema.properties === undefined) return `<p class="type">${renderType(schema)}</p>`
  const rows = Object.entries(schema.properties).map(([name, one]) =>
    renderMember(name, one, schema.required?.includes(name) ?? false),
  )
  return `<ul class="members">${rows.join('')}</ul>`
}

function oneOf(choices: readonly Schema[]): string {
  if (choices.every(one => one.$ref !== undefined)) {
    return `<p class="type">${choices.map(renderType).join(' or ')}</p>`
  }
  return choices
    .map((one, place) => `${place === 0 ? '' : '<p class="or">or</p>'}${renderMembers(one)}`)
    .join('')
}

/** One line of a list: also for parameters and headers. */
export function renderMember(name: string, schema: Schema, isRequired: boolean): string {
  const inner = innerMembers(schema)
  return `<li>${html`<code class="name">${name}</code>`} <span class="type">${renderType(schema)}</span>${
    isRequired ? ' <strong>required</strong>' : ''
  }${schema.description === undefined ? '' : `<p>${renderInline(schema.description)}</p>`}${notes(schema)}${inner}</li>`
}

function innerMembers(schema: Schema): string {
  const of = schema.properties ? schema : schema.items
  if (of?.properties) return renderMembers(of)
  return of?.anyOf || of?.oneOf ? `<div class="inner">${renderMembers(of)}</div>` : ''
}

/** `array of Detail`, `string or null`, with links to what has a name. */
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

function notes(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum
  const lines = [
    ...(values === undefined
      ? []
      : [valuesOf(values, schema['x-open'] ?? schema.items?.['x-open'] ?? false)]),
    ...(schema.const === undefined ? [] : [html`always <code>${schema.const}</code>`]),
    ...(schema.default === undefined ? [] : [html`default <code>${schema.default}</code>`]),
    ...limits(schema),
    ...(schema['x-unit'] === undefined ? [] : [html`in ${schema['x-unit']}`]),
    ...(schema['x-sums-to-100'] === undefined
      ? []
      : [html`<code>${schema['x-sums-to-100']}</code> adds up to exactly 100`]),
    ...audience(schema['x-audience']),
  ]
  return lines.length === 0 ? '' : `<p class="notes">${lines.join(' · ')}</p>`
}

function valuesOf(values: readonly (string | null)[], isOpen: boolean): string {
  if (values.length > MOST_VALUES) return html`one of ${values.length} values, listed in the OpenAPI document`
  const list = values.map(value => html`<code>${value ?? 'null'}</code>`).join(' ')
  return isOpen ? `${list} (the list will grow)` : list
}

const range = (least: number | undefined, most: number | undefined, of: string) => {
  if (least === undefined && most === undefined) return []
  if (least === undefined) return [html`at most ${most ?? ''}${of}`]
  if (most === undefined) return [html`at least ${least}${of}`]
  return [least === most ? html`${least}${of}` : html`${least} to ${most}${of}`]
}

const limits = (schema: Schema) =>
  schema.enum !== undefined
    ? []
    : [
        ...range(schema.minimum, schema.maximum, ''),
        ...range(schema.minLength, schema.maxLength, ' characters'),
        ...(isArray(schema) ? range(schema.minItems, schema.maxItems, ' entries') : []),
      ]

const READERS: Readonly<Record<string, string>> = {
  legitimate_interest: 'legitimate interest',
  authority: 'authorities',
}

/** Who besides the account sees a field; nothing for what is public. */
function audience(list: readonly string[] | undefined): string[] {
  if (list === undefined || list.includes('public')) return []
  const readers = list.map(one => READERS[one] ?? one).join(' and ')
  return [html`<em>not public: only ${readers}</em>`]
}
