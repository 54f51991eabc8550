/** Says in words that help what Ajv found wrong with a value: what it is, what it must be, and the way out. */
import type { ErrorObject } from 'ajv'
import { assert } from '../kernel/errors.ts'
import type { Field } from './field.ts'
import { shorten } from './findings.ts'
import { type Fault, FORMATS } from './formats.ts'
import { findNearestName } from './nearest-name.ts'
import { countCharacters, isBlank } from './text.ts'
import { isObject } from './value.ts'

/** The field a value belongs to; `isTranslation` when it is one text inside a localized field. */
export type FieldAt = { field: Field; isTranslation: boolean }

/** Undefined for a blank translation: whether it was needed is for the check that knows the primary language. */
export function findFault(error: ErrorObject, at: FieldAt, value: unknown): Fault | undefined {
  if (error.keyword === 'type') return { code: 'type', problem: typeProblem(at, value) }
  if (typeof value !== 'string') return findSizeFault(error, at.field, value)
  if (at.isTranslation && isBlank(value)) return undefined
  return findStringFault(error, at.field, value)
}

function findStringFault(error: ErrorObject, field: Field, text: string): Fault {
  if (field.values !== undefined) return { code: 'enum', problem: valuesProblem(field.values, text) }
  if (field.format !== undefined) {
    const fault = FORMATS[field.format].findFault(text)
    assert(fault, `the check of ${field.format} is at least as strict as its pattern`)
    return fault
  }
  if (error.keyword !== 'maxLength') return { code: 'length', problem: blankProblem(field.required ?? false) }
  const problem = `has ${countCharacters(text)} characters; at most ${error.params.limit} are allowed.`
  return { code: 'length', problem }
}

export const blankProblem = (required: boolean) =>
  required ? 'is blank; write something.' : 'is blank; write something or leave it out.'

function valuesProblem(values: readonly string[], text: string): string {
  const plain = text.trim().toLowerCase()
  const meant = values.find(value => value.toLowerCase() === plain) ?? findNearestName(text, values)
  const list = `must be one of ${values.join(', ')}`
  return meant === undefined ? `${list}.` : `${list}; did you mean ${meant}?`
}

/** Lists and objects that are too large never get here: `boundedData` has named and cut them. */
function findSizeFault({ keyword, params }: ErrorObject, field: Field, value: unknown): Fault {
  const unit = field.unit === undefined ? '' : ` ${field.unit}`
  switch (keyword) {
    case 'minimum':
      return { code: 'min', problem: `is ${value}; it must be at least ${params.limit}${unit}.` }
    case 'maximum':
      return { code: 'max', problem: `is ${value}; it must be at most ${params.limit}${unit}.` }
    case 'minItems':
      return { code: 'length', problem: 'is empty; it needs at least one entry.' }
    case 'minProperties':
      return {
        code: 'primary_language_missing',
        problem: 'is empty; it needs a text in the first of languages.',
      }
    case 'enum':
      // A value of another type; its `type` is reported already and stands.
      return { code: 'type', problem: typeProblem({ field, isTranslation: false }, value) }
    default:
      throw new Error(`no words for a violated ${keyword}`)
  }
}

const KINDS: Readonly<Record<Field['type'], string>> = {
  name: 'a text',
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
}

function typeProblem({ field, isTranslation }: FieldAt, value: unknown): string {
  if (value === null)
    return `is null; ${field.required ? 'it needs a value.' : 'leave it out if there is none.'}`
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large for a number.'
  const isLocalized = field.localized && !isTranslation
  const wanted = isLocalized
    ? 'an object of language codes and texts, such as {"en": "…"}'
    : KINDS[field.type]
  const hint = typeof value === 'string' && isUnquotable(field, value) ? '; send it without quotes' : ''
  return `must be ${wanted}, not ${kindOf(value)}${hint}.`
}

const isUnquotable = (field: Field, text: string) =>
  field.type === 'number'
    ? text.trim() !== '' && Number.isFinite(Number(text))
    : field.type === 'boolean' && (text === 'true' || text === 'false')

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'number' ? 'a number' : shorten(String(value), 20)
}
