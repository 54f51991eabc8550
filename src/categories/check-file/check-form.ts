/** Checks a category's file against its JSON Schema, and says what Ajv found in words. */
import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import SCHEMA from '../../../assets/schemas/category-v1.json' with { type: 'json' }
import type { Path } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { once } from '../../kernel/values/memo.ts'
import { findNearestName } from '../names/nearest-name.ts'

export type FormProblem = { path: Path; message: string }

/** Fields are checked one by one: of a choice between a field and a part, Ajv would report both. */
const getValidators = once(() => {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    validateFormats: false,
    ownProperties: true,
  })
  const { fields, ...others } = SCHEMA.properties
  const { items: _, ...list } = fields
  const { $defs } = SCHEMA
  const compile = (schema: object) => ajv.compile({ ...schema, $defs })
  return {
    file: compile({ ...SCHEMA, properties: { ...others, fields: list } }),
    field: compile({ $ref: '#/$defs/field' }),
    use: compile({ $ref: '#/$defs/use' }),
  }
})

/** All violations of the schema. */
export function checkForm(value: unknown): FormProblem[] {
  const { file, field, use } = getValidators()
  const problems = file(value) ? [] : explainAll(file.errors, [], value)
  const fields: unknown[] = isObject(value) && Array.isArray(value.fields) ? value.fields : []
  for (const [place, one] of fields.entries()) {
    const validate = isObject(one) && 'use' in one ? use : field
    if (!validate(one)) problems.push(...explainAll(validate.errors, ['fields', place], one))
  }
  return problems
}

const explainAll = (
  errors: readonly ErrorObject[] | null | undefined,
  base: Path,
  value: unknown,
): FormProblem[] =>
  (errors ?? []).filter(error => isOfItsChoice(error, value)).map(error => explain(error, base))

/** `values` is an object or a list: an error of the shape that was not meant says nothing. */
function isOfItsChoice({ schemaPath, instancePath, keyword }: ErrorObject, root: unknown): boolean {
  if (keyword === 'propertyNames' || (keyword === 'oneOf' && instancePath.endsWith('/values'))) return false
  const choice = /\/values\/oneOf\/([01])\//.exec(schemaPath)?.[1]
  if (choice === undefined) return true
  const path = toPath(instancePath)
  const values = getAt(root, path.slice(0, path.lastIndexOf('values') + 1))
  return Array.isArray(values) === (choice === '1')
}

const toPath = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))

const getAt = (root: unknown, path: Path): unknown =>
  path.reduce(
    (value, key) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    root,
  )

function explain(
  { instancePath, keyword, params, message, parentSchema, propertyName }: ErrorObject,
  base: Path,
): FormProblem {
  const path = [...base, ...toPath(instancePath)]
  if (propertyName !== undefined)
    return { path: [...path, propertyName], message: `is not allowed as a name here: it ${message}.` }
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const known = Object.keys(isObject(parentSchema?.properties) ? parentSchema.properties : {})
    const meant = findNearestName(name, known)
    const help = meant === undefined ? `there are ${known.join(', ')}` : `did you mean "${meant}"?`
    return { path: [...path, name], message: `is not a member of this format; ${help}` }
  }
  if (keyword === 'required') return { path, message: `lacks "${params.missingProperty}".` }
  if (keyword === 'enum') return { path, message: `must be one of ${params.allowedValues.join(', ')}.` }
  if (keyword === 'const') return { path, message: `must be ${JSON.stringify(params.allowedValue)}.` }
  if (keyword === 'minItems') return { path, message: `needs at least ${params.limit} in the list.` }
  if (keyword === 'maxItems') return { path, message: `may have at most ${params.limit} in the list.` }
  if (keyword === 'type') return { path, message: `must be of the JSON type ${params.type}.` }
  return { path, message: `${message}.` }
}
