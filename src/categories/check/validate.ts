/** Normalises and validates a passport's data. Reports all violations at once. */

import type { Detail } from '../../kernel/errors/errors.ts'
import { MAX_JSON_DEPTH } from '../../kernel/text/json-scan.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import type { CompleteCategory } from '../catalogue.ts'
import { SHARED_FIELDS } from '../category-file.ts'
import { type Field, findScalarEntry } from '../field.ts'
import { canonicalizeLanguage } from '../language.ts'
import { getMaxEntries, MAX_LANGUAGES } from '../schema/json-schema.ts'
import { checkFreeForm } from './check-free-form.ts'
import { checkStructure } from './check-structure.ts'
import { Findings } from './findings.ts'
import { limitSizes } from './limit-sizes.ts'
import { SemanticChecks } from './semantic-checks.ts'

type ValidationOptions = {
  /** Unknown top-level keys are violations instead of warnings (`Prefer: handling=strict`). */
  strict?: boolean
  /** The schema version under which the passport was last valid; absent for a new one. */
  validatedWith?: number
  /** Host and port of this server, whose own addresses get no warning. */
  ownHost?: string | undefined
}

/** At most 100 of each; `truncated`: there were more errors. */
type Validation = { errors: Detail[]; warnings: Detail[]; truncated: boolean }

/**
 * Validates normalised data (see `normaliseData`). Never throws and never changes the data. A value of the
 * wrong type has one violation and is not checked further. Lengths are in code points.
 */
export function validateData(
  category: CompleteCategory,
  data: DataObject,
  options: ValidationOptions = {},
): Validation {
  const findings = new Findings()
  const bounded = limitSizes(category, data, findings)
  checkStructure(category, bounded, options.validatedWith ?? category.schemaVersion, findings)
  new SemanticChecks(findings, findPrimaryLanguage(bounded), options.ownHost).checkMembers(
    category.fields,
    bounded,
  )
  checkFreeForm(category, data, options.strict ?? false, findings)
  return {
    errors: findings.isEmpty ? [] : findings.sortedErrors(getFieldOrder(category)),
    warnings: findings.warnings,
    truncated: findings.truncated,
  }
}

/** Lists unknown top-level keys as violations. */
export function listUnknownKeys(category: CompleteCategory, data: DataObject): Detail[] {
  const findings = new Findings()
  checkFreeForm(category, data, true, findings)
  return findings.sortedErrors(getFieldOrder(category))
}

const getFieldOrder = (category: CompleteCategory): ReadonlyMap<string, number> =>
  new Map(category.fields.map((field, place) => [field.name, place]))

/** Undefined if `languages` is invalid; then the texts cannot be checked. */
function findPrimaryLanguage(data: DataObject): string | undefined {
  const languages = getOwn(data, 'languages')
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' ? canonicalizeLanguage(first) : undefined
}

/**
 * Returns the data as it is stored: CRLF becomes LF, and language tags (entries of `languages`, keys of
 * localized fields) become canonical. If two keys of a field would become equal, they stay for the validator
 * to report; so do oversized lists and objects. Without a category only the shared fields are known. Never
 * changes the input.
 */
export function normaliseData(data: DataObject, category?: CompleteCategory): DataObject {
  const texts = mapMembers(data, value => normaliseTexts(value, 1))
  return canonicalizeMembers(category?.fields ?? SHARED_FIELDS, texts)
}

export const normaliseNewlines = (text: string) =>
  text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text

/** The validator refuses deeper data anyway. */
function normaliseTexts(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return normaliseNewlines(value)
  if (depth > MAX_JSON_DEPTH) return value
  const change = (inner: unknown) => normaliseTexts(inner, depth + 1)
  if (Array.isArray(value)) return mapEntries(value, change)
  return isObject(value) ? mapMembers(value, change) : value
}

function mapEntries(entries: readonly unknown[], change: (entry: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let i = 0; i < entries.length; i++) {
    const after = change(entries[i])
    if (after === entries[i]) continue
    copy ??= [...entries]
    copy[i] = after
  }
  return copy ?? entries
}

/** Assigns only members that the spread has copied, so that a key `__proto__` stays an own key. */
function mapMembers(object: DataObject, change: (value: unknown) => unknown): DataObject {
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(object)) {
    const after = change(object[key])
    if (after === object[key]) continue
    copy ??= { ...object }
    copy[key] = after
  }
  return copy ?? object
}

function canonicalizeMembers(fields: readonly Field[], object: DataObject): DataObject {
  let copy: Record<string, unknown> | undefined
  for (const field of fields) {
    if (!holdsTags(field) || !Object.hasOwn(object, field.name)) continue
    const after = canonicalizeValue(field, object[field.name])
    if (after === object[field.name]) continue
    copy ??= { ...object }
    copy[field.name] = after
  }
  return copy ?? object
}

/** Returns true if the field can contain a language tag. */
const holdsTags = (field: Field) =>
  field.localized === true || field.type === 'object' || field.type === 'list' || field.format === 'language'

function canonicalizeValue(field: Field, value: unknown): unknown {
  if (typeof value === 'string')
    return field.format === 'language' ? (canonicalizeLanguage(value) ?? value) : value
  if (Array.isArray(value)) {
    if (field.type !== 'list' || value.length > (getMaxEntries(field) ?? 0)) return value
    const scalar = findScalarEntry(field)
    return mapEntries(value, entry => {
      if (scalar !== undefined) return canonicalizeValue(scalar, entry)
      return isObject(entry) ? canonicalizeMembers(field.of ?? [], entry) : entry
    })
  }
  if (!isObject(value)) return value
  if (field.localized) return canonicalizeKeys(value)
  return field.type === 'object' ? canonicalizeMembers(field.fields ?? [], value) : value
}

function canonicalizeKeys(texts: DataObject): DataObject {
  const tags = Object.keys(texts)
  if (tags.length > MAX_LANGUAGES) return texts
  const canonical = tags.map(tag => canonicalizeLanguage(tag) ?? tag)
  if (canonical.every((tag, i) => tag === tags[i]) || new Set(canonical).size < tags.length) return texts
  return Object.fromEntries(tags.map((tag, i) => [canonical[i], texts[tag]]))
}
