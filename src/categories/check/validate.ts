/** The one place that says whether a passport's data may be stored, and what is wrong with it if not: everything at once. */
import type { Detail } from '../../kernel/errors.ts'
import { MAX_JSON_DEPTH } from '../../kernel/text/strict-json.ts'
import type { CompleteCategory } from '../catalogue.ts'
import { type Field, findScalarEntry } from '../field.ts'
import { canonicalizeLanguage } from '../language.ts'
import { getMaxEntries, MAX_LANGUAGES } from '../schema/json-schema.ts'
import { SHARED_FIELDS } from '../shared.ts'
import { type DataObject, isObject } from '../value.ts'
import { checkFreeForm } from './check-free-form.ts'
import { checkStructure } from './check-structure.ts'
import { Findings } from './findings.ts'
import { limitSizes } from './limit-sizes.ts'
import { NamedChecks } from './named-checks.ts'

type ValidationOptions = {
  /** Unknown keys at the top are violations instead of warnings (`Prefer: handling=strict`). */
  strict?: boolean
  /** The schema version the passport was last valid under; absent for a new one. */
  validatedWith?: number
}

/** At most 100 of each; `truncated` when there were more errors. */
type Validation = { errors: Detail[]; warnings: Detail[]; truncated: boolean }

/**
 * Checks normalised data (see `normaliseData`) against a category; never changes or throws, whatever JSON it is given.
 * One violation for each wrong thing: a value of the wrong type is not checked further. Lengths are in characters
 * (Unicode code points).
 */
export function validateData(
  category: CompleteCategory,
  data: DataObject,
  options: ValidationOptions = {},
): Validation {
  const findings = new Findings()
  const bounded = limitSizes(category, data, findings)
  checkStructure(category, bounded, options.validatedWith ?? category.schemaVersion, findings)
  new NamedChecks(findings, primaryLanguage(bounded)).checkMembers(category.fields, bounded)
  checkFreeForm(category, data, options.strict ?? false, findings)
  return {
    errors: findings.isEmpty ? [] : findings.sortedErrors(orderOf(category)),
    warnings: findings.warnings,
    truncated: findings.truncated,
  }
}

/** The keys that the schema does not know, as violations. */
export function listUnknownKeys(category: CompleteCategory, data: DataObject): Detail[] {
  const findings = new Findings()
  checkFreeForm(category, data, true, findings)
  return findings.sortedErrors(orderOf(category))
}

const orderOf = (category: CompleteCategory): ReadonlyMap<string, number> =>
  new Map(category.fields.map((field, place) => [field.name, place]))

/** Undefined when `languages` is itself wrong; then nothing can be said about the texts. */
function primaryLanguage(data: DataObject): string | undefined {
  const languages = Object.hasOwn(data, 'languages') ? data.languages : undefined
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' ? canonicalizeLanguage(first) : undefined
}

/**
 * The data as it is stored: CRLF becomes LF in every text; language tags (the entries of `languages`, and the keys of
 * localized fields) become canonical. A localized field in which two keys would fall together keeps its keys, so that
 * nothing is lost before the validator names them; so do oversized lists and objects, which it refuses. Without a category only the shared fields are known.
 * Shares with the input what needed no change, and never changes the input.
 */
export function normaliseData(data: DataObject, category?: CompleteCategory): DataObject {
  const texts = mapMembers(data, value => normaliseTexts(value, 1))
  return canonicalMembers(category?.fields ?? SHARED_FIELDS, texts)
}

/** A text as it is stored. */
export const normaliseNewlines = (text: string) =>
  text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text

/** Deeper data is refused by the validator, which needs no newlines for that. */
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

/** Only members the spread has copied are assigned, so that a key `__proto__` stays a key. */
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

function canonicalMembers(fields: readonly Field[], object: DataObject): DataObject {
  let copy: Record<string, unknown> | undefined
  for (const field of fields) {
    if (!holdsTags(field) || !Object.hasOwn(object, field.name)) continue
    const after = canonicalValue(field, object[field.name])
    if (after === object[field.name]) continue
    copy ??= { ...object }
    copy[field.name] = after
  }
  return copy ?? object
}

/** Whether there can be a language tag in it. */
const holdsTags = (field: Field) =>
  field.localized === true || field.type === 'object' || field.type === 'list' || field.format === 'language'

function canonicalValue(field: Field, value: unknown): unknown {
  if (typeof value === 'string')
    return field.format === 'language' ? (canonicalizeLanguage(value) ?? value) : value
  if (Array.isArray(value)) {
    if (field.type !== 'list' || value.length > (getMaxEntries(field) ?? 0)) return value
    const scalar = findScalarEntry(field)
    return mapEntries(value, entry => {
      if (scalar !== undefined) return canonicalValue(scalar, entry)
      return isObject(entry) ? canonicalMembers(field.of ?? [], entry) : entry
    })
  }
  if (!isObject(value)) return value
  if (field.localized) return canonicalKeys(value)
  return field.type === 'object' ? canonicalMembers(field.fields ?? [], value) : value
}

function canonicalKeys(texts: DataObject): DataObject {
  const tags = Object.keys(texts)
  if (tags.length > MAX_LANGUAGES) return texts
  const canonical = tags.map(tag => canonicalizeLanguage(tag) ?? tag)
  if (canonical.every((tag, i) => tag === tags[i]) || new Set(canonical).size < tags.length) return texts
  return Object.fromEntries(tags.map((tag, i) => [canonical[i], texts[tag]]))
}
