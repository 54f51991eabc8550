/** The part of a category that JSON Schema can say, compiled by Ajv, and Ajv's findings in words that help. */
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { assert } from '../kernel/errors.ts'
import type { CompleteCategory } from './catalogue.ts'
import type { Field } from './field.ts'
import { type Findings, fieldOf, type Path, shorten } from './findings.ts'
import { FORMATS } from './formats.ts'
import { CUSTOM_KEYWORDS, categorySchema, scalarEntry } from './json-schema.ts'
import { findNearestName } from './nearest-name.ts'
import { countCharacters, isBlank } from './text.ts'

export type Data = Readonly<Record<string, unknown>>

/** An object that is neither null nor a list. */
export const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const validators = new WeakMap<CompleteCategory, ValidateFunction>()

/** Compiled once for each category object (measured: about 10 ms); never changes the data it is given. */
function validatorFor(category: CompleteCategory): ValidateFunction {
  const known = validators.get(category)
  if (known !== undefined) return known
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    // A field named `constructor` is missing unless the object has it itself.
    ownProperties: true,
    validateFormats: false,
    code: { optimize: 2 },
  })
  ajv.addVocabulary([...CUSTOM_KEYWORDS])
  const validate = ajv.compile(categorySchema(category))
  validators.set(category, validate)
  return validate
}

/**
 * Adds what JSON Schema finds wrong. `validatedWith` is the schema version the passport was last valid under: a field
 * required only since a later one is a warning. Language tags and blank translations are left to the named checks.
 */
export function checkStructure(
  category: CompleteCategory,
  data: Data,
  validatedWith: number,
  findings: Findings,
): void {
  const validate = validatorFor(category)
  if (validate(data)) return
  const { errors } = validate
  assert(errors, 'Ajv says why')
  for (const error of errors) {
    if (findings.truncated) return
    report({ error, category, data, validatedWith, findings, path: pathOf(data, error.instancePath) })
  }
}

type Report = {
  error: ErrorObject
  category: CompleteCategory
  data: Data
  validatedWith: number
  findings: Findings
  path: Path
}

function report(context: Report): void {
  const { error, category, data, findings, path } = context
  // An object's key, reported by the check of language tags.
  if (error.propertyName !== undefined || error.keyword === 'propertyNames') return
  if (error.keyword === 'uniqueItems') return
  if (error.keyword === 'required') return reportMissing(context)
  if (error.keyword === 'additionalProperties') return reportUnknown(context)
  const { field, isTranslation } = findField(category, path)
  const value = valueAt(data, path)
  if (error.keyword === 'type') return findings.add(path, 'type', typeProblem(field, value, isTranslation))
  if (typeof value === 'string') return reportText(context, field, value, isTranslation)
  reportSize(context, field, value)
}

function reportMissing({ error, category, validatedWith, findings, path }: Report): void {
  const name = String(error.params.missingProperty)
  const missing = [...path, name]
  const since = findField(category, missing).field.requiredSince ?? 1
  const where = path.length === 0 ? `every ${category.id} passport` : fieldOf(path)
  if (since <= validatedWith) findings.add(missing, 'required', `is missing; ${where} needs it.`)
  else findings.warn(missing, 'required', `is missing; new passports of this category need it, so add it soon.`)
}

function reportUnknown({ error, category, findings, path }: Report): void {
  const name = String(error.params.additionalProperty)
  const { field } = findField(category, path)
  const names = (field.fields ?? field.of ?? []).map(member => member.name)
  const nearest = findNearestName(name, names)
  const hint =
    nearest === undefined ? `it knows ${names.join(', ')}.` : `did you mean ${nearest}? Otherwise leave it out.`
  findings.add([...path, name], 'unknown_field', `is not a member of ${fieldOf(path)}; ${hint}`)
}

function reportText(context: Report, field: Field, text: string, isTranslation: boolean): void {
  const { error, findings, path } = context
  if (error.keyword === 'maxLength' && field.format === undefined) {
    const problem = `has ${countCharacters(text)} characters; at most ${error.params.limit} are allowed.`
    return findings.add(path, 'length', problem)
  }
  if (isTranslation && isBlank(text)) return
  if (field.values !== undefined) return findings.add(path, 'enum', valuesProblem(field.values, text))
  if (field.format !== undefined) {
    const fault = FORMATS[field.format].findFault(text)
    assert(fault, `the check of ${field.format} is at least as strict as its pattern`)
    return findings.add(path, fault.code, fault.problem)
  }
  findings.add(path, 'length', blankProblem(field))
}

export const blankProblem = (field: Field) =>
  field.required ? 'is blank; write something.' : 'is blank; write something or leave it out.'

function valuesProblem(values: readonly string[], text: string): string {
  const plain = text.trim().toLowerCase()
  const meant = values.find(value => value.toLowerCase() === plain) ?? findNearestName(text, values)
  const list = `must be one of ${values.join(', ')}`
  return meant === undefined ? `${list}.` : `${list}; did you mean ${meant}?`
}

function reportSize({ error, findings, path }: Report, field: Field, value: unknown): void {
  const { limit } = error.params
  const unit = field.unit === undefined ? '' : ` ${field.unit}`
  switch (error.keyword) {
    case 'minimum':
      return findings.add(path, 'min', `is ${value}; it must be at least ${limit}${unit}.`)
    case 'maximum':
      return findings.add(path, 'max', `is ${value}; it must be at most ${limit}${unit}.`)
    case 'minItems':
      return findings.add(path, 'length', 'is empty; it needs at least one entry.')
    case 'minProperties':
      return findings.add(path, 'primary_language_missing', 'is empty; it needs a text in the primary language.')
    default:
      findings.add(path, 'type', 'is not as its schema says.')
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

function typeProblem(field: Field, value: unknown, isTranslation: boolean): string {
  const localized = field.localized && !isTranslation
  if (value === null) return `is null; ${field.required ? 'it needs a value.' : 'leave it out if there is none.'}`
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large for a number.'
  const wanted = localized ? 'an object of language codes and texts, such as {"en": "…"}' : KINDS[field.type]
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

/** The field that a path leads to; a text inside a localized field belongs to that field. */
function findField(category: CompleteCategory, path: Path): { field: Field; isTranslation: boolean } {
  let field: Field = { name: '', type: 'object', description: '', fields: category.fields }
  for (const step of path) {
    if (field.localized) return { field, isTranslation: true }
    field =
      typeof step === 'string'
        ? member(field.fields ?? field.of ?? [], step)
        : (scalarEntry(field) ?? { ...field, type: 'object', required: true, fields: field.of ?? [] })
  }
  return { field, isTranslation: false }
}

function member(fields: readonly Field[], name: string): Field {
  const field = fields.find(one => one.name === name)
  assert(field, `Ajv reports known fields, not ${name}`)
  return field
}

/** Ajv's instance path, with indexes as numbers where the data has a list. */
function pathOf(data: Data, instancePath: string): Path {
  const path: (string | number)[] = []
  let value: unknown = data
  for (const escaped of instancePath.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(step) : step)
    value = (value as Record<string, unknown>)[step]
  }
  return path
}

function valueAt(data: Data, path: Path): unknown {
  let value: unknown = data
  for (const step of path) value = (value as Record<string | number, unknown>)[step]
  return value
}
