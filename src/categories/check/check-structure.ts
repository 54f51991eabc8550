/** Checks data with Ajv against the category's JSON Schema, and explains what Ajv finds. */
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { formatField } from '../../kernel/errors/detail-json.ts'
import { assert, type Path } from '../../kernel/errors/errors.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { CompleteCategory } from '../catalogue.ts'
import { type Field, findScalarEntry } from '../field.ts'
import { findNearestName } from '../names/nearest-name.ts'
import { problem } from '../problems.ts'
import { buildCategorySchema, CUSTOM_KEYWORDS } from '../schema/json-schema.ts'
import { explainSchemaError, type FieldAt } from './explain-violation.ts'
import type { Findings } from './findings.ts'

/** Compiling takes 15 to 40 ms. The validator never changes the data. */
const getValidator = perObject((category: CompleteCategory) => {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    // Inherited properties such as `constructor` do not count as present fields.
    ownProperties: true,
    validateFormats: false,
    // A test checks our schemas against the meta-schema; compiling it here would slow the first call.
    meta: false,
    validateSchema: false,
  })
  ajv.addVocabulary([...CUSTOM_KEYWORDS])
  return ajv.compile(buildCategorySchema(category))
})

/**
 * Adds violations of the JSON Schema. `validatedWith` is the schema version under which the passport was last
 * valid: a field that became required later is a warning. Language tags and blank translations are left to
 * the semantic checks.
 */
export function checkStructure(
  category: CompleteCategory,
  data: DataObject,
  validatedWith: number,
  findings: Findings,
): void {
  const validate = getValidator(category)
  if (validate(data)) return
  const { errors } = validate
  assert(errors, 'Ajv lists the errors')
  for (const error of errors) {
    if (findings.truncated) return
    report({ error, category, findings, ...locate(data, error.instancePath) }, validatedWith)
  }
}

type Finding = {
  error: ErrorObject
  category: CompleteCategory
  findings: Findings
  path: Path
  value: unknown
}

function report(context: Finding, validatedWith: number): void {
  const { error, category, findings, path, value } = context
  if (isLeftToOthers(error)) return
  if (error.keyword === 'anyOf') reportMissingChoice(context)
  else if (error.keyword === 'required') reportMissing(context, validatedWith)
  else if (error.keyword === 'additionalProperties') reportUnknown(context)
  else {
    const violation = explainSchemaError(error, findField(category, path), value)
    if (violation !== undefined) findings.add(path, violation.code, violation.problem)
  }
}

/** Language tags as keys, and as distinct entries; the parts of an `anyOf`, which has an error itself. */
const isLeftToOthers = (error: ErrorObject) =>
  error.propertyName !== undefined ||
  error.keyword === 'propertyNames' ||
  error.keyword === 'uniqueItems' ||
  /\/anyOf\/\d+\//.test(error.schemaPath)

function reportMissing({ error, category, findings, path }: Finding, validatedWith: number): void {
  const missing = [...path, String(error.params.missingProperty)]
  const since = findField(category, missing).field.requiredSince ?? 1
  if (since > validatedWith) findings.warn(missing, 'required', problem('missing_soon'))
  else if (path.length === 0) findings.add(missing, 'required', problem('missing', { category: category.id }))
  else findings.add(missing, 'required', problem('missing_in', { parent: formatField(path) }))
}

/** An entry that lacks all members of which it needs one. Reported at the last, which a form shows. */
function reportMissingChoice({ category, findings, path }: Finding): void {
  const names = findField(category, path.slice(0, -1)).field.needsOneOf ?? []
  const what = problem('missing_one_of', { parent: formatField(path), names: names.join(', ') })
  findings.add([...path, names.at(-1) ?? ''], 'required', what)
}

function reportUnknown({ error, category, findings, path }: Finding): void {
  const name = String(error.params.additionalProperty)
  const { field } = findField(category, path)
  const names = (field.fields ?? []).map(member => member.name)
  const nearest = findNearestName(name, names)
  const parent = formatField(path)
  const unknown =
    nearest === undefined
      ? problem('unknown_in', { parent, names: names.join(', ') })
      : problem('unknown_in_meant', { parent, meant: nearest })
  findings.add([...path, name], 'unknown_field', unknown)
}

/** Finds the field at a path; a translation belongs to its localized field. */
function findField(category: CompleteCategory, path: Path): FieldAt {
  let field: Field = { name: '', type: 'object', description: '', fields: category.fields }
  for (const step of path) {
    if (field.localized) return { field, path: labelPath(path), isTranslation: true }
    field =
      typeof step === 'string'
        ? findMember(field.fields ?? field.of ?? [], step)
        : (findScalarEntry(field) ?? { ...field, type: 'object', required: true, fields: field.of ?? [] })
  }
  return { field, path: labelPath(path), isTranslation: false }
}

/** The path without list indexes. */
const labelPath = (path: Path) => path.filter(step => typeof step === 'string').join('.')

function findMember(fields: readonly Field[], name: string): Field {
  const field = fields.find(member => member.name === name)
  assert(field, `Ajv reports known fields, not ${name}`)
  return field
}

/** The path and the value that Ajv's instance path points to; indexes of lists become numbers. */
function locate(data: DataObject, instancePath: string): { path: Path; value: unknown } {
  const path: (string | number)[] = []
  let value: unknown = data
  for (const escaped of instancePath.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    const step = Array.isArray(value) ? Number(name) : name
    path.push(step)
    value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined
  }
  return { path, value }
}
