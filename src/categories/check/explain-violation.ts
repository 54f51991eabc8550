/** Explains what Ajv found: what the value is, what it must be, and how to correct it. */
import type { ErrorObject } from 'ajv'
import { shorten } from '../../kernel/errors/detail-json.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import type { Field } from '../field.ts'
import { findValueByName } from '../names/name-lookup.ts'
import { findNearestName } from '../names/nearest-name.ts'
import { type Kind, type Problem, problem, suggest } from '../problems.ts'
import { FORMAT_RULES, type Violation } from '../schema/formats.ts'
import { countCharacters, isBlank } from './text-checks.ts'

/**
 * The field of a value, and the key of its label (`materialComposition.material`). `isTranslation`: the value
 * is one text of a localized field.
 */
export type FieldAt = { field: Field; path: string; isTranslation: boolean }

/** Undefined for a blank translation: the check of the primary language decides if it is required. */
export function explainSchemaError(error: ErrorObject, at: FieldAt, value: unknown): Violation | undefined {
  if (error.keyword === 'type') return { code: 'type', problem: explainType(at, value) }
  if (typeof value !== 'string') return findSizeViolation(error, at.field, value)
  if (at.isTranslation && isBlank(value)) return undefined
  return findStringViolation(error, at, value)
}

function findStringViolation(error: ErrorObject, at: FieldAt, text: string): Violation {
  const { field } = at
  if (field.values !== undefined) return { code: 'enum', problem: explainValues(at, field.values, text) }
  if (field.format !== undefined) {
    const violation = FORMAT_RULES[field.format].findViolation(text)
    assert(violation, `the check of ${field.format} is at least as strict as its pattern`)
    return violation
  }
  if (error.keyword !== 'maxLength') return { code: 'length', problem: explainBlank(field.required ?? false) }
  const facts = { count: countCharacters(text), most: Number(error.params.limit) }
  return { code: 'length', problem: problem('long', facts) }
}

export const explainBlank = (required: boolean) => problem(required ? 'blank_needed' : 'blank')

/** Suggests the value with this name (`NMC811`, `Stahl`), else the nearest one. */
function explainValues({ field, path }: FieldAt, values: readonly string[], text: string): Problem {
  const meant = findValueByName(path, field, text) ?? findNearestName(text, values)
  return suggest('one_of', meant, { values: values.join(', ') })
}

/** `limitSizes` has already reported and cut lists and objects that are too large. */
function findSizeViolation({ keyword, params }: ErrorObject, field: Field, value: unknown): Violation {
  const unit = field.unit === undefined ? '' : ` ${field.unit}`
  switch (keyword) {
    case 'minimum':
    case 'maximum': {
      const [code, key] = keyword === 'minimum' ? (['min', 'below'] as const) : (['max', 'above'] as const)
      return { code, problem: problem(key, { found: Number(value), limit: Number(params.limit), unit }) }
    }
    case 'minItems':
      return { code: 'length', problem: problem('no_entries') }
    case 'minProperties':
      return { code: 'primary_language_missing', problem: problem('no_texts') }
    case 'enum':
      // A value of another type, for which `type` is already reported.
      return { code: 'type', problem: explainType({ field, path: '', isTranslation: false }, value) }
    default:
      throw new Error(`no explanation for a violated ${keyword}`)
  }
}

function explainType({ field, isTranslation }: FieldAt, value: unknown): Problem {
  if (value === null) return problem(field.required ? 'null_needed' : 'null')
  if (typeof value === 'number' && !Number.isFinite(value)) return problem('infinite')
  const kind: Kind = field.type === 'name' ? 'text' : field.type
  const wanted: Kind = field.localized && !isTranslation ? 'texts' : kind
  const facts = { wanted, kind: kindOf(value) }
  return problem(typeof value === 'string' && isUnquotable(field, value) ? 'type_quoted' : 'type', facts)
}

const isUnquotable = (field: Field, text: string) =>
  field.type === 'number'
    ? text.trim() !== '' && Number.isFinite(Number(text))
    : field.type === 'boolean' && (text === 'true' || text === 'false')

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'number' : shorten(String(value), 20)
}
